#pragma once
// What the functions of expanded_*.cpp share that make one name of several floating ops: 16 bits are computed in f32
// and rounded once, as PyTorch's kernels of these names do.

#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {

// One name of a text: what it computes in, and what it is rounded to.
class Composite {
 public:
  Composite(Fusion& fusion, const std::string& name, DataType dtype)
      : fusion_(fusion), name_(name), dtype_(dtype), computed_(isNarrowFloat(dtype) ? DataType::Float : dtype) {}

  Fusion& fusion() { return fusion_; }
  DataType computed() const { return computed_; }
  std::string named(std::string_view ending) const { return concat(name_, ending); }
  Val* real(double number) { return fusion_.newConstant(ScalarValue(number)); }

  TensorView* wide(TensorView* tensor, std::string_view ending = ".wide") { return as(computed_, tensor, ending); }
  TensorView* as(DataType dtype, TensorView* tensor, std::string_view ending) {
    return tensor->dtype() == dtype ? tensor : build::cast(fusion_, tensor, dtype, named(ending))->as<TensorView>();
  }
  // In the dtype of the name, under the text's name.
  TensorView* rounded(TensorView* result) {
    if (result->dtype() != dtype_) return build::cast(fusion_, result, dtype_, name_)->as<TensorView>();
    result->setName(name_);
    return result;
  }
  TensorView* op(OpKind kind, Val* a, Val* b, std::string_view ending) {
    return build::binary(fusion_, kind, a, b, named(ending))->as<TensorView>();
  }
  TensorView* op(OpKind kind, Val* a, std::string_view ending) {
    return build::unary(fusion_, kind, a, named(ending))->as<TensorView>();
  }
  TensorView* where(Val* condition, Val* a, Val* b, std::string_view ending) {
    return build::where(fusion_, condition, a, b, named(ending))->as<TensorView>();
  }
  // The square root, whose gradient at 0 is 0, as that of PyTorch's names that end with one, and no NaN.
  TensorView* root(TensorView* squares) {
    TensorView* isZero = op(OpKind::Eq, squares, real(0), ".zero");
    TensorView* positive = op(OpKind::Sqrt, where(isZero, real(1), squares, ".positive"), ".root");
    return where(isZero, real(0), positive, ".size");
  }
  // With a factor or a term of the last axes' sizes, of `like`.
  TensorView* with(std::string_view name, OpKind kind, TensorView* result, TensorView* factor, const TensorView* like,
                   size_t axes, const std::string& ending) {
    const std::vector<IntExpr> sizes = sizesOf(like);
    const std::vector<IntExpr> last(sizes.end() - static_cast<ptrdiff_t>(axes), sizes.end());
    factor = ofSizes(name, fusion_, factor->dtype(), factor, last, name_ + ending);
    return op(kind, result, wide(factor, ending + ".wide"), ending + ".done");
  }
  // Over these axes, which stay with one element each.
  TensorView* over(OpKind kind, TensorView* tensor, const std::vector<int64_t>& dims, std::string_view ending) {
    return build::reduction(fusion_, kind, tensor, dims, true, named(ending));
  }
  TensorView* overAll(OpKind kind, TensorView* tensor, std::string_view ending) {
    return build::reduction(fusion_, kind, tensor, {}, false, named(ending));
  }

 private:
  Fusion& fusion_;
  const std::string& name_;
  DataType dtype_, computed_;
};

// A tensor that may be left out: an operand at this place, or an attribute of this name. Null where it is left out.
TensorView* optionalTensor(std::string_view op, const std::vector<Val*>& operands, size_t place,
                           const NamedAttributes& attributes, AttributeName name);

}  // namespace fuser::text

#pragma once
// ExpressionEvaluator: what is known on the host before a kernel runs: the extents and host scalars of one fusion, for
// one set of inputs. Values are computed when first asked for and kept, so that each scalar expression is evaluated at
// most once per set of inputs. Caches, checks of sizes and the host program all ask here, so that they
// cannot disagree on a size.
//
// Sizes are in elements. Evaluation keeps what it finds: one evaluator is used by one thread at a time.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/dims.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

class ExpressionEvaluator {
 public:
  using InputValue = std::variant<TensorRef, ScalarValue>;

  // The fusion must outlive the evaluator. What is added to it later is seen; what is known already is never forgotten.
  explicit ExpressionEvaluator(const Fusion& fusion);

  // Binds all inputs, in the fusion's order. A UserError when their number, or the kind, dtype, rank or size of one,
  // does not fit the declaration, or when a symbol would get two values. A tensor's memory is read for an input on the
  // host alone (isCpuScalar), and then at once.
  void bindInputs(std::span<const InputValue> values);

  // The steps of bindInputs, for callers without memory: every input once, then checkInputSizes.
  // sizes: one entry for each of axes(), in PyTorch's eyes. A UserError as above.
  void bindSizes(const TensorView* input, const Dims& sizes);
  void bindScalar(const Val* input, ScalarValue value);  // of the input's dtype: UserError
  // The element of an input on the host, where the caller knows it; bindInputs reads it.
  void bindElement(const TensorView* input, ScalarValue value);
  // Each axis of each input has the size that its extent evaluates to; broadcast axes have size 1.
  void checkInputSizes();

  // extent: of the fusion's arena. A UserError when a symbol is bound by no input, or a sum or product leaves i64.
  int64_t evaluate(IntExpr extent);
  // Of the scalar's dtype. A CheckError for one without a value and a definition: inputs are bound before.
  ScalarValue evaluate(const Val* scalar);
  // Sizes in PyTorch's eyes of the non-reduction axes. A UserError when one is negative, or there are more than
  // kMaxElements elements.
  Dims sizes(const TensorView* tensor);

  // What a scalar evaluated to, if it is known already.
  std::optional<ScalarValue> known(const Val* scalar) const {
    return scalar->id() < values_.size() ? values_[scalar->id()] : std::nullopt;
  }

  // Scalar expressions evaluated so far.
  size_t evaluations() const { return evaluations_; }

 private:
  struct Binding {
    int64_t value;
    const TensorView* tensor;
    size_t axis;
  };

  // The entry of an index below the current count; the fusion may have grown since the last call.
  template <class T>
  static std::optional<T>& slot(std::vector<std::optional<T>>& values, size_t index, size_t count) {
    FUSER_CHECK(index < count, "a value or symbol of another fusion");
    if (index >= values.size()) values.resize(count);
    return values[index];
  }
  std::optional<ScalarValue>& slot(const Val* scalar) { return slot(values_, scalar->id(), fusion_.valCount()); }
  std::optional<Dims>& sizeSlot(const Val* tensor) { return slot(sizes_, tensor->id(), fusion_.valCount()); }
  std::optional<Binding>& symbolSlot(IntExpr symbol) {
    return slot(symbols_, static_cast<size_t>(symbol->value), fusion_.ints().symbols().size());
  }

  void bindSymbol(IntExpr symbol, Binding binding);
  std::vector<const Val*> missingOperands(const Expr* expr);
  ScalarValue compute(const Expr* expr);
  std::string describe(IntExpr extent) const;

  const Fusion& fusion_;
  std::vector<std::optional<Binding>> symbols_;     // by index in the arena
  std::vector<std::optional<ScalarValue>> values_;  // by id of the value
  std::vector<std::optional<Dims>> sizes_;          // by id of the value
  size_t evaluations_ = 0;
};

// The number of elements; nullopt when a size is negative or there are more than kMaxElements.
std::optional<int64_t> checkedNumel(const Dims& sizes);

// "(i0 * 2)", "%n": symbols by their names, those of scalars by the scalar's.
std::string extentToString(const Fusion& fusion, IntExpr extent);

}  // namespace fuser

#pragma once
// ExpressionEvaluator: evaluates the extents and host scalars of one fusion for one set of inputs, as nvFuser's class
// of that name does. Values are computed lazily and memoized, so that each scalar expression is evaluated at most once
// per set of inputs. The size checks of a run have one evaluator over the original fusion, each program that it asks or
// compiles one over its own; RunScalars hands the values of scalars from one to the next.
//
// Sizes are in elements. Not thread-safe, because evaluation writes the memo.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/dims.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

class RunScalars;

class ExpressionEvaluator {
 public:
  using InputValue = std::variant<TensorRef, ScalarValue>;

  // The fusion must outlive the evaluator and may grow; values already computed stay valid. `run`: takes the values of
  // computed scalars that this run knows, and keeps the others there; null: computes all.
  explicit ExpressionEvaluator(const Fusion& fusion, RunScalars* run = nullptr);

  // Binds all inputs, in the fusion's order. A UserError when the number of inputs or the kind, dtype, rank or size of
  // one does not match its declaration, or when a symbol would get two values. Tensor memory is read only for host
  // tensors (isCpuScalar), during this call.
  void bindInputs(std::span<const InputValue> values);

  // The steps of bindInputs, for callers that have sizes but no memory: bind every input once, then checkInputSizes.
  // `sizes` has the size of each of axes(), as PyTorch reports it. Errors as above.
  void bindSizes(const TensorView* input, const Dims& sizes);
  void bindScalar(const Val* input, ScalarValue value);  // a UserError for another dtype than the input's
  // Binds the element of a host tensor input. bindInputs reads it from memory.
  void bindElement(const TensorView* input, ScalarValue value);
  // Checks that each input axis has the size to which its extent evaluates; 1 for a broadcast axis.
  void checkInputSizes();

  // Evaluates an extent of the fusion's arena. A UserError when a symbol is unbound, or a sum or product overflows i64.
  int64_t evaluate(IntExpr extent);
  // Evaluates a scalar, in its dtype. A CheckError for an input that is not bound yet.
  ScalarValue evaluate(const Val* scalar);
  // The sizes of a tensor's axes(), as PyTorch reports them. A UserError when one is negative, or when the tensor has
  // more than kMaxElements elements.
  Dims sizes(const TensorView* tensor);
  // From now on what reductions alone read may have kMaxTerms: for who computes a part of it, or nothing.
  void allowLongSums() { longSums_ = true; }

  // The value of a scalar if it is known already; never evaluates.
  std::optional<ScalarValue> known(const Val* scalar) const {
    return scalar->id() < values_.size() ? values_[scalar->id()] : std::nullopt;
  }

  // A copy that is bound to the same inputs, has computed nothing, and belongs to no run.
  ExpressionEvaluator withInputsAlone() const;

  // The results of the scalar expressions that this object evaluated, in order.
  std::span<const Val* const> evaluated() const { return evaluated_; }

 private:
  struct Binding {
    int64_t value;
    const TensorView* tensor;
    size_t axis;
  };

  // The entry at `index`, which is below `count`, the current number: the fusion may have grown since the last call.
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
  // Whether the scalar's slot has a value, or the run's scalars have one for it.
  bool isKnown(const Val* scalar);
  std::vector<const Val*> missingOperands(const Expr* expr);
  ScalarValue compute(const Expr* expr);
  std::string describe(IntExpr extent) const;

  const Fusion& fusion_;
  RunScalars* run_;                                 // may be null
  std::vector<std::optional<Binding>> symbols_;     // by the symbol's index in the arena
  std::vector<std::optional<ScalarValue>> values_;  // by value id
  std::vector<std::optional<Dims>> sizes_;          // by value id
  std::vector<const Val*> evaluated_;
  bool longSums_ = false;
};

// The most elements of terms that reductions alone read, as those of a product of matrices: no memory need hold them.
inline constexpr int64_t kMaxTerms = int64_t{1} << 42;

// The number of elements; nullopt when a size is negative or the number exceeds `most`.
std::optional<int64_t> checkedNumel(const Dims& sizes, int64_t most = kMaxElements);

// Prints an extent for messages: "(i0 * 2)", "%n". A symbol that stands for a scalar prints as that scalar.
std::string extentToString(const Fusion& fusion, IntExpr extent);

}  // namespace fuser

// Statements on real memory.

#include <ATen/ATen.h>

#include "fuser/ir/branches.h"
#include "fuser/ir/tensor_view.h"
#include "oracle/reference/aten_values.h"

namespace reference {
namespace {

using fuser::Expr;
using fuser::OpKind;
using fuser::ScalarValue;
using fuser::TensorRef;
using fuser::Val;

// Elements keep their values: their places are what a run of statements tells.
bool isMove(OpKind op) {
  constexpr OpKind kMoves[] = {OpKind::Unsqueeze, OpKind::Squeeze, OpKind::Expand, OpKind::Permute,
                               OpKind::Slice,     OpKind::Reshape, OpKind::Set,    OpKind::SegmentSet,
                               OpKind::Cat,       OpKind::Repeat,  OpKind::Flip,   OpKind::SliceScatter,
                               OpKind::Select,    OpKind::Unfold};
  return std::find(std::begin(kMoves), std::end(kMoves), op) != std::end(kMoves);
}

bool isView(OpKind op) {
  constexpr OpKind kViews[] = {OpKind::Unsqueeze, OpKind::Squeeze, OpKind::Expand, OpKind::Permute,
                               OpKind::Slice,     OpKind::Reshape, OpKind::Select, OpKind::Unfold};
  return std::find(std::begin(kViews), std::end(kViews), op) != std::end(kViews);
}

uint64_t mixed(uint64_t hash, uint64_t word) {  // of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
  uint64_t z = (hash ^ word) + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

uint64_t hashOf(uint64_t hash, const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  for (int64_t size : dense.sizes()) hash = mixed(hash, static_cast<uint64_t>(size));
  const auto* bytes = static_cast<const unsigned char*>(dense.const_data_ptr());
  for (size_t left = dense.nbytes(), at = 0; at < left; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<size_t>(8, left - at));
    hash = mixed(hash, word);
  }
  return hash;
}

// Numbers that follow from the hash. A bool is 0 or 1.
at::Tensor filled(uint64_t hash, const std::vector<int64_t>& sizes, at::ScalarType dtype) {
  at::Tensor tensor = at::empty(sizes, at::TensorOptions().dtype(dtype));
  auto* bytes = static_cast<unsigned char*>(tensor.data_ptr());
  for (size_t i = 0; i < tensor.nbytes(); ++i) {
    const auto byte = static_cast<unsigned char>(mixed(hash, i));
    bytes[i] = dtype == at::kBool ? byte & 1 : byte;
  }
  return tensor;
}

// A copy of the memory that the tensor spans, with its strides.
at::Tensor copied(const TensorRef& ref) {
  const at::Tensor theirs = view(ref);
  size_t span = 1;
  for (size_t axis = 0; axis < ref.sizes.size(); ++axis) {
    if (ref.sizes[axis] == 0) return at::empty_strided(list(ref.sizes), list(ref.strides), theirs.options());
    span += static_cast<size_t>((ref.sizes[axis] - 1) * ref.strides[axis]);
  }
  const at::Tensor memory = at::empty({static_cast<int64_t>(span)}, theirs.options());
  std::memcpy(memory.data_ptr(), theirs.const_data_ptr(), memory.nbytes());
  return memory.as_strided(list(ref.sizes), list(ref.strides));
}

class Statements {
 public:
  Statements(const fuser::Fusion& fusion, std::span<const Value> inputs, const ScalarOf& scalars)
      : fusion_(fusion),
        tensors_(fusion.valCount()),
        scalars_(fusion.valCount()),
        extents_(fusion.ints().symbols().size()) {
    FUSER_CHECK(inputs.size() == fusion.inputs().size(), "the fusion has ", fusion.inputs().size(), " inputs");
    for (size_t i = 0; i < inputs.size(); ++i) bind(fusion.inputs()[i], inputs[i]);
    for (const Expr* expr : fusion.exprs()) {
      if (expr->isScalarExpr()) scalars_[expr->output()->id()] = scalars(expr->output());
    }
  }

  MemoryAfter run() {
    const std::vector<bool> skipped = fuser::skippedExprs(fusion_, [&](const Expr* branch) { return holds(*branch); });
    for (const Expr* expr : fusion_.exprs()) {
      if (!expr->isScalarExpr() && !skipped[expr->id()]) statement(*expr);
    }
    MemoryAfter after;
    for (const Val* output : fusion_.outputs()) after.outputs.push_back(valueOf(output));
    for (const Val* input : fusion_.inputs()) after.inputs.push_back(valueOf(input));
    return after;
  }

 private:
  void bind(const Val* input, const Value& value) {
    if (input->isScalar()) {
      scalars_[input->id()] = std::get<ScalarValue>(value.value);
      return;
    }
    const TensorRef& ref = std::get<TensorRef>(value.value);
    tensors_[input->id()] = copied(ref);
    const std::vector<fuser::IterDomain*> axes = input->as<fuser::TensorView>()->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis]->size()->isSymbol()) extents_[axes[axis]->size()->value] = ref.sizes[axis];
    }
  }

  ScalarValue scalarOf(const Val* val) const {
    const auto* literal = val->as<fuser::Scalar>();
    return literal->isConstant() ? *literal->constant() : scalars_[val->id()].value();
  }

  Value valueOf(const Val* val) const {
    if (val->isScalar()) return {scalarOf(val), nullptr};
    return owned(tensors_[val->id()].clone());
  }

  int64_t numberOf(fuser::IntExpr extent) const {
    return fuser::evaluate(extent, [&](fuser::IntExpr symbol) {
      if (const Val* scalar = fusion_.scalarOf(symbol)) return scalarOf(scalar).as<int64_t>();
      return extents_[symbol->value].value();
    });
  }

  std::vector<int64_t> numbersOf(const std::vector<fuser::IntExpr>& extents) const {
    std::vector<int64_t> numbers;
    for (fuser::IntExpr extent : extents) numbers.push_back(numberOf(extent));
    return numbers;
  }

  bool holds(const Expr& branch) const { return scalarOf(branch.input(2)).as<bool>(); }

  void statement(const Expr& expr) {
    if (expr.op() == OpKind::Update) {
      // The source is read before anything is written, should the two share memory.
      tensors_[expr.input(0)->id()].copy_(tensors_[expr.input(1)->id()].clone());
      return;
    }
    if (expr.op() == OpKind::Cond) {
      const Val* taken = fuser::takenOperand(&expr, holds(expr));
      tensors_[expr.output()->id()] = tensors_[taken->id()].clone(at::MemoryFormat::Contiguous);
      return;
    }
    for (size_t i = 0; i < expr.outputs().size(); ++i) {
      const at::ScalarType dtype = scalarType(expr.output(i)->dtype());
      tensors_[expr.output(i)->id()] = isMove(expr.op()) ? moved(expr, dtype) : standIn(expr, i, dtype);
    }
  }

  at::Tensor moved(const Expr& expr, at::ScalarType dtype) const {
    std::vector<at::Tensor> x;
    for (const Val* operand : expr.inputs()) x.push_back(tensors_[operand->id()]);
    const std::vector<int64_t> numbers = numbersOf(expr.attributes().allIntegers());
    const at::Tensor result = apply(expr.op(), x, {expr.attributes().allAxes(), numbers, dtype});
    return isView(expr.op()) ? result : result.clone(at::MemoryFormat::Contiguous);
  }

  at::Tensor standIn(const Expr& expr, size_t which, at::ScalarType dtype) const {
    uint64_t hash = mixed(static_cast<uint64_t>(expr.op()), which);
    for (const Val* operand : expr.inputs()) {
      const at::Tensor value = operand->isTensor() ? tensors_[operand->id()] : toTensor(scalarOf(operand));
      hash = hashOf(hash, value);
    }
    std::vector<int64_t> sizes;
    for (const fuser::IterDomain* axis : expr.output(which)->as<fuser::TensorView>()->axes()) {
      sizes.push_back(numberOf(axis->size()));
    }
    return filled(hash, sizes, dtype);
  }

  static at::Tensor toTensor(const ScalarValue& value) {
    return std::visit([&](auto number) { return at::scalar_tensor(number, scalarType(value.dtype())); },
                      value.variant());
  }

  const fuser::Fusion& fusion_;
  std::vector<at::Tensor> tensors_;                  // by value id; undefined before it is computed
  std::vector<std::optional<ScalarValue>> scalars_;  // by value id
  std::vector<std::optional<int64_t>> extents_;      // by symbol
};

}  // namespace

MemoryAfter runStatements(const fuser::Fusion& fusion, std::span<const Value> inputs, const ScalarOf& scalars) {
  const at::InferenceMode inference;
  return Statements(fusion, inputs, scalars).run();
}

}  // namespace reference

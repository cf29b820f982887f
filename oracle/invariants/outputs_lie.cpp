// OutputsLie: where the outputs of a run lie, and with which strides, as fuser/text/grammar.md#what-a-caller-gets
// promises. The strides are computed here from the program's ops and the strides of its inputs, not taken from the run.

#include <algorithm>
#include <set>

#include "fuser/ir/tensor_view.h"
#include "fuser/runtime/input_facts.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

namespace {

// Of axes with one element strides say nothing.
bool sameStrides(const TensorRef& tensor, const Dims& strides) {
  for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    if (tensor.sizes[axis] != 1 && tensor.strides[axis] != strides[axis]) return false;
  }
  return true;
}

struct Axis {
  int64_t size = 1;
  int64_t stride = 0;
};

// What an op that moves no element makes of its operand's axes.
std::vector<Axis> seenThrough(const Expr& op, const std::vector<Axis>& axes) {
  const std::vector<int64_t>& dims = op.attributes().allAxes();
  std::vector<Axis> result = axes;
  switch (op.op()) {
    case OpKind::Set:
    case OpKind::Expand: return result;
    case OpKind::Permute:
      for (size_t i = 0; i < dims.size(); ++i) result[i] = axes.at(static_cast<size_t>(dims[i]));
      return result;
    case OpKind::Unsqueeze: {
      std::vector<int64_t> places = dims;
      std::sort(places.begin(), places.end());
      for (int64_t place : places) result.insert(result.begin() + place, Axis{});
      return result;
    }
    case OpKind::Squeeze: {
      std::vector<int64_t> places = dims;
      std::sort(places.rbegin(), places.rend());
      for (int64_t place : places) result.erase(result.begin() + place);
      return result;
    }
    default: break;
  }
  FUSER_CHECK(false, opName(op.op()), " makes no view");
}

// The promises of one run.
class Promises {
 public:
  Promises(const Fusion& fusion, const HostIrContainer& host, const FinishedRun& run) : fusion_(fusion), run_(run) {
    for (const hir::HostExpr* node : hostExprsOf<hir::RunSegment>(host)) {
      const std::vector<const TensorView*>& made = std::get<hir::RunSegment>(node->node).outputs;
      cached_.insert(made.begin(), made.end());
    }
  }

  // "" if output i keeps its promise.
  std::string broken(size_t i) const {
    const auto* tensor = fusion_.outputs()[i]->isTensor() ? fusion_.outputs()[i]->as<TensorView>() : nullptr;
    const TensorRef* ref = std::get_if<TensorRef>(&run_.outputs[i]);
    if (!tensor || !ref || !ref->data || numel(ref->sizes) == 0) return "";
    if (const TensorRef* over = overwritten(i)) return differsFrom(*over, *ref, "the input that it overwrites");
    if (const TensorRef* given = memoryGiven(i)) return differsFrom(*given, *ref, "the memory that the caller gives");
    if (tensor->isFusionInput()) return differsFrom(inputTensor(fusion_, tensor, run_.inputs), *ref, "the input");
    if (isView(tensor)) return differsFrom(*seen(tensor, ref->sizes), *ref, "what it is a view of");
    const std::vector<int>& order = tensor->domain().allocationOrder;
    const Dims dense = stridesInOrder(ref->sizes, Dims(order.begin(), order.end()));
    if (!sameStrides(*ref, dense)) return concat("has strides ", ref->strides, " of its own, promised ", dense);
    return sharing(i, tensor, *ref);
  }

 private:
  const TensorRef* overwritten(size_t i) const {
    for (const auto& [output, input] : fusion_.aliases()) {
      if (fusion_.outputs().at(output) == fusion_.outputs()[i]) return &inputTensor(fusion_, input, run_.inputs);
    }
    return nullptr;
  }

  // What is returned again lies in the memory that the caller gives for it first.
  const TensorRef* memoryGiven(size_t i) const {
    if (run_.callersMemory.empty()) return nullptr;
    if (run_.callersMemory[i]) return &*run_.callersMemory[i];
    for (size_t k = 0; k < run_.callersMemory.size(); ++k) {
      if (run_.callersMemory[k] && fusion_.outputs()[k] == fusion_.outputs()[i]) return &*run_.callersMemory[k];
    }
    return nullptr;
  }

  static std::string differsFrom(const TensorRef& promised, const TensorRef& ref, const char* what) {
    if (promised.data != ref.data) return concat("does not lie in ", what);
    if (sameStrides(ref, promised.strides)) return "";
    return concat("has strides ", ref.strides, " in ", what, ", promised ", promised.strides);
  }

  // Where an input or output lies.
  const TensorRef& placeOf(const TensorView* tensor) const {
    if (tensor->isFusionInput()) return inputTensor(fusion_, tensor, run_.inputs);
    const std::vector<Val*>& outputs = fusion_.outputs();
    const auto first = static_cast<size_t>(std::find(outputs.begin(), outputs.end(), tensor) - outputs.begin());
    FUSER_CHECK(first < outputs.size(), "%", tensor->name(), " is seen by an output, and is none itself");
    const TensorRef* given = memoryGiven(first);
    return given ? *given : std::get<TensorRef>(run_.outputs[first]);
  }

  // The view of its base, through all ops between them.
  std::optional<TensorRef> seen(const TensorView* tensor, const Dims& sizes) const {
    std::vector<const Expr*> chain;
    const TensorView* base = tensor;
    while (isView(base)) {
      chain.push_back(base->definition());
      base = chain.back()->input(0)->as<TensorView>();
    }
    TensorRef result = placeOf(base);
    std::vector<Axis> axes;
    for (size_t i = 0; i < result.sizes.size(); ++i) axes.push_back({result.sizes[i], result.strides[i]});
    for (auto op = chain.rbegin(); op != chain.rend(); ++op) axes = seenThrough(**op, axes);
    FUSER_CHECK(axes.size() == sizes.size(), "%", tensor->name(), " has another rank than its view");
    result.sizes = sizes;
    result.strides.clear();
    for (size_t i = 0; i < axes.size(); ++i) result.strides.push_back(axes[i].size == sizes[i] ? axes[i].stride : 0);
    return result;
  }

  // Whether memory of its own is anything else's, too.
  std::string sharing(size_t i, const TensorView* tensor, const TensorRef& ref) const {
    for (size_t k = 0; k < run_.inputs.size(); ++k) {
      const auto* input = std::get_if<TensorRef>(&run_.inputs[k]);
      if (input && input->data && overlap(ref, *input))
        return concat("lies in the memory of %", fusion_.inputs()[k]->name());
    }
    for (size_t k = 0; k < i; ++k) {
      const auto* other = std::get_if<TensorRef>(&run_.outputs[k]);
      if (!other || !other->data || fusion_.outputs()[k] == tensor || baseOf(fusion_.outputs()[k]) == tensor) continue;
      if (overlap(ref, *other)) return concat("lies in the memory of %", fusion_.outputs()[k]->name());
    }
    return "";
  }

  // A predicate of the case's own may put a view in a group that no scheduler takes. Its cache makes a copy.
  bool isView(const TensorView* tensor) const { return tensor->domain().view && cached_.count(tensor) == 0; }

  const Val* baseOf(const Val* output) const {
    while (output->isTensor() && isView(output->as<TensorView>())) output = output->definition()->input(0);
    return output;
  }

  std::set<const TensorView*> cached_;  // what segments with their own caches make; look-ups only
  const Fusion& fusion_;
  const FinishedRun& run_;
};

}  // namespace

std::string checkOutputsLie(const Compilation& compilation) {
  const Promises promises(compilation.presegmented, compilation.host, *compilation.run);
  for (size_t i = 0; i < compilation.presegmented.outputs().size(); ++i) {
    const std::string broken = promises.broken(i);
    if (!broken.empty()) return concat("output %", compilation.presegmented.outputs()[i]->name(), " ", broken);
  }
  return "";
}

}  // namespace oracle

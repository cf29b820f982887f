#include "fuser/runtime/foretold_width.h"

#include <algorithm>
#include <map>

#include "fuser/host_run/tensor_memory.h"
#include "fuser/kernel/index_bounds.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

class Foretold {
 public:
  Foretold(const ClonedPart& part, Fusion& fusion, std::span<const HostValue> inputs, ExpressionEvaluator& sizes)
      : extents_(fusion, part), fusion_(fusion), inputs_(inputs), sizes_(sizes) {}

  std::vector<int64_t> ints(const Kernel& kernel) {
    std::vector<int64_t> values;
    for (const IntParam& param : kernel.intParams) {
      if (param.tensor < 0) {
        values.push_back(sizes_.evaluate(extents_(param.extent)));
        continue;
      }
      const TensorView* tensor = kernel.tensors.at(static_cast<size_t>(param.tensor)).source;
      values.push_back(stridesOf(tensor)[static_cast<size_t>(param.axis)]);
    }
    return values;
  }

 private:
  const Dims& stridesOf(const TensorView* tensor) {
    const auto known = strides_.find(tensor);
    return known == strides_.end() ? strides_[tensor] = foretell(tensor) : known->second;
  }

  Dims foretell(const TensorView* tensor) {
    const Val* original = tensor->isFusionInput() ? extents_.input(tensor) : nullptr;
    const std::vector<Val*>& all = fusion_.inputs();
    const auto place = static_cast<size_t>(std::find(all.begin(), all.end(), original) - all.begin());
    if (place < inputs_.size()) {
      const Dims& strides = std::get<TensorRef>(inputs_[place]).strides;
      if (strides.size() == tensor->axes().size()) return strides;  // none of an input that other devices hold
    }
    Dims sizes;
    for (const IterDomain* axis : tensor->axes()) sizes.push_back(sizes_.evaluate(extents_(axis->size())));
    return allocationStrides(tensor, sizes);
  }

  PartExtents extents_;
  Fusion& fusion_;
  std::span<const HostValue> inputs_;
  ExpressionEvaluator& sizes_;
  std::map<const TensorView*, Dims> strides_;  // look-ups only
};

}  // namespace

bool willFitNarrow(const Kernel& kernel, const ClonedPart& part, Fusion& fusion, std::span<const HostValue> inputs,
                   ExpressionEvaluator& sizes) {
  try {
    return !firstOutside(kernel, Foretold(part, fusion, inputs, sizes).ints(kernel));
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return false;  // the run says it, too
  }
}

}  // namespace fuser

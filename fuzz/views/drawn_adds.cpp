#include "fuzz/views/drawn_adds.h"

#include <algorithm>
#include <numeric>

#include "fuser/schedule/facts.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kAddingThreads = 256;  // at most, of a block
constexpr int64_t kSplits[] = {2, 3, 4, 7, 8, 16, 31, 32, 64};
constexpr size_t kAddingLoops = 6;  // at most
constexpr double kThreads = 0.7;    // of the loops of constant extents, where there is room
constexpr double kBlocks = 0.7;     // of the others
constexpr double kUnrolled = 0.3;   // of the short ones that are left

// The loops of what atomics add to, outermost first; 0: of no constant extent.
class AddDrawer {
 public:
  AddDrawer(std::string name, size_t rank, const DeviceProperties& device, Choices& choices)
      : name_(std::move(name)), device_(device), choices_(choices), extents_(rank, 0) {}

  Schedule draw() {
    steps_.push_back(on(TransformKind::AddByAtomics, name_));
    std::vector<int> order(extents_.size());
    std::iota(order.begin(), order.end(), 0);
    choices_.shuffle(order);
    reorder(steps_, name_, order);
    for (int64_t changes = choices_.integer(1, 4); changes > 0; --changes) change();
    chooseTypes();
    return std::move(steps_);
  }

 private:
  // Splits a loop, or merges two.
  void change() {
    const size_t at = choices_.index(extents_.size());
    const auto axis = static_cast<int64_t>(at);
    if (at + 1 < extents_.size() && choices_.chance(0.4)) {
      steps_.push_back(merge(name_, axis));
      extents_[at] *= extents_[at + 1];
      extents_.erase(extents_.begin() + axis + 1);
    } else if (extents_.size() < kAddingLoops) {
      const int64_t factor = choices_.pick(kSplits);
      steps_.push_back(split(name_, axis, factor));
      extents_[at] = (extents_[at] + factor - 1) / factor;
      extents_.insert(extents_.begin() + axis + 1, factor);
    }
  }

  void chooseTypes() {
    std::vector<ParallelType> threads{ParallelType::TIDy, ParallelType::TIDx},
        blocks{ParallelType::BIDy, ParallelType::BIDx};
    int64_t left = std::min(kAddingThreads, device_.threadsPerBlock);
    for (size_t loop = extents_.size(); loop-- > 0;) {
      const int64_t extent = extents_[loop];
      if (extent > 1 && extent <= left && !threads.empty() && choices_.chance(kThreads)) {
        give(loop, threads);
        left /= extent;
      } else if (extent == 0 && !blocks.empty() && choices_.chance(kBlocks)) {
        give(loop, blocks);
      } else if (extent > 1 && extent <= 16 && choices_.chance(kUnrolled)) {
        steps_.push_back(parallelize(name_, static_cast<int64_t>(loop), ParallelType::Unroll));
      }
    }
  }

  void give(size_t loop, std::vector<ParallelType>& types) {
    steps_.push_back(parallelize(name_, static_cast<int64_t>(loop), types.back()));
    types.pop_back();
  }

  std::string name_;
  const DeviceProperties& device_;
  Choices& choices_;
  std::vector<int64_t> extents_;
  Schedule steps_;
};

}  // namespace

Schedule drawAdds(const Fusion& part, const DeviceProperties& device, Choices& choices) {
  const Val* result = part.outputs().at(0);
  const auto* indices = result->definition()->input(1)->as<TensorView>();
  return AddDrawer(result->name(), indices->rank(), device, choices).draw();
}

}  // namespace fuser::fuzz

#pragma once
// The ranges of a kernel's index arithmetic in one launch, and whether 32 bits hold all of it.
//
// An index is what a kernel computes to find elements and to decide what runs: the index of each access, each
// condition, each loop's extent and each loaded index; and every subexpression of these, as the tree of IntNodes has
// them. The sizes of the grid and of workspaces are the host's, and Int operands are data.
//
// An index fits if its magnitude is below the device's index_bound. Ranges come from interval arithmetic (Moore 1966)
// at the launch's integers: thread, block and loop indices run over all of their values, whatever conditions hide, so
// the overhang of splits counts. A range may hold values that no thread computes, and misses none. So a launch that
// fits never wraps; interp, which knows nothing of this file, reports each value that does.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// Calls visit for the root of every index of the kernel, in the order of its statements; equal ones come again.
void forEachIndex(const Kernel& kernel, const std::function<void(IntExpr)>& visit);

class IndexRanges {
 public:
  // `ints`: one value per Kernel::intParams. The kernel must outlive this object.
  IndexRanges(const Kernel& kernel, std::span<const int64_t> ints);

  // Contains all values that the expression has in the launch; saturates at kRangeMin and kRangeMax.
  Range of(IntExpr expr);

 private:
  Range computed(IntExpr expr);
  Range ofSymbol(IntExpr symbol);

  const Kernel& kernel_;
  std::vector<std::optional<int64_t>> values_;  // of parameters, by IntNode::value of the symbol
  std::vector<std::optional<Range>> known_;     // by IntNode::id
};

// The first index that may not fit in a launch with these integers (one per Kernel::intParams), and its range; none if
// all fit.
struct OutsideIndex {
  IntExpr expr;
  Range range;
};
std::optional<OutsideIndex> firstOutside(const Kernel& kernel, std::span<const int64_t> ints);

// "(i0 * 4) may be 1200, and the device's index_bound is 1024"; "" if all indices of the launch fit.
std::string whyNotNarrow(const Kernel& kernel, std::span<const int64_t> ints);

}  // namespace fuser

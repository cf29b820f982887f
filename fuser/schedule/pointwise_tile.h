#pragma once
// PointWiseTile: blocks of several rows, where some input lacks the slow axes (a bias, a gain): what a thread loads of
// it serves all of the thread's rows.
//   %y = add(%x, %b)   x[i0, i1], b[i1]:   [i1/v/x (BIDy), x (TIDx), i0/4 (BIDx), 4, v], and b in the loops of i1 alone

#include <optional>
#include <string>
#include <vector>

#include "fuser/schedule/facts.h"

namespace fuser {

struct PointWiseTile {
  size_t outerAxes;                             // of the reference, the slowest ones in memory: rows
  int64_t threads;                              // along a row
  int64_t rows;                                 // of a thread, one after the other
  std::vector<const TensorView*> columnInputs;  // those that lack the outer axes
};

// The tile of a part that PointWise takes with vectors of `width` elements. None where no input lacks slow axes, where
// threads would stand past the end of rows, or where the device would have no block for each multiprocessor, nor one
// for each 1,024 elements.
std::optional<PointWiseTile> choosePointWiseTile(const Fusion& part, const ReferenceMap& map, int64_t width,
                                                 SizeFacts* sizes, const DeviceProperties& device);

}  // namespace fuser

#pragma once
// The loops of a scan along its axis, as its schedule makes them: blocks, outermost, each of which has as many places
// in a row as the loops inside it take; turns; threads. Lowering can build these alone (rule 27).

#include <optional>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

struct ScanLoops {
  size_t outermost = 0;                 // the depth of the outermost loop inside the blocks
  const IterDomain* threads = nullptr;  // that take a turn's places together; null: a thread takes one after another
  const IterDomain* blocks = nullptr;   // null: a line is in one block
};

// nullopt: they go along it in another way.
std::optional<ScanLoops> findScanLoops(const Expr* scan);

// The loop on blocks that goes along the axis of a scan, an index into its loop domain; nullopt: there is none. What
// reads the scan comes behind the loops inside it.
std::optional<size_t> blocksOfScan(const TensorView* tensor);

// Whether some tensor of these expressions, other than a scan, is needed both before blocks wait for each other and
// behind that: it would have to be kept. Otherwise each has its readers in the loops between two such places.
bool mustKeepAcrossScans(const std::vector<Expr*>& exprs);

}  // namespace fuser

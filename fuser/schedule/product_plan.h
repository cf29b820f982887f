#pragma once
// ProductPlan: the two sides of reductions whose terms pair the elements of one side with those of another, as products
// of matrices do, and the tiles in which a block goes through them.
//   matmul of %a [b, M, K] and %b [b, K, N]: M are the kept axes that one side has alone, N those of the other, which
//   has the one along which the results lie in memory; b are those of both, K the reduced ones
// The scheduler Matmul makes loops of it; Reduction leaves several such reductions to it.

#include <string>
#include <variant>
#include <vector>

#include "fuser/schedule/facts.h"
#include "fuser/schedule/padded_rows.h"
#include "fuser/types/mma_shape.h"

namespace fuser {

// What goes through shared memory: an input, or a tensor of the part that reads something at other coordinates.
struct SideTensor {
  const TensorView* tensor;
  bool isInput;
  bool ofRows;                            // it has M, else N
  bool fastestIsTerms;                    // its memory is fastest along K
  bool held;                              // what pairs the sides reads it, and no op of its own side
  std::vector<const TensorView*> makers;  // tensors of the part that it alone is made of, which run in its loops
  std::vector<const Expr*> readers;
  int copy = 0;  // of an input: which of its local copies, one for each way in which it is read

  // Whether the expression reads it as an operand.
  bool isReadBy(const Expr* reader, const Val* operand) const;
};

// Another local copy of an input, for those that read it in a way of their own.
struct InputCopy {
  const TensorView* input;
  std::vector<const Expr*> readers;
  int copy;
};

struct ProductPlan {
  std::vector<int> batch, m, n, k;  // positions of the reference's axes, slowest first in its memory
  std::vector<SideTensor> sides;    // in the order of the part, inputs first
  std::vector<InputCopy> copies;    // of sides' inputs, beside their first ones
  bool isOne = true;                // tiles that several reductions read connect them all
  int64_t threads = 0;              // along either side of a block
  int64_t rows = 0, columns = 0;    // of a thread, each every `threads`-th one of the block's
  int64_t terms = 0;                // along K of a turn
  int64_t parts = 1;                // blocks along K, where those along M and N are few: split-K
  // All sums are of products, in f32, of elements of tiles of f16 or bf16: warps make them (kernel.h, Mma). A block has
  // `rows` warps, each with 16 rows, and columns * 16 columns.
  bool byMma = false;

  int64_t lengthOf(const SideTensor& side) const { return (side.ofRows ? rows : columns) * threads; }
  int64_t threadsOfBlock() const { return byMma ? rows * MmaShape::kLanes : threads * threads; }
};

// The plan of a part whose reductions have one shape, which the map is over; or why it has none.
std::variant<ProductPlan, std::string> planProduct(const PartLoops& loops, const ReferenceMap& map, SizeFacts* sizes,
                                                   const DeviceProperties& device);

// Refuses several products, for other schedulers: those that Matmul does not take together are better off apart, with
// tiles of their own.
std::string whySeveralProducts(const PartLoops& loops, const ReferenceMap& map);

// Refuses reductions over pairs of more than a few elements of each side, for a scheduler whose blocks would read both
// sides whole.
std::string whyPairsReduced(const FusionView& view);

// Of the shared memory of one side's tile.
RowPadding paddingOf(const SideTensor& side, const ProductPlan& plan);

// Whether a tensor that the part computes has elements for pairs of both sides'.
bool isPaired(const TensorView* tensor, const ReferenceMap& map, const ProductPlan& plan);

}  // namespace fuser

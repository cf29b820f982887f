#pragma once
// Kernel IR: one GPU kernel as a small statement tree. Lowering builds it, codegen prints it, and three engines run it.
// One set of rules (verify.h) defines a valid kernel for all engines, and interp finds wrong lowering without a
// compiler or a GPU.
//
// Execution model: grid.x * grid.y * grid.z blocks of block.x * block.y * block.z threads. Every thread runs the body.
// A Local buffer is private to a thread, a Shared one to a block, a Global one is a tensor argument or a workspace,
// which all blocks share. Index expressions are IntExprs of the kernel's arena over: thread and block indices, For
// indices, loaded indices, integer parameters.
//
// Sizes, strides, offsets and indices are in elements. Pointers into the scheduled fusion (`source`, IntParam::extent)
// serve messages and the binding of arguments; they are null in a parsed kernel. Engines share a kernel and never
// modify it.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/iter_domain.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/ops/op_table.h"
#include "fuser/types/device_properties.h"
#include "fuser/types/int_expr.h"
#include "fuser/types/mma_shape.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// An integer argument of a kernel: an extent of the fusion, or a stride of a tensor argument (in elements).
struct IntParam {
  IntExpr symbol = nullptr;  // in the kernel's arena
  IntExpr extent = nullptr;  // of the scheduled fusion's arena; null for a stride
  int tensor = -1;           // stride: index in Kernel::tensors
  int axis = -1;             // stride: non-reduction logical axis of the tensor
};

struct ScalarParam {
  std::string name;
  DataType dtype;  // Double, Int64 or Bool
  const Val* source = nullptr;  // the scalar input of the scheduled fusion
};

struct Buffer {
  int id = 0;           // index in Kernel::buffers
  std::string name;     // "T3" or the value's name, an identifier
  DataType dtype = DataType::Float;
  MemoryType memory = MemoryType::Local;
  // In elements. Local, Shared: a constant. A workspace: over integer parameters. A tensor: null (the argument has it).
  IntExpr size = nullptr;
  int64_t offset = -1;  // Shared: its place in the block's shared memory, in bytes; -1: by its life (shared_layout.h)
  int tensor = -1;                     // a tensor: index in Kernel::tensors
  const TensorView* source = nullptr;  // of the scheduled fusion, for messages
};

// A global tensor argument.
struct TensorParam {
  int buffer = 0;
  size_t rank = 0;
  bool written = false;  // an output; an input is never written
  const TensorView* source = nullptr;
  // The argument, an input of the same sizes, whose elements an output holds before the launch; -1: none. AtomicAdds
  // alone access such an output.
  int startsAs = -1;
};

// Global memory of one launch alone, which its caller allocates and frees. A semaphore counts arrivals: only Barriers
// of the grid and a Release access it, it is zero before the launch, and the kernel leaves it zero. An error word tells
// the caller of an index that is out of its range: only Reports access it, and it is zero before the launch. Scratch
// memory is undefined until written.
struct Workspace {
  enum class Kind : uint8_t { Scratch, Semaphore, ErrorWord };
  int buffer = 0;
  Kind kind = Kind::Scratch;
};

// A semaphore counts the arrivals at barriers, then the blocks that have passed the last one: two i32.
constexpr int64_t kSemaphoreInts = 2;

// An error word has an i64 for each check of the kernel (Report::check): 0 while no Report came, else what `noteOf`
// makes of the least place that has a bad index, and of that index. So a maximum of notes, in any order, is that of
// all.
constexpr int64_t kNotedPlaces = int64_t{1} << 31;   // a place is below it
constexpr int64_t kNotedIndices = int64_t{1} << 32;  // an index is noted as the nearest one between its bounds
constexpr int64_t noteOf(int64_t place, int64_t index) {
  const int64_t bound = kNotedIndices - 1, near = index < -bound ? -bound : index > bound ? bound : index;
  return static_cast<int64_t>((static_cast<uint64_t>(kNotedPlaces - 1 - place) << 33) +
                              static_cast<uint64_t>(near + kNotedIndices));
}
constexpr int64_t placeOfNote(int64_t note) {
  return kNotedPlaces - 1 - static_cast<int64_t>(static_cast<uint64_t>(note) >> 33);
}
constexpr int64_t indexOfNote(int64_t note) { return (note & (2 * kNotedIndices - 1)) - kNotedIndices; }

// Elements buffer[index .. index + width).
struct Access {
  int buffer = 0;
  IntExpr index = nullptr;
};

// An operand of a Compute.
struct Operand {
  enum class Kind : uint8_t { Access, Param, Literal, Int } kind = Kind::Literal;
  Access access;                      // Access
  int param = 0;                      // Param: index in Kernel::scalars
  ScalarValue literal;                // Literal
  IntExpr integer = nullptr;          // Int: an integer expression as an i64 value
  std::optional<DataType> roundTo;    // Param, Literal: converted to this dtype first (row column `scalar`: Round)
};

struct Statement;
using Body = std::vector<Statement>;

// Declares a Local or Shared buffer for the rest of the enclosing body. Its content is undefined until written. A
// buffer has one Allocate; inside a loop, each iteration reuses the memory with undefined content.
struct Allocate {
  int buffer = 0;
};

// for (index = 0; index < extent; ++index) body. Extent is uniform over the threads of a block. Where `whole` holds, no
// iteration needs a predicate, and the loop is to be made twice. What is loaded into the buffers of `ahead` is to be
// loaded `turnsAhead` turns earlier. Both are on the way through lowering alone.
struct For {
  IntExpr index = nullptr;  // IntExprArena::index(name, extent), unique to this For; no For has the constant extent 1
  IntExpr extent = nullptr;
  bool unroll = false;
  Body body;
  IntExpr whole = nullptr;  // null: there is one such loop
  std::vector<int> ahead;   // Local buffers
  int64_t turnsAhead = 1;   // of their loads
  bool mma = false;         // its turns are to be the terms of Mmas, as those above on the way through lowering alone
};

struct If {
  IntExpr condition = nullptr;
  Body body;
};

// index = source, for the rest of the enclosing body: each thread that executes it reads the element once and keeps the
// integer, whatever is written to the element later. This is the model for gather and scatter.
//
// The integer must be in [low, extent). Expressions are simplified under that assumption, so a condition "index <
// extent" becomes the constant 1: no code after a LoadIndex can guard it. interp reports a value outside of the range;
// the compiled engines do not check it and access whatever address follows. So lowering must guard data that may hold
// any value before the load, with Computes, which are defined for every value: either it clamps the value (Maximum,
// Minimum, Where), or it computes whether the value is inside, 0 or 1, loads that as an index of its own, and loads the
// value under an If on it.
struct LoadIndex {
  IntExpr index = nullptr;  // IntExprArena::loaded(name, low, extent), unique to this LoadIndex
  IntExpr low = nullptr;    // low and extent are expressions of the integer parameters
  IntExpr extent = nullptr;
  Access source;            // an i32 or i64 element
};

// target[..width) = source[..width), of one dtype: a load, store or copy. If width > 1 it is a vector access: both
// indices are multiples of width and the addresses aligned to width * element size.
struct Move {
  Access target;
  Access source;
  int width = 1;
};

// target = op(operands): operands are converted to computeDtype (the condition of `where` to bool), a pointwise op of
// the table is applied, and its result (computeDtype or bool) is converted to the target's dtype. For Cast and Set the
// single operand is converted directly to the target's dtype, which is computeDtype.
struct Compute {
  OpKind op = OpKind::Set;
  DataType computeDtype = DataType::Float;
  Access target;
  std::vector<Operand> operands;
  const Expr* source = nullptr;  // of the scheduled fusion, for messages
};

// target = the value that `source` has in another thread of the same warp. Threads are numbered x + X * (y + Y * z) in
// their block, and warps are of device.warp neighbours. Xor: from thread i ^ lanes for thread i; a thread whose partner
// the block does not have gets an undefined element. First: from thread i - i % lanes. Both are Local, of one dtype;
// lanes is a power of two, and the threads that exchange are of one warp. Every thread of the block must arrive. It
// orders no accesses to memory, as a Barrier would.
struct Shuffle {
  enum class From : uint8_t { Xor, First };
  From from = From::Xor;
  int64_t lanes = 1;
  Access target;
  Access source;
};

// How many neighbouring threads may exchange by Shuffles: the largest power of two that divides the warp, at most 32.
int64_t shuffledLanes(const DeviceProperties& device);

// Joins another partial result of a variance to one, in place and in this order. A partial result is the mean of some
// terms, the sum of their squared deviations from it, and their count (B. P. Welford, "Note on a method for calculating
// corrected sums of squares and products", 1962); joinWelford (op_math.cuh) merges two of them (Chan, Golub and LeVeque
// 1979). The parts of the first are Local; those of the other may be in any memory. Mean and squares are of the dtype
// (f32 or f64), the count is i64.
struct JoinWelford {
  DataType dtype = DataType::Float;
  Access mean, squares, count;
  Access otherMean, otherSquares, otherCount;
  const Expr* sourceExpr = nullptr;
};

// Every thread of the block, or of the grid, must arrive. After it, all of them see what any of them wrote to shared
// and global memory before. Two threads that access one element, at least one of them writing, need a barrier of their
// block in between; threads of different blocks need one of the grid, for which all blocks must run at once
// (blocksAtOnce). The reason is for readers: the buffer that threads meet in, and whether they meet because some
// stored elements before, or because some loaded what is overwritten now.
struct Barrier {
  enum class After : uint8_t { Store, Load };
  int buffer = -1;  // -1: no reason is given
  After after = After::Store;
  int semaphore = -1;  // of the grid: the workspace in which blocks count; -1: of the block
  bool ofGrid() const { return semaphore >= 0; }
};

// The block has passed its last barrier of the grid; the last block to say so makes the semaphore zero.
struct Release {
  int semaphore = -1;
};

// An index is out of its range: its check's entry of the error word becomes the larger one of itself and of the note
// (noteOf), as unsigned numbers. What it ends as does not depend on the order of threads.
struct Report {
  int errorWord = -1;
  int64_t check = 0;             // which op of the kernel asks
  IntExpr place = nullptr;       // the row-major number of the element that it computes, below kNotedPlaces
  Access index;                  // an i32 or i64 element
  IntExpr extent = nullptr;      // of the axis, over integer parameters; for messages
  const Expr* source = nullptr;  // of the scheduled fusion, for messages
};

// target = target + source, which no other thread sees half done. What several threads add to one element, they add in
// any order: a sum of floats may have other bits in each run. Both are of one dtype: f32, f64, i32 or i64.
struct AtomicAdd {
  Access target;  // of a tensor that starts as another one (TensorParam::startsAs)
  Access source;
  const Expr* sourceExpr = nullptr;  // of the scheduled fusion, for messages
};

// sums = sums + left * right, of matrices of 16 x 16, 16 x 8 and 16 x 8 elements that the threads of a warp hold
// together: `mma.m16n8k16` of the PTX ISA ("Matrix Fragments for mma.m16n8k16 with floating point type"). Of lane l,
// with g = l / 4 and t = l % 4,
//   left[e]    is the element in row g + e / 2 % 2 * 8 and column 2t + e % 2 + e / 4 * 8, 8 of them
//   right[e]   is the element in row 2t + e % 2 + e / 2 * 8 and column g, 4 of them
//   sums[e]    is the element in row g + e / 2 * 8 and column 2t + e % 2, 4 of them
// All are Local: left and right are f16 or bf16, the sums f32. A product is exact; how a sum is rounded is the
// hardware's: addProducts (op_math.cuh) is one way. Every thread of the block must arrive, in whole warps of 32.
struct Mma : MmaShape {
  std::array<Access, 4> sums;
  int left = 0, right = 0;       // buffers of kLeft and kRight elements
  const Expr* source = nullptr;  // of the scheduled fusion, for messages
};

struct Statement {
  std::variant<Allocate, For, If, LoadIndex, Move, Compute, Shuffle, JoinWelford, Barrier, Release, Report, AtomicAdd,
               Mma>
      node;
};

struct Kernel {
  std::string name;  // an identifier, generated by the compiler
  std::shared_ptr<IntExprArena> ints = std::make_shared<IntExprArena>();  // copies of a kernel share it
  std::vector<Buffer> buffers;
  std::vector<TensorParam> tensors;  // order of the arguments: tensors, workspaces, integers, scalars
  std::vector<Workspace> workspaces;
  std::vector<IntParam> intParams;
  std::vector<ScalarParam> scalars;
  std::array<IntExpr, 3> threadIdx{};  // IntExprArena::index(name, constant(blockDim)): the constant 0 where that is 1
  std::array<IntExpr, 3> blockIdx{};   // IntExprArena::index(name, gridDim)
  std::array<int64_t, 3> blockDim{1, 1, 1};
  std::array<IntExpr, 3> gridDim{};    // expressions of the integer parameters
  DeviceProperties device = defaultDevice();  // whose limits it keeps
  bool contraction = false;            // a Mul and the Add that reads it become an Fma, by lowering
  bool copies = false;                 // only moves elements, of what other kernels made too
  // The width of index arithmetic: what index_bounds.h calls an index is computed in 32 bits where it is narrow, in 64
  // elsewhere. A narrow kernel runs only launches that fit. Int operands have 64 bits in any kernel.
  bool narrowIndices = false;
  bool fixedWidth = false;  // the schedule says the width; else each launch has the narrow one where it fits
  Body body;
};

}  // namespace fuser

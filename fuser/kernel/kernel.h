#pragma once
// Kernel IR: one GPU kernel as a small statement tree. Lowering builds it, three engines run it, codegen prints it. It
// stands between the two so that one set of rules (verify.h) says what a kernel may do, whoever runs it, and so that a
// wrong lowering is found by interp without a compiler or a GPU.
//
// Execution model: grid.x * grid.y * grid.z blocks of block.x * block.y * block.z threads. Every thread runs the body.
// A Local buffer is private to a thread, a Shared one to a block, a Global one is a tensor argument. Index expressions
// are IntExprs of the kernel's arena over: thread and block indices, For indices, loaded indices, integer parameters.
//
// Sizes, strides, offsets and indices are in elements. Pointers to expressions of the scheduled fusion (`source`,
// IntParam::extent) are for messages and for binding arguments; null in a kernel that was parsed. An engine only reads
// a kernel.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuser/ir/iter_domain.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/ops/op_table.h"
#include "fuser/types/int_expr.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// Integer argument of a kernel: an extent of the fusion, or a stride of a tensor argument (in elements).
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
  IntExpr size = nullptr;  // elements. Local, Shared: constant. Global: null (known from the argument)
  int tensor = -1;      // Global: index in Kernel::tensors
  const TensorView* source = nullptr;  // of the scheduled fusion, for messages
};

// A global tensor argument.
struct TensorParam {
  int buffer = 0;
  size_t rank = 0;
  bool written = false;  // an output; an input is never written
  const TensorView* source = nullptr;
};

// Elements buffer[index .. index + width).
struct Access {
  int buffer = 0;
  IntExpr index = nullptr;
};

// What a statement reads.
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
// buffer has one Allocate; where that stands in a loop, every iteration gives undefined content in the same place.
struct Allocate {
  int buffer = 0;
};

// for (index = 0; index < extent; ++index) body. Extent is uniform over the threads of a block.
struct For {
  IntExpr index = nullptr;  // IntExprArena::index(name, extent), of this For alone; no For is built over the constant 1
  IntExpr extent = nullptr;
  bool unroll = false;
  Body body;
};

struct If {
  IntExpr condition = nullptr;
  Body body;
};

// index = source, for the rest of the enclosing body: each thread that arrives reads the element here, once, and keeps
// the integer whatever is written to the element later. The model for gather and scatter.
//
// The integer lies in [low, extent), and expressions are simplified by that before anything runs: a condition that asks
// whether the index is below its extent is the constant 1. So nothing behind a LoadIndex can guard it. A value outside
// is a violation for interp; the compiled engines do not look, and go to whatever memory it leads to. The guard is
// lowering's: for data that may hold anything it computes, by rows of the op table, which are defined for every value,
// what is loaded: a value inside (Maximum, Minimum, Where), or whether it is inside, 0 or 1, an index of its own under
// whose If the value is loaded.
struct LoadIndex {
  IntExpr index = nullptr;  // IntExprArena::loaded(name, low, extent), of this LoadIndex alone
  IntExpr low = nullptr;    // low and extent: over the integer parameters
  IntExpr extent = nullptr;
  Access source;            // an i32 or i64 element
};

// target[..width) = source[..width), same dtype, between memories: a load or store, vector when width > 1 (then both
// indices are multiples of width and the addresses aligned to width * size). Local buffers are vectors' registers.
struct Move {
  Access target;
  Access source;
  int width = 1;
};

// target = op(operands): operands converted to computeDtype (where: the first to bool), one op of the table's pointwise
// rows, its result (computeDtype or bool) converted to the target's dtype. For Cast and Set the single operand is
// converted straight to the target's dtype and computeDtype is the target's dtype.
struct Compute {
  OpKind op = OpKind::Set;
  DataType computeDtype = DataType::Float;
  Access target;
  std::vector<Operand> operands;
  const Expr* source = nullptr;  // of the scheduled fusion, for messages
};

// target = the combination of `source` over all threads of the block along the given dims (the others keep their own);
// every thread of the block must arrive and every one gets the result. The order of combination is fixed: with n
// threads and values v[0..n): for (s = largest power of two below n; s > 0; s /= 2) each t < s with t + s < n does v[t]
// = combine(v[t], v[t + s]); the result is v[0]. t = x + X * (y + Y * z) over the reduced dims only. source and target
// are Local, of the compute dtype. It orders no other memory: it is no Barrier.
struct BlockReduce {
  OpKind combine = OpKind::Add;  // a pointwise row
  DataType dtype = DataType::Float;
  Access target;
  Access source;
  std::array<bool, 3> dims{};  // x, y, z
  const Expr* sourceExpr = nullptr;
};

// What Welford's method (Note on a method for calculating corrected sums of squares and products, 1962; parts joined as
// Chan, Golub and LeVeque 1979 do) knows of some terms, in each thread: their mean, the sum of their squared distances
// from it, and their number. In place: all threads of the block along the given dims get what they know together (the
// others keep their own), joined by joinWelford (op_math.cuh) in the order of BlockReduce; every thread must arrive.
// All three are Local: mean and squares of the dtype (f32 or f64), count i64.
struct BlockWelford {
  DataType dtype = DataType::Float;
  Access mean;
  Access squares;
  Access count;
  std::array<bool, 3> dims{};  // x, y, z
  const Expr* sourceExpr = nullptr;
};

// Every thread of the block must arrive. What the block's threads wrote to shared and global memory before, all of them
// see after. Two threads that touch one element, one of them writing, need a Barrier between; threads of different
// blocks never may.
struct Barrier {};

struct Statement {
  std::variant<Allocate, For, If, LoadIndex, Move, Compute, BlockReduce, BlockWelford, Barrier> node;
};

struct Kernel {
  std::string name;  // an identifier, made by us
  std::unique_ptr<IntExprArena> ints = std::make_unique<IntExprArena>();
  std::vector<Buffer> buffers;
  std::vector<TensorParam> tensors;   // argument order: tensors, ints, scalars
  std::vector<IntParam> intParams;
  std::vector<ScalarParam> scalars;
  std::array<IntExpr, 3> threadIdx{};  // IntExprArena::index(name, constant(blockDim)): the constant 0 where that is 1
  std::array<IntExpr, 3> blockIdx{};   // IntExprArena::index(name, gridDim)
  std::array<int64_t, 3> blockDim{1, 1, 1};
  std::array<IntExpr, 3> gridDim{};    // over the integer parameters
  bool contraction = false;            // multiply and add may become an FMA
  Body body;
};

}  // namespace fuser

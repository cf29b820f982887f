#pragma once
// The constraints of kernel IR. Lowering guarantees them; engines rely on them, but interp stays memory-safe without
// them.
//
//  1  buffers[i].id is i; a Global buffer and its TensorParam or Workspace name each other, another buffer names none
//  2  the kernel's and the buffers' names are identifiers
//  3  a Local or Shared buffer's size is a constant of at least 1; a workspace's is over integer parameters only; a
//     tensor has none
//  4  block sizes are at least 1, their product at most the device's threads_per_block; the grid is over integer
//     parameters only
//  5  threadIdx[d] is an index over blockDim[d], blockIdx[d] one over gridDim[d]; the constant 0 if that size is 1
//  6  each IntParam has a distinct symbol; a stride's tensor and axis exist; scalars are f64, i64 or bool
//  7  a Local or Shared buffer has one Allocate; a Global one has none
//  8  a Local or Shared buffer is used after its Allocate, in the Allocate's body
//  9  every symbol of an expression is a thread or block index, the index of an enclosing For, an index loaded before
//     in a body around it, or an integer parameter
// 10  a For's index is an index symbol over its extent, and no other For uses it
// 11  a For's extent is uniform in a block: no thread index and no loaded index in it
// 12  a Move keeps the dtype; its width is 1, 2, 4, 8 or 16, of at most 16 bytes
// 13  a Compute is Cast or Set with one operand and the target's dtype, or a pointwise row with as many operands as it
//     takes and a compute dtype that it accepts
// 14  an input tensor is never written
// 15  Shuffle and Barrier are under no condition over thread or loaded indices; a Barrier of the grid
//     under none, and in no loop whose extent depends on the block
// 16  a Shuffle is between Local buffers of one dtype; its lanes are a power of two, at most shuffledLanes for First,
//     and at most half of that for Xor
// 17  operands are complete: a Param exists, an Int and an Access have an expression, only literals and params have
//     roundTo; a Barrier's buffer exists
// 18  conditions are 0 or 1
// 19  the layout of shared memory is at most the device's opt_in_shared
// 20  a JoinWelford has three different Local buffers: mean and squares of its dtype, f32 or f64, and an i64 count; and
//     another three of the same dtypes, in any memory
// 21  a LoadIndex loads an i32 or i64; its index is a loaded index over its range, which no other LoadIndex uses; the
//     range is over integer parameters only, inside [kRangeMin, kRangeMax], and not provably empty
// 22  an access by a loaded index can be in bounds: the index' range is not entirely outside of the buffer
// 23  a semaphore is kSemaphoreInts of i32; only Barriers of the grid and one Release, the last statement of a kernel
//     that has such Barriers, name it
// 24  the device of a narrow kernel has an index_bound from 1 to 2^31
// 25  a Local buffer of more than one element is indexed by constants, once unrolled Fors of constant extents are
//     expanded: on chip means on chip, since an array that a variable indexes lies in a thread's local memory
// 26  no For is still to be made twice (unswitch), or to load ahead (double-buffer)
// 27  Shared buffers have an offset all or none, a multiple of 16; two that may be in use at once (SharedLives) share
//     no memory
// 28  an error word is a constant number, at least 1, of i64, and Reports alone name it; a Report has an error word
//     with an entry for its check, a place, a size over integer parameters, and an index that is i32 or i64
// 29  a tensor that starts as another one is an output, and that one an input of its dtype and rank; AtomicAdds alone
//     name the output; what an AtomicAdd adds, and adds to, is f32, f64, i32 or i64
// 30  an Mma is under no condition over thread or loaded indices; the block has whole warps of 32, and the device's
//     warps have so many; left and right are Local buffers of f16 or both of bf16, of Mma::kLeft and kRight elements,
//     the sums Local f32

#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct KernelViolation {
  int constraint;
  std::string message;  // with the statement's text
};

// All violations; empty if the kernel is well formed.
std::vector<KernelViolation> findKernelViolations(const Kernel& kernel);

// Throws a CheckError with the first violation, if any, and the kernel's text (unless its declarations are broken).
void verifyKernel(const Kernel& kernel);

}  // namespace fuser

#pragma once
// The text form of kernel IR, as `--print-after` and violations print it and tests write it.
//
//   kernel scale {
//     scalar a : f64
//     tensor x : f32 rank 1 argument 0
//     tensor y : f32 rank 1 argument 1 written
//     local t : f32 [1]
//     int i0 in [0, 1099511627776]
//     int s0 in [0, 1099511627776] = stride x 0
//     block 128, 1, 1
//     grid ((i0 + 127) // 128), 1, 1
//
//     if (((blockIdx.x * 128) + threadIdx.x) < i0) {
//       alloc t
//       t[0] = move x[(((blockIdx.x * 128) + threadIdx.x) * s0)]
//       t[0] = Mul f32 (t[0], $a as f32)
//       y[((blockIdx.x * 128) + threadIdx.x)] = move t[0]
//     }
//   }
//
// A buffer in shared memory has its place in bytes, `shared s : f32 [32] at 128`, or none yet. Other statements: `for
// i < 8 unroll {`, `for i < 8 unswitch (c) {` on the way through lowering, `A[0] = shuffle xor 16 (B[0])` and `A[0] =
// shuffle first 32 (B[0])` (Shuffle), `join f32 (M[0], S[0], N[0]) (P[i], Q[i], R[i])` (JoinWelford), `mma (C[0],
// C[1], C[2], C[3]) (A, B)` (Mma), `index q in [0, n) = x[threadIdx.x]` (LoadIndex; q is in scope to the end of the
// body), `A[0] = move B[0] width 4`, `barrier`, or with the reason `barrier (T3 stored)` and `barrier (T3 loaded)`; of
// the grid, by the semaphore S, `grid barrier S (T3 stored)`, and at the end `release S`. `report E check 0 at (place):
// T5[0] of n0` is a Report, and `atomic y[q] += t[0]` an AtomicAdd to a tensor that is declared as `tensor y : f32 rank
// 1 argument 1 written starts_as x`. Workspaces are declared as `workspace W : f32 [(n0 * 4)]`, `semaphore S` and
// `error_word E [2]`. Other operands: `2.5 as bf16`, `int(i0)`. The words `contraction`, `narrow` and `fixed_width`
// follow the name, in this order. The text contains
// everything except the pointers into the scheduled fusion (sources, IntParam::extent), which are null in a parsed
// kernel. Terms of sums and operands of min, max, == and * print in alphabetical order, but constants last, independent
// of the arena.

#include <memory>
#include <string>
#include <string_view>

#include "fuser/kernel/kernel.h"
#include "fuser/kernel/names.h"

namespace fuser {

// The text round-trips: parseKernel(printKernel(k)) prints the same text.
std::string printKernel(const Kernel& kernel);

// The statement without its body: "for i < 8 {".
std::string printStatement(const Kernel& kernel, const Statement& statement, const KernelNames& names);

std::string printIntExpr(IntExpr expr, const KernelNames& names);

// A UserError with the line number for a syntax error. Does not verify the kernel.
std::unique_ptr<Kernel> parseKernel(std::string_view text);

}  // namespace fuser

#pragma once
// The text form of kernel IR: what `--print-after` shows, what a violation quotes, what tests write.
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
// Other statements: `for i < 8 unroll {`, `A[0] = reduce Add f32 xy (B[0])` (BlockReduce over x and y),
// `welford f32 xy (M[0], S[0], N[0])` (BlockWelford of mean, squares and count),
// `index q in [0, n) = x[threadIdx.x]` (LoadIndex; q is named to the end of the body), `A[0] = move B[0] width 4`,
// `barrier`. Other operands: `2.5 as bf16`, `int(i0)`. `contraction` stands after the name.
// The text has everything but the pointers to the scheduled fusion (sources, IntParam::extent): a parsed kernel has
// null there. Terms of sums and operands of min, max, == and * stand in alphabetical order, whatever order the arena
// keeps.

#include <memory>
#include <string>
#include <string_view>

#include "fuser/kernel/kernel.h"
#include "fuser/kernel/names.h"

namespace fuser {

// parseKernel(printKernel(k)) prints the same text again.
std::string printKernel(const Kernel& kernel);

// The statement without its body: "for i < 8 {".
std::string printStatement(const Kernel& kernel, const Statement& statement, const KernelNames& names);

std::string printIntExpr(IntExpr expr, const KernelNames& names);

// A UserError with the line for text that is no kernel. The kernel is not verified.
std::unique_ptr<Kernel> parseKernel(std::string_view text);

}  // namespace fuser

#pragma once
// Kernels of a few instructions, for tests: what they leave in memory, the fault that they are, or the error that their
// text is.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "fuser/ptx/launch.h"
#include "fuser/support/check.h"
#include "fuser/support/diagnostic.h"

namespace fuser::ptx {

// The body of k(out, in), with %tid.x in %t, a cell of `out` of 4 bytes for each thread of the launch in [%o], and as
// many of `in`, which holds 0, 1, 2, …, in [%i].
struct Kernel {
  std::string body;
  std::string before{};  // variables and functions
  int64_t blocks = 1, threads = 32;
  uint64_t order = 0;
  bool outIsDefined = false;
  size_t dynamicSharedBytes = 0;
  Approximation approximation = Approximation::Nearest;
};

inline std::string moduleText(const Kernel& kernel) {
  return concat(R"(.version 9.0
.target sm_90
.address_size 64
)",
                kernel.before, R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .pred %p<9>;
.reg .b16 %h<9>;
.reg .b32 %r<20>, %t, %n, %c;
.reg .f32 %f<9>;
.reg .b64 %d<20>, %o, %i, %b;
ld.param.u64 %o, [out];
ld.param.u64 %i, [in];
mov.u32 %t, %tid.x;
mov.u32 %n, %ntid.x;
mov.u32 %c, %ctaid.x;
mov.u64 %b, %o;
mad.lo.s32 %r19, %c, %n, %t;
mul.wide.u32 %d19, %r19, 4;
add.s64 %o, %o, %d19;
add.s64 %i, %i, %d19;
)",
                kernel.body, "\nret;\n}\n");
}

// use(program, launch, out), with memory for `out` and `in`.
template <class Use>
void withLaunch(const Kernel& kernel, Use use) {
  const Module module = parsePtx(moduleText(kernel), "test.ptx");
  const Program program = makeProgram(module, "k", "test.ptx", kernel.approximation);
  const auto cells = static_cast<size_t>(kernel.blocks * kernel.threads);
  std::vector<uint32_t> out(cells, 0), in(cells);
  std::iota(in.begin(), in.end(), 0u);
  Launch launch;
  launch.grid = {kernel.blocks, 1, 1};
  launch.block = {kernel.threads, 1, 1};
  launch.order = kernel.order;
  launch.dynamicSharedBytes = kernel.dynamicSharedBytes;
  Region region{"out", reinterpret_cast<std::byte*>(out.data()), 4 * cells, 4, true, !kernel.outIsDefined, 0};
  launch.regions.push_back(region);
  region = {"in", reinterpret_cast<std::byte*>(in.data()), 4 * cells, 4, false, false, 0};
  launch.regions.push_back(region);
  launch.parameters.resize(16);
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t address = addressOfRegion(i, launch.regions[i]);
    std::memcpy(launch.parameters.data() + 8 * i, &address, 8);
  }
  use(program, launch, out);
}

inline std::vector<uint32_t> run(const Kernel& kernel) {
  std::vector<uint32_t> left;
  withLaunch(kernel, [&](const Program& program, const Launch& launch, const std::vector<uint32_t>& out) {
    runLaunch(program, launch);
    left = out;
  });
  return left;
}

// Thread 0 of each of so many blocks counts in [count], a variable, and waits for the others, between fences; then
// label B, which the other threads go to at once.
inline std::string meetingOf(int blocks) {
  return concat(R"(
setp.ne.s32 %p1, %t, 0;
@%p1 bra B;
membar.gl;
atom.global.add.u32 %r1, [count], 1;
L:
ld.volatile.global.u32 %r1, [count];
setp.lt.u32 %p2, %r1, )",
                blocks, R"(;
@%p2 bra L;
membar.gl;
B:
)");
}

// The kernel with the n-th place where its body says one thing, from 0, saying another.
inline Kernel changed(Kernel kernel, const std::string& from, const std::string& to, size_t which = 0) {
  size_t at = kernel.body.find(from);
  for (size_t i = 0; i < which; ++i) at = kernel.body.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from;
  kernel.body.replace(at, from.size(), to);
  return kernel;
}

inline std::string faultOf(const Kernel& kernel) {
  try {
    run(kernel);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_FAULT(kernel, part)                                   \
  do {                                                               \
    const std::string fault = faultOf(kernel);                       \
    EXPECT_TRUE(contains(fault, part)) << "the fault is: " << fault; \
  } while (false)

inline std::string errorOf(const Kernel& kernel) {
  try {
    run(kernel);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}
#define EXPECT_REFUSED(kernel, part)                                 \
  do {                                                               \
    const std::string error = errorOf(kernel);                       \
    EXPECT_TRUE(contains(error, part)) << "the error is: " << error; \
  } while (false)

}  // namespace fuser::ptx

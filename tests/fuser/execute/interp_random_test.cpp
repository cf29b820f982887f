// Random kernels on random small arguments: whatever they do, the interpreter touches no memory but theirs (run it
// under the address sanitizer), and how many blocks run in lockstep changes nothing.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "fuser/execute/engine.h"
#include "fuser/execute/interp_machine.h"
#include "tests/fuser/kernel/random_kernel.h"

namespace fuser::interp {
namespace {

struct Arguments {
  KernelArguments values;
  std::vector<std::vector<uint64_t>> memory;  // 8 bytes an element, so that any dtype is aligned

  // Bytes 0 and 1 only: bools are bools, floats are tiny.
  Arguments(const Kernel& kernel, bool orderly) {
    const auto number = [](int64_t low, int64_t high) {
      return *rc::gen::resize(100, rc::gen::inRange<int64_t>(low, high));
    };
    for (const TensorParam& param : kernel.tensors) {
      TensorRef ref;
      ref.dtype = kernel.buffers[static_cast<size_t>(param.buffer)].dtype;
      for (size_t axis = 0; axis < param.rank; ++axis)
        ref.sizes.push_back(orderly ? RandomKernel::kOrderlySize : number(0, 8) == 0 ? 0 : number(1, 30));
      ref.strides = contiguousStrides(ref.sizes);
      values.tensors.push_back(ref);
      const size_t bytes = static_cast<size_t>(numel(ref.sizes)) * dtypeSize(ref.dtype);
      memory.emplace_back((bytes + 7) / 8, uint64_t{0x0100010000010001});
    }
    for (const IntParam& param : kernel.intParams) {
      const Range range = param.symbol->range;
      values.ints.push_back(number(range.low, std::min<int64_t>(range.high, range.low + 10) + 1));
    }
    for (const ScalarParam& scalar : kernel.scalars)
      values.scalars.push_back(ScalarValue(number(-3, 4)).castTo(scalar.dtype));
    bindStrides(kernel, values);
  }

  // Runs on a copy of the tensors; the copy, or nothing when the launch was stopped.
  std::optional<std::vector<std::vector<uint64_t>>> run(const Program& program) const {
    std::vector<std::vector<uint64_t>> copy = memory;
    KernelArguments arguments = values;
    for (size_t i = 0; i < copy.size(); ++i) arguments.tensors[i].data = copy[i].data();
    Scratch scratch;
    try {
      runLaunch(program, arguments, scratch);
    } catch (const ViolationError&) {
      return std::nullopt;
    }
    return copy;
  }
};

RC_GTEST_PROP(InterpRandomTest, RunsBlocksTogetherOrAloneAlike, ()) {
  const bool orderly = *rc::gen::resize(100, rc::gen::inRange(0, 3)) > 0;
  const std::unique_ptr<Kernel> kernel = RandomKernel(orderly).make();
  const Arguments arguments(*kernel, orderly);
  Program program = compileKernel(*kernel);
  const auto together = arguments.run(program);
  const int64_t blocks = program.blocksTogether;
  program.blocksTogether = 1;
  const auto alone = arguments.run(program);
  RC_CLASSIFY(together.has_value() && blocks > 1, "ran in several blocks");
  RC_CLASSIFY(!together.has_value(), "stopped");
  RC_ASSERT(together.has_value() == alone.has_value());
  if (together) RC_ASSERT(*together == *alone);
}

}  // namespace
}  // namespace fuser::interp

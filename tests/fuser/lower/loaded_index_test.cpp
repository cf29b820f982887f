// Loaded indices through lowering's steps: conditions that data decides are merged and hoisted where nothing changes
// them between, and a gather, an op that only this test knows, goes through the steps inside schedules for other ops.
#include <gtest/gtest.h>

#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/lower/build_statements.h"
#include "fuser/lower/step_list.h"
#include "fuser/schedule/schedule.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

const golden::Texts kIndexTexts(
    "tests/fuser/lower/loaded_indices.txt", {}, [](const golden::Case& test) -> golden::Made {
      const std::unique_ptr<Kernel> kernel = parseKernel(test.input);
      verifyKernel(*kernel);
      const Fusion part("none");  // these two steps edit the kernel alone
      runMergeConditions(part, *kernel, ScheduleRules());
      verifyKernel(*kernel);
      const std::string merged = printKernel(*kernel);
      runHoistConditions(part, *kernel, ScheduleRules());
      verifyKernel(*kernel);
      return golden::Answers{{"merged", merged}, {"merged and hoisted", printKernel(*kernel)}};
    });

// --- the gather ---

// In the place of `mul(%x, %i)`, an op of the same shape: the element of %x at the integer in %i.
void gatherWhereItMultiplies(Kernel& kernel, Body& body, IntExpr size) {
  Body newBody;
  for (Statement& statement : body) {
    if (For* loop = std::get_if<For>(&statement.node)) gatherWhereItMultiplies(kernel, loop->body, size);
    if (If* branch = std::get_if<If>(&statement.node)) gatherWhereItMultiplies(kernel, branch->body, size);
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (compute && compute->op == OpKind::Mul) {
      IntExprArena& ints = *kernel.ints;
      LoadIndex load;
      load.source = compute->operands.at(1).access;
      load.low = ints.constant(0);
      load.extent = size;
      load.index = ints.loaded("q", load.low, load.extent);
      newBody.push_back({load});
      newBody.push_back({Move{compute->target, {compute->operands.at(0).access.buffer, load.index}, 1}});
    } else {
      newBody.push_back(std::move(statement));
    }
  }
  body = std::move(newBody);
}

// Lowered step by step with the schedule that the schedulers choose for elements of this number.
std::unique_ptr<Kernel> loweredWithGather(Fusion& part, int64_t elements) {
  SizeFacts sizes([&](IntExpr expr) { return evaluate(expr, [&](IntExpr) { return elements; }); });
  const FusionView view{&part, part.exprs(), part.inputs(), part.outputs(), &sizes};
  applySchedule(part, chooseSchedule(part, Schedulers().accepts(view).type, &sizes,
                                     std::vector<InputLayout>(part.inputs().size())));
  checkSchedule(part);
  auto kernel = std::make_unique<Kernel>();
  kernel->name = "gather";
  const ScheduleRules rules;
  StatementBuilder(part, *kernel, rules).build();
  gatherWhereItMultiplies(*kernel, kernel->body, kernel->intParams.at(0).symbol);
  runSynchronize(part, *kernel, ScheduleRules());
  runMergeConditions(part, *kernel, ScheduleRules());
  runHoistConditions(part, *kernel, ScheduleRules());
  verifyKernel(*kernel);
  return kernel;
}

// What the engines make of it: x[k] = k + 1, i[k] = 7 k mod n.
void expectOnEngines(const std::string& text, int64_t n, const std::vector<int64_t>& expected) {
  const std::unique_ptr<Fusion> part = parseFusion(text);
  const std::unique_ptr<Kernel> kernel = loweredWithGather(*part, n);
  EXPECT_NE(printKernel(*kernel).find("index q in [0, n0) = T1["), std::string::npos) << printKernel(*kernel);
  std::vector<int64_t> x;
  std::vector<int64_t> index;
  for (int64_t k = 0; k < n; ++k) {
    x.push_back(k + 1);
    index.push_back(7 * k % n);
  }
  const Kernel* const kernels[] = {kernel.get()};
  for (const auto& engine : {makeInterpEngine, makeCpuEngine}) {
    std::vector<int64_t> result(expected.size());
    KernelArguments arguments;
    arguments.tensors = {{x.data(), DataType::Int64, {n}, {1}, {}}, {index.data(), DataType::Int64, {n}, {1}, {}}};
    const bool reduced = kernel->tensors.at(2).rank == 0;
    arguments.tensors.push_back(
        {result.data(), DataType::Int64, reduced ? Dims{} : Dims{n}, reduced ? Dims{} : Dims{1}, {}});
    arguments.ints.assign(kernel->intParams.size(), n);
    bindStrides(*kernel, arguments);
    engine()->compile(kernels)[0]->launch(arguments);
    EXPECT_EQ(result, expected) << printKernel(*kernel);
  }
}

TEST(LoadedIndexTest, AGatherGoesThroughAPointwiseSchedule) {
  for (int64_t n : {1, 131, 1001}) {  // odd: no vectors are loaded into registers before
    std::vector<int64_t> expected;
    for (int64_t k = 0; k < n; ++k) expected.push_back(-(7 * k % n + 1));
    expectOnEngines("fusion f(%x: i64[i0], %i: i64[i0]) {\n  %g = mul(%x, %i)\n  %y = neg(%g)\n  return %y\n}", n,
                    expected);
  }
}

TEST(LoadedIndexTest, AGatherGoesThroughTheLoopsOfAReduction) {
  for (int64_t n : {1, 601, 3001}) {  // odd, as above; no multiple of 7: each element once
    expectOnEngines(
        "fusion f(%x: i64[i0], %i: i64[i0]) {\n  %g = mul(%x, %i)\n  %y = sum(%g) {dims = [0]}\n  return %y\n}", n,
        {n * (n + 1) / 2});
  }
}

}  // namespace
}  // namespace fuser

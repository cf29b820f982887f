// Each invariant is broken once, by an edit of what a stage made, and must say so; and each holds before the edit.

#include "oracle/invariants/invariants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "fuser/ir/builder.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/runtime/plan_groups.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/segment/unchecked_segments.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace oracle {

using namespace fuser;
namespace {

// Two kernels with a cut between, a buffer between them that is freed, a host scalar.
constexpr const char* kText = R"(
fusion f(%x: f32[i0, i1], %a: f64) {
  %b = mul(%a, 2.0)
  %s = sum(%x) {dims = [1]}
  %c = segment_set(%s)
  %y = mul(%c, %b)
  return %y
}
run { %x = normal(seed = 1) : f32[8, 40]  %a = 0.5 }
)";

// A compilation of kText, all of it open to edits.
struct Subject {
  Subject() {
    settings = settingsOf(testCase);
    AfterSchedule keeping([this](int segment, Fusion& part, Schedule& schedule) {
      parts.push_back(&part);
      schedules[segment] = schedule;
    });
    FusionExecutorCache::Settings observed = settings;
    observed.context.observers = {&keeping};
    program = buildProgram(*testCase.fusion, observed, {{16}}, inputs);
    presegmented = program->fusion.get();
    sizes.bindInputs(inputs);
    startRun();
    evaluateScalars();
  }
  Compilation compilation() {
    run.emplace(FinishedRun{*program, *evaluator, *scalars, inputs, callersMemory, outputs});
    return {*testCase.fusion, settings,       inputs, *presegmented, *program->segmented, parts,
            schedules,        *program->host, &*run};
  }
  // A run of the host scalars alone, in two steps.
  void startRun() {
    scalars.emplace(*testCase.fusion, sizes, 0);
    evaluator.emplace(*presegmented, &*scalars);
    evaluator->bindInputs(inputs);
  }
  void evaluateScalars() { evaluator->evaluate(scaled()); }
  Val* scaled() {
    const std::vector<Expr*>& exprs = presegmented->exprs();
    return (*std::find_if(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->isScalarExpr(); }))->output();
  }
  TensorRef& output() { return std::get<TensorRef>(outputs.front()); }
  // Those of the compilations to come.
  void observe(std::unique_ptr<CompileObserver> observer) {
    settings.context.observers.push_back(observers.emplace_back(std::move(observer)).get());
  }
  template <class Node>
  void removeNodes() {
    for (hir::HostExpr* node : hostExprsOf<Node>(*program->host)) program->host->remove(node);
  }
  template <class Node>
  void doubleNode() {
    program->host->append(hostExprsOf<Node>(*program->host).front()->node);
  }

  // The first free, on so many ways of an if in its place.
  void freeInAnIf(size_t ways) {
    hir::HostExpr* free = hostExprsOf<hir::Deallocate>(*program->host).front();
    hir::HostExpr* conditional = program->host->insertAfter(free, hir::IfThenElse{program->fusion->inputs().at(1)});
    for (size_t way = 0; way < ways; ++way) program->host->append(free->node, conditional, way);
    program->host->remove(free);
  }

  // The kernel that multiplies with %b, and that argument of it.
  Kernel& scaling() { return *program->kernels.at(1); }
  Operand argument() {
    Operand operand;
    operand.kind = Operand::Kind::Param;
    EXPECT_EQ(scaling().scalars.size(), 1u);
    return operand;
  }

  Case testCase = parseCase(kText, "case");
  RunData data = materialize(testCase, testCase.runs.front());
  std::vector<HostValue> inputs = hostValues(data);
  std::vector<std::optional<TensorRef>> callersMemory;
  std::array<float, 16> memory{};
  std::vector<HostValue> outputs{TensorRef{memory.data(), DataType::Float, {8}, {1}, {}}};
  FusionExecutorCache::Settings settings;
  std::vector<std::unique_ptr<CompileObserver>> observers;
  std::vector<const Fusion*> parts;
  std::map<int, Schedule> schedules;
  std::unique_ptr<CompiledProgram> program;
  Fusion* presegmented = nullptr;
  std::unique_ptr<Fusion> other;
  ExpressionEvaluator sizes{*testCase.fusion};
  std::optional<RunScalars> scalars;
  std::optional<ExpressionEvaluator> evaluator;
  std::optional<FinishedRun> run;
};

struct Break {
  std::string invariant;
  std::function<void(Subject&)> edit;
  std::string says;
};

// A pass that finds something new whenever it runs.
class NeverSettling final : public CompileObserver {
 public:
  void afterApplication(std::string_view pass, Fusion& fusion, bool& modified) override {
    if (pass != "RemoveEmptyPass" || turn_++ % 2 == 1) return;
    build::unary(fusion, OpKind::Neg, fusion.inputs()[0], "dead");
    modified = true;
  }

 private:
  int turn_ = 0;
};

void neverSettle(Subject& subject) { subject.observe(std::make_unique<NeverSettling>()); }

class FirstHostNodeLost final : public CompileObserver {
  void afterHost(HostIrContainer& host) override { host.remove(host.topLevel().front()); }
};

// The segments with an edit of their text.
std::function<void(Subject&)> retold(const std::string& from, const std::string& to) {
  return [=](Subject& subject) {
    std::string text = toString(*subject.program->segmented);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    subject.program->segmented = parseUnchecked(text, *subject.presegmented);
  };
}

// One statement more, on a register of its own: op(operand, operand).
void computeInKernel(Subject& subject, OpKind op, const Operand& operand) {
  Kernel& kernel = subject.scaling();
  Buffer buffer;
  buffer.id = static_cast<int>(kernel.buffers.size());
  buffer.name = "r";
  buffer.dtype = DataType::Double;
  buffer.size = kernel.ints->constant(1);
  kernel.buffers.push_back(buffer);
  kernel.body.push_back({Allocate{buffer.id}});
  Compute compute;
  compute.op = op;
  compute.computeDtype = DataType::Double;
  compute.target = {buffer.id, kernel.ints->constant(0)};
  compute.operands.assign(isPointwise(op) ? operandCount(op) : 1, operand);
  kernel.body.push_back({std::move(compute)});
}

// Loops i and j < 8 around acc[i + j] = acc[i + j] + acc[0], or acc[i + j + 1] = fma(1, 1, acc[i + j]): the recorded
// depth takes each turn for another element.
void accumulateAtSums(Subject& subject, bool byFma) {
  Kernel& kernel = *subject.program->kernels.at(0);
  std::optional<Compute> found;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (compute && compute->source && isReduction(compute->source->op()) && compute->operands.size() == 2)
      found = *compute;
  });
  ASSERT_TRUE(found);
  For outer, inner;
  outer.extent = inner.extent = kernel.ints->constant(8);
  outer.index = kernel.ints->index("i", outer.extent);
  inner.index = kernel.ints->index("j", inner.extent);
  found->target.index = found->operands[0].access.index = kernel.ints->add(outer.index, inner.index);
  found->operands[1] = found->operands[0];
  found->operands[1].access.index = kernel.ints->constant(0);
  if (byFma) {
    Operand factor;
    factor.kind = Operand::Kind::Literal;
    factor.literal = 1.0;
    found->op = OpKind::Fma;
    found->operands = {factor, factor, found->operands[0]};
    found->target.index = kernel.ints->add(found->target.index, kernel.ints->constant(1));
  }
  inner.body.push_back({*found});
  outer.body.push_back({std::move(inner)});
  kernel.body.push_back({std::move(outer)});
}

const std::vector<Break>& breaks() {
  static const std::vector<Break> all = {
      {"PassesSettle", neverSettle, "RemoveEmptyPass finds more to do in a second run"},
      {"PassesKeepInterface",
       [](Subject& subject) { subject.presegmented->addOutput(subject.presegmented->inputs()[0]); },
       "1 outputs became 2"},
      {"PassesKeepInterface", [](Subject& subject) { subject.presegmented->outputs()[0]->setOrigin(0); },
       "has another value's origin"},
      {"GroupsPartition",
       [](Subject& subject) { subject.program->segmented->removeEdge(subject.program->segmented->edges().front()); },
       "no edge brings %"},
      {"GroupsPartition", retold("inputs {%c, %b}", "inputs {%b}"), "%c is not an input of group 2"},
      {"GroupsPartition", retold("outputs {%c}", "outputs {}"), "%c is not an output of group 1"},
      {"GroupsPartition", retold("outputs {%y}", "outputs {%y, %s}"), "group 2 does not make its output %s"},
      {"GroupsPartition", retold("  edge 1 -> 2 %c\n", "  edge 1 -> 2 %c\n  edge 1 -> 2 %c\n"), "is there twice"},
      {"GroupsPartition", retold("edge 1 -> 2 %c", "edge 0 -> 2 %c"), "its source does not make the value"},
      {"GroupsPartition", retold("edge 0 -> 2 %b", "edge 0 -> 1 %b"), "its target does not read the value"},
      {"GroupsPartition", retold("{%s, %c}", "{%c}"), "%s is in no group"},
      {"GroupsPartition", retold("{%y} inputs {%c, %b}", "{%c, %y} copies {%c} inputs {%s, %b}"),
       "group 1 has a copy of %c and does not read it"},
      {"CutsHold", [](Subject& subject) { subject.program->segmented = segmentAsOne(*subject.presegmented); },
       "holds both ends of %c, a segment_set between two parts"},
      {"KernelsTakeScalars", [](Subject& subject) { subject.removeNodes<hir::EvaluateScalars>(); },
       "evaluated 0 times"},
      {"KernelsTakeScalars", [](Subject& subject) { subject.doubleNode<hir::EvaluateScalars>(); }, "evaluated 2 times"},
      {"KernelsTakeScalars", [](Subject& subject) { computeInKernel(subject, OpKind::Mul, subject.argument()); },
       "computes Mul of its scalar arguments alone"},
      {"KernelsTakeScalars",
       [](Subject& subject) {
         IntExprArena& ints = *subject.scaling().ints;
         Operand integer;
         integer.kind = Operand::Kind::Int;
         integer.integer = ints.mul(subject.scaling().intParams.at(0).symbol, ints.constant(2));
         computeInKernel(subject, OpKind::Set, integer);
       },
       "computes an integer operand of Set"},
      {"KernelsTakeScalars",
       [](Subject& subject) {
         computeInKernel(subject, OpKind::Set, subject.argument());
         std::get<Compute>(subject.scaling().body.back().node).source = subject.scaled()->definition();
       },
       "computes host scalar %b"},
      {"ScalarsOnce", [](Subject& subject) { subject.parts.push_back(subject.presegmented); },
       "computes host scalar %b"},
      {"ScalarsOnce",
       [](Subject& subject) {
         SegmentedFusion& segmented = *subject.program->segmented;
         segmented.setSchedulerType(segmented.groups().back(), SchedulerType::ExprEval);
       },
       "a tensor, is in group"},
      {"RunsScalarsOnce", [](Subject& subject) { subject.scalars->keep(subject.scaled(), 1.0); },
       "computes host scalar %b again"},
      {"RunsScalarsOnce",
       [](Subject& subject) { subject.sizes.evaluate(subject.testCase.fusion->exprs()[0]->output()); },
       "computes host scalar %b again"},
      {"RunsScalarsOnce", [](Subject& subject) { subject.startRun(); },
       "no evaluator of the run computes host scalar %b"},
      {"ScalarsKeepValues",
       [](Subject& subject) { subject.scaled()->setOrigin(subject.presegmented->inputs()[1]->origin()); },
       "host scalar %b is 1.0, and its origin is 0.5"},
      {"ScalarsKeepValues",
       [](Subject& subject) {
         subject.startRun();
         subject.scalars->keep(subject.scaled(), 7.0);
         subject.evaluateScalars();
       },
       "a run takes 7.0 for host scalar %b = 1.0"},
      {"DepthsCover", [](Subject& subject) { accumulateAtSums(subject, false); }, "%s of k0_reduction takes "},
      {"DepthsCover", [](Subject& subject) { accumulateAtSums(subject, true); }, "%s of k0_reduction takes "},
      {"OutputsLie", [](Subject& subject) { subject.output().strides = {2}; },
       "output %y has strides [2] of its own, promised [1]"},
      {"OutputsLie", [](Subject& subject) { subject.output().strides = {0}; },
       "output %y has strides [0] of its own, promised [1]"},
      {"OutputsLie", [](Subject& subject) { subject.output().data = std::get<TensorRef>(subject.inputs[0]).data; },
       "output %y lies in the memory of %x"},
      {"OutputsLie",
       [](Subject& subject) {
         subject.callersMemory = {subject.output()};
         subject.callersMemory[0]->data = &subject.memory[8];
       },
       "output %y does not lie in the memory that the caller gives"},
      {"SegmentsText", [](Subject& subject) { subject.presegmented->outputs()[0]->setName("a b"); }, ""},
      {"SchedulesReplay",
       [](Subject& subject) {
         for (auto& [segment, schedule] : subject.schedules) {
           for (Transform& transform : schedule) {
             if (transform.kind == TransformKind::Split) transform.factor = 3;
           }
         }
       },
       ""},
      {"KernelText", [](Subject& subject) { subject.program->kernels[0]->name = "a b"; }, ""},
      {"HostDefinesBeforeUse", [](Subject& subject) { subject.removeNodes<hir::Allocate>(); },
       "is read where it does not exist"},
      {"HostFreesOnce", [](Subject& subject) { subject.removeNodes<hir::Deallocate>(); }, "is freed 0 times and not 1"},
      {"HostFreesOnce", [](Subject& subject) { subject.doubleNode<hir::Deallocate>(); }, "is freed 2 times and not 1"},
      {"HostFreesOnce", [](Subject& subject) { subject.freeInAnIf(1); }, "is freed on one way of an if alone"},
      {"HostText", [](Subject& subject) { subject.program->kernels[0]->name = "a b"; }, ""},
      {"CompilesAlike", [](Subject& subject) { subject.observe(std::make_unique<FirstHostNodeLost>()); },
       "gives another program"},
  };
  return all;
}

TEST(InvariantsTest, EachHoldsForACorrectCompilation) {
  Subject subject;
  for (const Invariant& invariant : allInvariants())
    EXPECT_EQ(invariant.check(subject.compilation()), "") << invariant.name;
}

// The host cannot evaluate what only a tensor's data say.
TEST(InvariantsTest, AcceptsArithmeticOnALoadedIndex) {
  Subject subject;
  Kernel& kernel = subject.scaling();
  LoadIndex load;
  load.low = kernel.ints->constant(0);
  load.extent = kernel.ints->constant(9);
  load.index = kernel.ints->loaded("q", load.low, load.extent);
  load.source = {kernel.tensors.at(0).buffer, kernel.ints->constant(0)};
  kernel.body.push_back({load});
  Operand integer;
  integer.kind = Operand::Kind::Int;
  integer.integer = kernel.ints->mul(load.index, kernel.ints->constant(2));
  computeInKernel(subject, OpKind::Set, integer);
  computeInKernel(subject, OpKind::Mul, integer);
  for (const Invariant& invariant : allInvariants()) {
    if (invariant.name != "KernelsTakeScalars") continue;
    EXPECT_EQ(invariant.check(subject.compilation()), "");
  }
}

// a * b - s in one fma.
TEST(InvariantsTest, AcceptsTheNegatedArgumentOfASubtraction) {
  Subject subject;
  const auto difference = parseFusion("fusion f(%a: f32[i0], %s: f32) { %y = sub(%a, %s) return %y }");
  computeInKernel(subject, OpKind::Neg, subject.argument());
  std::get<Compute>(subject.scaling().body.back().node).source = difference->exprs().at(0);
  for (const Invariant& invariant : allInvariants()) {
    if (invariant.name != "KernelsTakeScalars") continue;
    EXPECT_EQ(invariant.check(subject.compilation()), "");
  }
}

TEST(InvariantsTest, AFreeInBothBranchesCountsOnce) {
  Subject subject;
  subject.freeInAnIf(2);
  for (const Invariant& invariant : allInvariants()) {
    if (invariant.name != "HostFreesOnce") continue;
    EXPECT_EQ(invariant.check(subject.compilation()), "");
  }
}

TEST(InvariantsTest, EachDetectsItsViolation) {
  for (const Break& broken : breaks()) {
    Subject subject;
    broken.edit(subject);
    for (const Invariant& invariant : allInvariants()) {
      if (invariant.name != broken.invariant) continue;
      std::string problem;
      try {
        problem = invariant.check(subject.compilation());
      } catch (const std::exception& error) {
        problem = error.what();
      }
      EXPECT_NE(problem, "") << broken.invariant;
      EXPECT_NE(problem.find(broken.says), std::string::npos) << broken.invariant << ": " << problem;
    }
  }
}

TEST(InvariantsTest, EachIsBrokenByATest) {
  for (const Invariant& invariant : allInvariants()) {
    EXPECT_TRUE(std::any_of(breaks().begin(), breaks().end(), [&](const Break& broken) {
      return broken.invariant == invariant.name;
    })) << invariant.name;
  }
}

TEST(InvariantsTest, EveryFileHasALine) {
  for (const auto& entry : std::filesystem::directory_iterator("oracle/invariants")) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(".cpp") || file == "invariants.cpp") continue;
    EXPECT_TRUE(std::any_of(allInvariants().begin(), allInvariants().end(), [&](const Invariant& invariant) {
      return invariant.file == file;
    })) << file;
  }
}

std::vector<std::string> problemsWith(const std::vector<CompileObserver*>& observers,
                                      std::optional<InvariantStage> faulty = std::nullopt) {
  const Case testCase = parseCase(kText, "case");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers = observers;
  InvariantObserver observer(*testCase.fusion, true, faulty);
  observer.watch(settings);
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  buildProgram(*testCase.fusion, settings, layouts, inputs);
  EXPECT_EQ(observer.compilations(), 1u);
  return observer.problems();
}

class NothingFreed final : public CompileObserver {
  void afterHost(HostIrContainer& host) override {
    for (hir::HostExpr* node : hostExprsOf<hir::Deallocate>(host)) host.remove(node);
  }
};

TEST(InvariantObserverTest, ReportsABrokenHostIrUnderItsName) {
  EXPECT_EQ(problemsWith({}), std::vector<std::string>{});
  NothingFreed fault;
  EXPECT_EQ(problemsWith({&fault}), std::vector<std::string>{"HostFreesOnce: %c is freed 0 times and not 1"});
}

// Adds an observer to the caches of segments alone.
class InSegmentCaches final : public CompileObserver {
 public:
  explicit InSegmentCaches(CompileObserver& inner) : inner_(inner) {}
  void beforeSegmentCache(const Fusion&, CacheSettings& settings) override {
    settings.context.observers.push_back(&inner_);
  }

 private:
  CompileObserver& inner_;
};

// With a merge predicate, what no scheduler was asked about is compiled when it runs, in a cache of its own.
TEST(InvariantObserverTest, SeesIntoCachesOfSegments) {
  const auto problemsWhere = [](bool broken) {
    Case testCase = parseCase(kText, "case");
    testCase.options.mergePredicate = MergePredicate::Always;
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    NothingFreed fault;
    InSegmentCaches planting(fault);
    if (broken) settings.context.observers = {&planting};
    InvariantObserver observer(*testCase.fusion, true);
    observer.watch(settings);
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    const RunData data = materialize(testCase, testCase.runs.front());
    FusionExecutorCache(fusion, settings).run(hostValues(data));
    return observer.problems();
  };
  EXPECT_EQ(problemsWhere(false), std::vector<std::string>{});
  EXPECT_EQ(problemsWhere(true), std::vector<std::string>{"HostFreesOnce: %c is freed 0 times and not 1"});
}

// Whoever plants a fault in a stage is not caught by that stage's own verifiers.
TEST(InvariantObserverTest, SkipsInvariantsOfAStageWithAPlantedFault) {
  AfterPasses fault([](Fusion& fusion) { fusion.outputs()[0]->setOrigin(*fusion.inputs()[0]->origin()); });
  EXPECT_EQ(problemsWith({&fault}, InvariantStage::Passes), std::vector<std::string>{});
  EXPECT_EQ(problemsWith({&fault}, InvariantStage::Kernels).size(), 1u);
  EXPECT_EQ(problemsWith({&fault}).size(), 1u);
}

}  // namespace
}  // namespace oracle

// Cases on streams: the passes of the host program change no bit of the outputs, and of programs drawn here leave no
// synchronization that orders nothing. One that is missing is reported.

#include <algorithm>

#include "fuser/text/parser.h"
#include "fuzz/generate/streams.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"
#include "tests/in_full.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"
#include "tests/properties/output_bytes.h"

namespace fuser {
namespace {

constexpr const char* kPasses[] = {"FuseStreamLoopsPass", "StreamSlicesPass", "RedundantSynchronizationsPass"};

// Passes whose bit is 0 are off.
std::set<std::string> passesOff(unsigned on) {
  std::set<std::string> off;
  for (unsigned i = 0; i < std::size(kPasses); ++i) {
    if ((on >> i & 1) == 0) off.insert(kPasses[i]);
  }
  return off;
}

// What forms the programs had.
struct Forms {
  size_t loops = 0, fused = 0, sliced = 0, joins = 0;
};

std::string run(const Case& testCase, const std::vector<HostValue>& inputs, unsigned passes,
                const StreamSettings& streams, bool record, std::string& text,
                std::shared_ptr<Engine> engine = nullptr) {
  FusionExecutorCache::Settings settings = interpSettings(testCase);
  settings.context.options.disabledPasses = passesOff(passes);
  settings.streams = streams;
  settings.record = record;
  settings.engine = std::move(engine);
  AfterHost printing([&](HostIrContainer& program) { text = toString(program); });
  settings.context.observers = {&printing};
  const OutputMemory memory = outputMemory(testCase, inputs);
  const std::string bytes = bytesOf(makeCache(testCase, settings)->run(inputs, memory.refs));
  RC_ASSERT(std::all_of(memory.blocks.begin(), memory.blocks.end(), keptPoison));
  return bytes;
}

size_t countOf(const std::string& part, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// With every combination of the passes, any number of streams and any order of their work, every access in order.
TEST(StreamProperties, PassesChangeNoBitOfTheOutputs) {
  Forms forms;
  checkProperty(inFull() ? 250 : 100, [&](const fuzz::ArbitraryCase& generated) {
    Case testCase = cloneCase(*generated);
    fuzz::Choices choices(*rc::gen::inRange<uint64_t>(0, 1000), 0);
    if (!fuzz::spreadOverStreams(testCase, choices) || !testCase.aliases.empty() || !givesOutputs(testCase)) return;
    const StreamSettings streams{*rc::gen::inRange<size_t>(1, 6), true, *rc::gen::arbitrary<uint64_t>(), {}};
    const RunData data = materialize(testCase, testCase.runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    std::string plain, text;
    const std::string expected = run(testCase, inputs, 0, streams, false, plain);
    forms.loops += countOf("  for ", plain) > 0;
    for (unsigned passes = 1; passes < 8; ++passes) {
      RC_ASSERT(run(testCase, inputs, passes, streams, passes % 3 == 0, text) == expected);
      if (passes == 1) forms.fused += countOf("  for ", text) < countOf("  for ", plain);
      forms.sliced += text.find("sliced_axis") != std::string::npos;
      forms.joins += text.find("in streams of") != std::string::npos;
    }
    // A run that is to show every value has a kernel for each op on streams: a sum may add in another order than above.
    testCase.options.probes = true;
    RC_ASSERT(run(testCase, inputs, 7, streams, true, text) == run(testCase, inputs, 0, streams, false, text));
  });
  std::printf("%zu loops, %zu fused, %zu sliced, %zu joins\n", forms.loops, forms.fused, forms.sliced, forms.joins);
  EXPECT_GT(forms.loops, 10u);
  EXPECT_GT(forms.fused, 2u);
  EXPECT_GT(forms.sliced, 5u);
  EXPECT_GT(forms.joins, 20u);
}

// Memory of the caller's for an output, of any layout.
std::string drawMemory(size_t output) {
  return concat("preallocate %v", output, " {allocation_order = ", *rc::gen::arbitrary<bool>() ? "[1, 0]" : "[0, 1]",
                ", gaps = [", *rc::gen::inRange(0, 3), ", ", *rc::gen::inRange(0, 3),
                "], offset = ", *rc::gen::inRange(0, 3), "}\n");
}

// Ops over a matrix, square or not, each of results before it, on streams or not; some outputs to given memory.
std::string drawProgram(bool square) {
  const size_t ops = *rc::gen::inRange<size_t>(1, 7);
  std::vector<bool> turned{false};  // whether %v is [i1, i0]
  std::string body, settings;
  std::vector<bool> read(ops + 1, false);
  for (size_t i = 1; i <= ops; ++i) {
    const size_t a = *rc::gen::inRange<size_t>(0, i), b = *rc::gen::inRange<size_t>(0, i);
    const int kind = *rc::gen::inRange(0, 5);
    const bool binary = (kind == 2 || kind == 3) && (square || turned[a] == turned[b]);
    body += kind == 1   ? concat("  %v", i, " = permute(%v", a, ") {dims = [1, 0]}\n")
            : kind == 4 ? concat("  %v", i, " = set(%v", a, ")\n")
            : binary    ? concat("  %v", i, " = sub(%v", a, ", %v", b, ")\n")
                        : concat("  %v", i, " = neg(%v", a, ")\n");
    turned.push_back(kind == 1 ? !turned[a] : turned[a]);
    read[a] = true;
    if (binary) read[b] = true;
    const int axis = *rc::gen::inRange(-1, 2);
    if (axis >= 0) settings += concat("stream %v", i, " {dim = ", axis, "}\n");
  }
  std::string outputs;
  for (size_t i = 1; i <= ops; ++i) {
    if (read[i] && *rc::gen::inRange(0, 5) != 0) continue;
    outputs += concat(outputs.empty() ? "%v" : ", %v", i);
    if (*rc::gen::inRange(0, 3) == 0) settings += drawMemory(i);
  }
  return concat("fusion f(%v0: f32[i0, ", square ? "i0" : "i1", "]) {\n", body, "  return ", outputs, "\n}\n",
                settings);
}

// On streams of a device, too, in whatever order they do their work.
TEST(StreamProperties, DeviceStreamsGiveTheSameResults) {
  CudaStandIn standIn;
  size_t loops = 0, preallocated = 0;
  checkProperty(16, [&] {
    const Case testCase = parseCase(concat(drawProgram(true), "run { %v0 = normal(seed = 1) : f32[4, 4] }\n"), "drawn");
    const RunData data = materialize(testCase, testCase.runs.front());
    const StreamSettings streams{*rc::gen::inRange<size_t>(1, 6), true, 0, {}};
    std::string text;
    const std::string expected = run(testCase, hostValues(data), 7, streams, false, text);
    standIn.choose = [choices = fuzz::Choices(*rc::gen::inRange<uint64_t>(0, 1000), 0)](size_t ready) mutable {
      return choices.index(ready);
    };
    RC_ASSERT(run(testCase, hostValues(data), 7, streams, true, text, standIn.makeEngine()) == expected);
    loops += countOf("  for ", text) > 0;
    preallocated += !testCase.preallocated.empty();
  });
  EXPECT_GT(loops, 5u);
  EXPECT_GT(preallocated, 2u);
  EXPECT_GT(standIn.launchesOnStreams, 30u);
  EXPECT_EQ(standIn.foreignArguments, 0u);
  EXPECT_EQ(standIn.allocations(), 0);
}

// The outputs of a run without the synchronization number `dropped`, where one is named. synchronizations: how many
// there are.
std::string runWithout(const Case& testCase, std::optional<size_t> dropped, const StreamSettings& streams,
                       size_t& synchronizations) {
  FusionExecutorCache::Settings settings = interpSettings(testCase);
  settings.streams = streams;
  AfterHost dropping([&](HostIrContainer& host) {
    const std::vector<hir::HostExpr*> all = hostExprsOf<hir::Synchronize>(host);
    synchronizations = std::max(synchronizations, all.size());  // of the devices, each of which has a program
    if (dropped && *dropped < all.size()) host.remove(all[*dropped]);
  });
  settings.context.observers = {&dropping};
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const OutputMemory memory = outputMemory(testCase, inputs);
  return bytesOf(makeCache(testCase, settings)->run(inputs, memory.refs));
}

// Whether a run reports two accesses without order.
bool reports(const Case& testCase, std::optional<size_t> dropped, size_t streams, size_t& synchronizations) {
  try {
    runWithout(testCase, dropped, {streams, true, 0, {}}, synchronizations);
    return false;
  } catch (const ViolationError&) {
    return true;
  }
}

bool reports(const std::string& program, int64_t rows, int64_t columns, size_t streams, std::optional<size_t> dropped,
             size_t& synchronizations) {
  const std::string run = concat("run { %v0 = normal(seed = 1) : f32[", rows, ", ", columns, "] }\n");
  return reports(parseCase(program + run, "drawn"), dropped, streams, synchronizations);
}

// Of campaign cases, where sizes may leave some of them nothing to order: a run without one is reported, or gives the
// same in the orders that are tried.
TEST(StreamProperties, ASynchronizationThatIsMissingIsReportedOrOrdersNothing) {
  size_t reported = 0, needless = 0;
  checkProperty(120, [&](const fuzz::ArbitraryCase& generated) {
    Case testCase = cloneCase(*generated);
    fuzz::Choices choices(*rc::gen::inRange<uint64_t>(0, 1000), 0);
    if (!fuzz::spreadOverStreams(testCase, choices) || !testCase.aliases.empty() || !givesOutputs(testCase)) return;
    size_t count = 0;
    const std::string expected = runWithout(testCase, std::nullopt, {2, true, 0, {}}, count);
    for (size_t dropped = 0; dropped < count; ++dropped) {
      if (reports(testCase, dropped, 2, count) || reports(testCase, dropped, 3, count) ||
          reports(testCase, dropped, 4, count)) {
        ++reported;
        continue;
      }
      ++needless;
      RC_LOG() << "without synchronization " << dropped << "\n";
      for (uint64_t seed = 0; seed < 6; ++seed)
        RC_ASSERT(runWithout(testCase, dropped, {2 + seed % 3, false, seed, {}}, count) == expected);
    }
  });
  EXPECT_GT(reported, 100u);
  EXPECT_GT(needless, 0u) << "no run without a report was compared";
}

constexpr int64_t kSizes[][2] = {{3, 3}, {1, 4}, {4, 1}, {2, 5}}, kSquares[][2] = {{3, 3}, {2, 2}, {4, 4}, {5, 5}};

// Each synchronization that is left orders something in some run; with all of them no run lacks an order.
TEST(StreamProperties, EveryRemainingSynchronizationOrdersSomething) {
  size_t dropped = 0, programs = 0, preallocated = 0;
  checkProperty(150, [&] {
    const bool square = *rc::gen::inRange(0, 3) == 0;
    std::string program = drawProgram(square);
    // What turns of others make is read too early where loops are one that must not be: an order, and a wrong one.
    const Case testCase = parseCase(concat(program, "run { %v0 = normal(seed = 1) : f32[4, 4] }\n"), "drawn");
    const RunData data = materialize(testCase, testCase.runs.front());
    std::string text;
    RC_ASSERT(run(testCase, hostValues(data), 7, {}, false, text) ==
              run(testCase, hostValues(data), 0, {}, false, text));
    if (*rc::gen::inRange(0, 2) == 0) program += "option disable pass FuseStreamLoopsPass\n";
    const auto& sizes = square ? kSquares : kSizes;
    RC_LOG() << program;
    size_t count = 0;
    for (const auto& [rows, columns] : sizes) {
      for (size_t streams : {2, 3, 5}) RC_ASSERT(!reports(program, rows, columns, streams, std::nullopt, count));
    }
    programs += count > 0;
    preallocated += count > 0 && !testCase.preallocated.empty();
    for (size_t each = 0; each < count; ++each) {
      bool reported = false;
      for (const auto& [rows, columns] : sizes) {
        for (size_t streams : {2, 5}) reported = reported || reports(program, rows, columns, streams, each, count);
      }
      RC_LOG() << "without synchronization " << each << "\n";
      RC_ASSERT(reported);
      ++dropped;
    }
  });
  EXPECT_GT(programs, 75u);
  EXPECT_GT(preallocated, 25u);
  EXPECT_GT(dropped, 200u);
}

}  // namespace
}  // namespace fuser

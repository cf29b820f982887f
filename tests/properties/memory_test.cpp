// The peak of a run's memory against the sum of the values that live at each step, worked out from the host program's
// text.

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/streams.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

// From the step that makes a tensor to the one that frees it.
struct Life {
  std::string name;
  size_t from = 0, to = ~size_t{0};
  int64_t bytes = 0;
};

// What a line makes: "allocate %t: …", "compute (%a, %b) from …"
std::vector<std::string> madeBy(const std::string& line) {
  std::vector<std::string> names;
  std::string part;
  if (line.rfind("allocate %", 0) == 0) part = line.substr(9, line.find(':') - 9);
  if (line.rfind("compute (", 0) == 0) part = line.substr(9, line.find(')') - 9) + ",";
  for (size_t at = part.find('%'); at != std::string::npos; at = part.find('%', at + 1)) {
    names.push_back(part.substr(at + 1, part.find(',', at) - at - 1));
  }
  return names;
}

// Of "allocate %t: f32[i0, i1] {sliced_axis = 1}": 1.
std::optional<size_t> slicedAxis(const std::string& line) {
  const std::string key = "{sliced_axis = ";
  const size_t place = line.find(key);
  return place == std::string::npos ? std::nullopt : std::optional<size_t>(std::stoul(line.substr(place + key.size())));
}

// A program of one device says after an arrow what it makes: "device 0 of [0, 1] (%t0) -> (%t1.l1)", parts of outputs.
std::vector<std::string> resultsOf(const std::string& text, const Fusion& fusion) {
  std::vector<std::string> names;
  const size_t device = text.find("\n  device "), arrow = text.find("-> (", device);
  if (device != std::string::npos) return madeBy("compute (" + text.substr(arrow + 4, text.find('\n', arrow) - arrow));
  for (const Val* output : fusion.outputs()) names.push_back(output->name());
  return names;
}

const TensorView* tensorOf(const Fusion& fusion, const std::string& name) {
  for (const std::unique_ptr<Val>& val : fusion.allVals()) {  // those that host passes add, too
    if (val->name() == name && val->isTensor()) return val->as<TensorView>();
  }
  throw std::logic_error("no tensor is called " + name);
}

int64_t bytesOfEachElement(const TensorView* tensor, ExpressionEvaluator& evaluator) {
  int64_t bytes = static_cast<int64_t>(dtypeSize(tensor->dtype()));
  for (int64_t size : evaluator.sizes(tensor)) bytes *= size;
  return bytes;
}

int64_t peakOf(const std::string& text, const Fusion& fusion, const std::vector<HostValue>& inputs,
               size_t loopStreams) {
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs);
  const int64_t streams = static_cast<int64_t>(loopStreams);
  const auto bytesOf = [&](const std::string& name, std::optional<size_t> sliced) {
    const TensorView* tensor = tensorOf(fusion, name);
    Dims sizes = evaluator.sizes(tensor);
    if (sliced) sizes[*sliced] = std::min(sizes[*sliced], streams);
    int64_t bytes = static_cast<int64_t>(dtypeSize(tensor->dtype()));
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] == 0 || !tensor->axes()[axis]->isBroadcast()) bytes *= sizes[axis];
    }
    return bytes;
  };
  std::vector<Life> lives;
  std::istringstream in(text);
  size_t step = 0;
  for (std::string line; std::getline(in, line); ++step) {
    line.erase(0, line.find_first_not_of(' '));
    for (const std::string& name : madeBy(line))
      lives.push_back({name, step, ~size_t{0}, bytesOf(name, slicedAxis(line))});
    if (line.rfind("free %", 0) != 0) continue;
    for (Life& life : lives) {
      if (life.name == line.substr(6)) life.to = step;
    }
  }
  int64_t peak = 0;
  for (size_t at = 0; at < step; ++at) {
    int64_t sum = 0;
    for (const Life& life : lives) sum += life.from <= at && at < life.to ? life.bytes : 0;
    peak = std::max(peak, sum);
  }
  // At the end, outputs that the program makes are copied one by one where they have expanded axes; not those whose
  // elements went to an input's memory ("copy %t to %x"), which is what the caller gets.
  int64_t living = 0;
  for (const Life& life : lives) living += life.to == ~size_t{0} ? life.bytes : 0;
  std::set<std::string> copied;
  for (const std::string& name : resultsOf(text, fusion)) {
    const auto made = std::find_if(lives.rbegin(), lives.rend(), [&](const Life& l) { return l.name == name; });
    const bool overwrites = text.find("  copy %" + name + " to ") != std::string::npos;
    if (made == lives.rend() || overwrites || !copied.insert(name).second) continue;
    const int64_t whole = bytesOfEachElement(tensorOf(fusion, name), evaluator);
    if (whole == made->bytes) continue;
    peak = std::max(peak, living + whole);
    living += whole - made->bytes;
  }
  return peak;
}

TEST(MemoryProperties, ARepeatedRunAsksForNoMemory) {
  checkProperty(100, [](const fuzz::ArbitraryCase& testCase) {
    if (!givesOutputs(*testCase)) return;
    const RunData data = materialize(*testCase, testCase->runs.front());
    const std::unique_ptr<FusionExecutorCache> cache = makeCache(*testCase, interpSettings(*testCase));
    cache->run(hostValues(data));
    const size_t blocks = cache->counters().memoryBlocks;
    for (int i = 0; i < 3; ++i) {
      const RunData again = materialize(*testCase, testCase->runs.front());  // an output may overwrite an index
      cache->run(hostValues(again));
    }
    RC_ASSERT(cache->counters().memoryBlocks == blocks);
  });
}

TEST(MemoryProperties, ThePeakOfARunIsThatOfTheLivingValues) {
  size_t freed = 0, sliced = 0, onDevices = 0, withWorkspaces = 0;
  fuzz::GeneratorOptions options;
  options.exclude = {OpKind::Gather, OpKind::Scatter, OpKind::ScatterAdd};  // an error word is a workspace
  checkProperty(300, [&] {
    const fuzz::ArbitraryCase generated = *fuzz::arbitraryCase(options);
    Case copy = cloneCase(*generated);
    fuzz::Choices choices(*rc::gen::inRange<uint64_t>(0, 1000), 0);
    if (choices.chance(0.5)) fuzz::spreadOverStreams(copy, choices);
    if (choices.chance(0.3)) fuzz::spreadOverDevices(copy, choices);
    const Case* const testCase = &copy;
    FusionExecutorCache::Settings settings = interpSettings(*testCase);
    std::string text;
    std::vector<std::pair<std::string, const Fusion*>> programs;  // one a device
    AfterHost keeping([&](HostIrContainer& program) {
      text = toString(program);
      programs.emplace_back(text, &program.fusion());
    });
    settings.context.observers = {&keeping};
    const RunData data = materialize(*testCase, testCase->runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    const std::unique_ptr<FusionExecutorCache> cache = makeCache(*testCase, settings);
    const RunRecord record = cache->run(inputs);
    if (text.find("run cache") != std::string::npos) return;  // that one's values are not in the text
    // Those of launches are not values of the program.
    if (text.find(" workspaces (") != std::string::npos) {
      ++withWorkspaces;
      return;
    }
    freed += text.find("free %") != std::string::npos;
    sliced += text.find("{sliced_axis") != std::string::npos;
    onDevices += programs.size() > 1;
    int64_t peak = 0;
    for (const auto& [program, fusion] : programs) {
      RC_LOG() << program;
      peak = std::max(peak, peakOf(program, *fusion, inputs, settings.streams.loopStreams));
    }
    RC_ASSERT(static_cast<int64_t>(record.peakBytes) == peak);
  });
  EXPECT_GT(freed, 50u);
  EXPECT_GT(sliced, 0u);
  EXPECT_GT(onDevices, 10u);
  std::printf("not compared: %zu cases with workspaces\n", withWorkspaces);
  EXPECT_LT(withWorkspaces, 30u);
}

}  // namespace
}  // namespace fuser

// Every invariant (oracle/invariants/invariants.def) on generated cases, under the options that change compilation.

#include "oracle/invariants/invariants.h"

#include "fuser/passes/passes.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

constexpr int kInvariantCases = 250;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Runs the case; gives the compilations that were checked.
size_t expectInvariants(const Case& testCase, const CompileOptions& options) {
  oracle::InvariantObserver observer(*testCase.fusion, true);
  FusionExecutorCache::Settings settings = interpSettings(testCase);
  settings.context.options = options;
  settings.context.checkInvariants = true;
  observer.watch(settings);
  const auto cache = makeCache(testCase, settings);
  bool agrees = false;
  for (const Run& run : testCase.runs) {
    if (run.expectation != Expectation::Agrees) continue;
    agrees = true;
    const RunData data = materialize(testCase, run);
    const std::vector<HostValue> inputs = hostValues(data);
    cache->run(inputs);
    if (!observer.problems().empty()) RC_FAIL(joined(observer.problems()));
  }
  RC_ASSERT(observer.compilations() > 0u || !agrees);
  return observer.compilations();
}

TEST(InvariantProperties, ACaseThatIsReadAgainIsCheckedAlike) {
  checkProperty(kInvariantCases, [](const fuzz::ArbitraryCase& testCase) {
    const Case again = parseCase(printCase(*testCase), "case");
    RC_ASSERT(oracle::numberForPeriods(*testCase->fusion) == oracle::numberForPeriods(*again.fusion));
  });
}

TEST(InvariantProperties, HoldWithTheUsualOptions) {
  checkProperty(kInvariantCases, [](const fuzz::ArbitraryCase& testCase) { expectInvariants(*testCase, {}); });
}

TEST(InvariantProperties, HoldWithEveryTensorProbed) {
  CompileOptions options;
  options.probes = true;
  checkProperty(kInvariantCases / 2,
                [&](const fuzz::ArbitraryCase& testCase) { expectInvariants(*testCase, options); });
}

TEST(InvariantProperties, HoldWithPassesOffAndContraction) {
  checkProperty(kInvariantCases / 2, [](const fuzz::ArbitraryCase& testCase, uint8_t off, bool contraction) {
    CompileOptions options;
    options.contraction = contraction;
    for (size_t i = 0; i < allPasses().size(); ++i) {
      if (off >> (i % 8) & 1) options.disabledPasses.insert(std::string(allPasses()[i].name));
    }
    expectInvariants(*testCase, options);
  });
}

}  // namespace
}  // namespace fuser

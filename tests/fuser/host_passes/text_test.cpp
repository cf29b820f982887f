// Host passes on text: each *.txt beside this file is a list of cases (tests/golden/golden_file.h), with the options
//   pass: FuseStreamLoopsPass     passes in their order; "all" for all of them
//   print: summary                the field's text, instead of ours
// The input is a fusion, and a host program over it; without one, each expression is one that the host runs alone. The
// answer is "changed" or "unchanged", as the last pass says, over the program behind it.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// The fusion's text, and the host program's; the latter is empty where there is none.
std::pair<std::string, std::string> partsOf(const std::string& input) {
  const size_t host = input.find("\nhost ");
  if (host == input.npos) return {input, ""};
  return {input.substr(0, host + 1), input.substr(host + 1)};
}

std::unique_ptr<HostIrContainer> everythingAlone(Fusion& fusion) {
  std::vector<HostGroup> groups;
  for (Expr* expr : fusion.exprs()) {
    groups.push_back({static_cast<int>(groups.size()), SchedulerType::None, {expr}, expr->inputs(), expr->outputs()});
    groups.back().standalone = true;
  }
  return HostIrLower(fusion).lower(groups);
}

// True when the pass says that it changed the program.
bool runPass(const std::string& name, HostIrContainer& program) {
  if (name == "all") {
    const std::string before = toString(program);
    runHostPasses(program, {});
    return toString(program) != before;
  }
#define HOST_PASS(NAME, ...) \
  if (name == #NAME) return NAME::runPass(program);
#include "fuser/host_passes/host_passes.def"
  FUSER_CHECK(false, "no host pass is called '", name, "'");
}

golden::Made programBehindPasses(const golden::Case& test) {
  const auto [fusionText, hostText] = partsOf(test.input);
  const Case testCase = parseCase(fusionText, "test"), fresh = parseCase(fusionText, "test");
  const std::unique_ptr<HostIrContainer> program =
      hostText.empty() ? everythingAlone(*testCase.fusion)
                       : std::make_unique<HostIrContainer>(parseHostIr(hostText, *testCase.fusion, {}));
  std::vector<std::string> passes = test.allOptions("pass");
  FUSER_CHECK(!passes.empty(), "the case names no pass");
  const std::string last = passes.back();
  passes.pop_back();
  for (const std::string& pass : passes) runPass(pass, *program);
  const std::string before = toString(*program);
  const bool changed = runPass(last, *program);
  const std::string after = toString(*program);
  EXPECT_EQ(changed, after != before);
  // InsertDeallocationsPass takes programs that free nothing yet.
  if (last != "all" && last != InsertDeallocationsPass::name()) {
    EXPECT_FALSE(runPass(last, *program)) << "a second run finds more to do";
  }
  EXPECT_EQ(toString(*program), after) << "a second run changes more";
  EXPECT_EQ(toString(parseHostIr(after, *testCase.fusion, {})), after);
  // Also where the tensors that passes add are not there yet.
  const HostIrContainer parsed = parseHostIr(after, *fresh.fusion, {});
  EXPECT_EQ(toString(parsed), after);
  verifyHostIr(parsed, HostLeaks::Allowed);
  return golden::Answers{
      {changed ? "changed" : "unchanged", test.option("print") == "summary" ? toSummary(*program) : after}};
}

const golden::Texts kTexts("tests/fuser/host_passes", {"pass", "print"}, programBehindPasses);

}  // namespace
}  // namespace fuser

// Passes on text: each *.txt beside this file is a list of cases (tests/golden/golden_file.h), with the options
//   pass: <a pass of pipeline.def>
//   alias: <output> -> <input>       an output overwrites an input; any number of them
//   schedulers: neg reads memory     the context's schedulers; without the option it has none
// and the answer "changed" or "unchanged", as the pass says, over the fusion behind it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/passes/passes.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// neg must find its operand in memory.
class NegReadsMemory : public SchedulerInterface {
 public:
  SchedulerAnswer accepts(const FusionView&) const override { return {SchedulerType::PointWise, ""}; }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override {
    return expr->op() == OpKind::Neg ? expr->inputs() : std::vector<Val*>{};
  }
};

size_t indexOf(const std::vector<Val*>& vals, const std::string& name) {
  const auto found = std::find_if(vals.begin(), vals.end(), [&](const Val* val) { return val->name() == name; });
  FUSER_CHECK(found != vals.end(), "no value %", name);
  return static_cast<size_t>(found - vals.begin());
}

std::unique_ptr<Fusion> fusionBefore(const golden::Case& test) {
  std::unique_ptr<Fusion> fusion = parseFusion(test.input, test.title);
  for (const std::string& alias : test.allOptions("alias")) {
    const size_t arrow = alias.find(" -> ");
    FUSER_CHECK(arrow != alias.npos, "no '<output> -> <input>': ", alias);
    Val* input = fusion->inputs()[indexOf(fusion->inputs(), alias.substr(arrow + 4))];
    fusion->setAlias(indexOf(fusion->outputs(), alias.substr(0, arrow)), input);
  }
  return fusion;
}

const PassInfo& passOf(const golden::Case& test) {
  const auto passes = allPasses();
  const auto pass = std::find_if(passes.begin(), passes.end(),
                                 [&](const PassInfo& info) { return info.name == test.option("pass"); });
  FUSER_CHECK(pass != passes.end(), "no pass is called '", test.option("pass"), "'");
  return *pass;
}

golden::Made runPass(const golden::Case& test) {
  const std::unique_ptr<Fusion> before = fusionBefore(test), fusion = fusionBefore(test);
  const PassInfo& pass = passOf(test);
  const NegReadsMemory schedulers;
  const std::string named = test.option("schedulers");
  FUSER_CHECK(named.empty() || named == "neg reads memory", "no schedulers are called '", named, "'");
  CompileContext context;
  context.checkInvariants = true;
  if (!named.empty()) context.schedulers = &schedulers;
  const bool modified = pass.run(fusion.get(), context);
  verify(*fusion);
  EXPECT_EQ(modified, !sameFusion(*fusion, *before)) << firstDifference(*fusion, *before);
  const std::string after = printFusion(*fusion);
  EXPECT_FALSE(pass.run(fusion.get(), context)) << "a second run finds more to do";
  EXPECT_EQ(printFusion(*fusion), after) << "a second run changes more, and does not say so";
  return golden::Answers{{modified ? "changed" : "unchanged", after}};
}

const golden::Texts kTexts("tests/fuser/passes", {"pass", "alias", "schedulers"}, runPass);

TEST(PassTextTest, EveryPassHasItsFileOfCases) {
  for (const PassInfo& pass : allPasses()) {
    std::string file(pass.file.substr(0, pass.file.find('.')));
    EXPECT_TRUE(std::filesystem::exists("tests/fuser/passes/" + file + ".txt")) << pass.name;
  }
}

TEST(PassListTest, EveryFileIsInTheListAndEveryLineHasAFile) {
  const std::vector<std::string> infrastructure = {"optimization_pass.cpp", "overwrites_in_one_kernel.cpp",
                                                   "pre_segmenter.cpp"};
  std::vector<std::string> files(infrastructure);
  for (const PassInfo& pass : allPasses()) files.emplace_back(pass.file);
  std::sort(files.begin(), files.end());
  std::vector<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator("fuser/passes")) {
    if (entry.path().extension() == ".cpp") present.push_back(entry.path().filename().string());
  }
  std::sort(present.begin(), present.end());
  EXPECT_EQ(present, files);
}

}  // namespace
}  // namespace fuser

// The edges that are asked for are those that one reads in the schedules, which stand beside them. Cases
// (tests/golden/golden_file.h) name a file; options: the run, and lines of options that the case gets beside its own.

#include <gtest/gtest.h>

#include "fuser/analysis/stage_observers.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/edges/edges.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

std::string schedulesOf(const Case& testCase, const Run& run) {
  class Schedules final : public CompileObserver {
   public:
    void afterSchedule(int segment, Fusion&, Schedule& schedule) override {
      text += concat("segment ", segment, "\n", printSchedule(schedule));
    }
    std::string text;
  } schedules;
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers = {&schedules};
  const RunData data = materialize(testCase, run);
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  buildProgram(*testCase.fusion, settings, layouts, inputs);
  return schedules.text;
}

const golden::Texts kEdges("tests/fuzz/edges/edges.txt", {"run", "option"},
                           [](const golden::Case& test) -> golden::Made {
                             std::string text = golden::readFile(test.input.substr(0, test.input.find('\n')));
                             std::string options;
                             for (const std::string& option : test.allOptions("option"))
                               options += concat("option ", option, "\n");
                             text.insert(text.find("\nrun") + 1, options);
                             const Case testCase = parseCase(text, test.title);
                             const Run& run =
                                 testCase.runs.at(static_cast<size_t>(std::stoi("0" + test.option("run"))));
                             const FreeSizes sizes(testCase);
                             std::string edges;
                             for (const Edge& edge : askEdges(testCase, run, sizes).edges)
                               edges += toString(edge, sizes) + "\n";
                             return golden::Answers{{"schedule", schedulesOf(testCase, run)}, {"edges", edges}};
                           });

}  // namespace
}  // namespace fuser::fuzz

// Host programs of generated cases with one thing changed: the parser or the verifier refuses it, a checked run reports
// it, or it runs, and gives what the program gave or something else. Nothing else happens, and what is wrong for sure
// is caught.

#include "fuzz/mutate/host_program.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "fuser/case/functional_updates.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"
#include "tests/fuzz/mutate/compiled_case.h"

namespace fuser::fuzz {
namespace {

enum class Kind : uint8_t { Plain, Streams, Memory, Devices };

// Poison is no bool: what a wrong program reads of one would stop a sanitizer.
bool hasBools(const Fusion& fusion) {
  const std::vector<Val*> vals = fusion.usedVals();
  return std::any_of(vals.begin(), vals.end(),
                     [](const Val* val) { return val->isTensor() && val->dtype() == DataType::Bool; });
}

// Small, so that a run is short.
std::optional<Case> makeCase(Kind kind, uint64_t number) {
  GeneratorOptions options;
  options.medianElements = 96;
  options.maxElements = 1024;
  options.maxCaseElements = 1 << 14;
  options.maxExpressions = 12;
  Case testCase = functionalCase(generateCase(41, number, options));
  if (hasBools(*testCase.fusion)) return std::nullopt;
  const auto isRefused = [](const Run& run) { return run.expectation != Expectation::Agrees; };  // for its indices
  if (std::any_of(testCase.runs.begin(), testCase.runs.end(), isRefused)) return std::nullopt;
  Choices choices(42, number);
  switch (kind) {
    case Kind::Plain: return testCase;
    case Kind::Streams:
      // One device that stops keeps the others waiting: what they say then is Devices' to look at.
      if (testCase.fusion->hasDevices()) return std::nullopt;
      return spreadOverStreams(testCase, choices, 6) ? std::optional(std::move(testCase)) : std::nullopt;
    case Kind::Memory: return preallocateOutputs(testCase, choices) ? std::optional(std::move(testCase)) : std::nullopt;
    case Kind::Devices:
      return spreadOverDevices(testCase, choices, 4) ? std::optional(std::move(testCase)) : std::nullopt;
  }
  return std::nullopt;
}

enum class Outcome : uint8_t { Parser, Verifier, Reported, Same, Different };
constexpr const char* kOutcomes[] = {"parser", "verifier", "run", "same", "different"};

// Print -> parse -> print is the identity of what parses.
void expectText(const CompiledCase& compiled, size_t program, const HostIrContainer& parsed) {
  const std::string text = toString(parsed);
  const CompiledCase::Parsed again = compiled.parse(program, text);
  EXPECT_EQ(toString(*again.program), text);
}

// One sentence for a person.
void expectSentence(const std::string& message, const std::string& text) {
  EXPECT_FALSE(message.empty()) << text;
  EXPECT_LT(message.size(), 1000u) << text;
}

Outcome outcomeOf(const CompiledCase& compiled, size_t program, const std::string& text) {
  CompiledCase::Parsed parsed;
  try {
    parsed = compiled.parse(program, text);
  } catch (const UserError& error) {
    expectSentence(error.what(), text);
    EXPECT_EQ(std::string(error.what()).rfind("host program, line ", 0), 0u) << error.what();
    return Outcome::Parser;
  }
  expectText(compiled, program, *parsed.program);
  try {
    verifyHostIr(*parsed.program, HostLeaks::Forbidden);
  } catch (const CheckError& error) {
    expectSentence(error.what(), text);
    return Outcome::Verifier;
  }
  try {
    return compiled.givesTheSame(program, text) ? Outcome::Same : Outcome::Different;
  } catch (const ViolationError& error) {
    expectSentence(error.what(), text);
  } catch (const CheckError& error) {
    expectSentence(error.what(), text);
  } catch (const CommunicationError& error) {
    expectSentence(error.what(), text);
  } catch (const UserError& error) {
    expectSentence(error.what(), text);  // the communicator's, of a team that there is not
  }
  return Outcome::Reported;
}

using Counts = std::map<Outcome, int>;

struct Row {
  int places = 0;
  Counts outcomes;
};

std::map<std::string_view, Row> mutateAll(Kind kind, int cases, int each) {
  std::map<std::string_view, Row> table;
  int count = 0;
  for (uint64_t number = 0; count < cases; ++number) {
    const std::optional<Case> testCase = makeCase(kind, number);
    if (!testCase) continue;
    const CompiledCase compiled(*testCase);
    ++count;
    for (const HostMutation& mutation : hostMutations()) {
      for (int i = 0; i < each; ++i) {
        Choices choices(static_cast<uint64_t>(43 + i), number);
        const size_t program = choices.index(compiled.count());
        const std::string original = compiled.text(program);
        const std::optional<std::string> text = mutateHostProgram(original, mutation, choices);
        if (!text) continue;
        SCOPED_TRACE(concat(mutation.name, " of case ", number, "\n", original, "->\n", *text));
        const Outcome outcome = outcomeOf(compiled, program, *text);
        Row& row = table[mutation.name];
        ++row.places;
        ++row.outcomes[outcome];
        const bool caught = outcome != Outcome::Same && outcome != Outcome::Different;
        EXPECT_FALSE(outcome == Outcome::Different && mutation.neverUnseen) << "a wrong result that nothing reports";
        EXPECT_TRUE(caught || !mutation.alwaysWrong) << kOutcomes[static_cast<size_t>(outcome)];
      }
    }
  }
  return table;
}

void show(const std::map<std::string_view, Row>& table) {
  std::printf("%-20s %6s", "mutation", "places");
  for (const char* outcome : kOutcomes) std::printf(" %9s", outcome);
  std::printf("\n");
  for (const auto& [name, row] : table) {
    std::printf("%-20s %6d", std::string(name).c_str(), row.places);
    for (size_t i = 0; i < std::size(kOutcomes); ++i) {
      const auto found = row.outcomes.find(static_cast<Outcome>(i));
      const int count = found == row.outcomes.end() ? 0 : found->second;
      std::printf(" %9d", count);
      testing::Test::RecordProperty(concat(name, "_", kOutcomes[i]), count);
    }
    std::printf("\n");
  }
}

TEST(HostProgramTest, AChangedPlainProgramIsRefusedOrReportedOrRuns) {
  const auto table = mutateAll(Kind::Plain, 80, 2);
  show(table);
  for (const char* name : {"FreeEarly", "DropAllocate", "AllocateLate"}) EXPECT_GE(table.at(name).places, 15) << name;
}

TEST(HostProgramTest, AChangedProgramOnStreamsIsRefusedOrReportedOrRuns) {
  const auto table = mutateAll(Kind::Streams, 60, 2);
  show(table);
  for (const char* name :
       {"FreeEarly", "DropAllocate", "AllocateLate", "DropSynchronize", "ChangeStream", "ChangeSelect"}) {
    EXPECT_GE(table.at(name).places, 15) << name;
  }
}

TEST(HostProgramTest, AChangedProgramWithCallerMemoryIsRefusedOrReportedOrRuns) {
  const auto table = mutateAll(Kind::Memory, 60, 2);
  show(table);
  EXPECT_GE(table.at("DropStatement").places, 30);
}

TEST(HostProgramTest, AChangedProgramOnSeveralDevicesIsRefusedOrReportedOrRuns) {
  const auto table = mutateAll(Kind::Devices, 50, 2);
  show(table);
  for (const char* name : {"DropWait", "ChangeRanks"}) EXPECT_GE(table.at(name).places, 15) << name;
}

}  // namespace
}  // namespace fuser::fuzz

// The text of a host program from a stranger: whatever bytes or lines are changed, the parser says in one sentence
// which line is wrong, or reads a program that prints, and that the verifier takes or refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/device_inputs.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"

namespace hostile {
namespace {

using namespace fuser;

// Programs of generated cases: plain, on streams, with memory for outputs, of one of several devices.
class HostProgramTextTest : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<CompiledProgram>> programs(size_t wanted) {
    std::vector<std::unique_ptr<CompiledProgram>> compiledPrograms;
    fuzz::GeneratorOptions options;
    options.medianElements = 64;
    options.maxElements = 512;
    options.maxExpressions = 10;
    for (uint64_t number = 0; compiledPrograms.size() < wanted; ++number) {
      Case testCase = functionalCase(fuzz::generateCase(51, number, options));
      fuzz::Choices choices(52, number);
      if (number % 4 == 1 && !fuzz::spreadOverStreams(testCase, choices, 6)) continue;
      if (number % 4 == 2 && !fuzz::preallocateOutputs(testCase, choices)) continue;
      if (number % 4 == 3 && !fuzz::spreadOverDevices(testCase, choices, 4)) continue;
      compiledPrograms.push_back(compile(testCase));
    }
    return compiledPrograms;
  }

  static std::unique_ptr<CompiledProgram> compile(const Case& testCase) {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    for (size_t i = 0; i < testCase.fusion->outputs().size(); ++i) {
      const std::string& name = testCase.fusion->outputs()[i]->name();
      const bool isPreallocated = std::any_of(testCase.preallocated.begin(), testCase.preallocated.end(),
                                              [&](const PreallocatedOutput& memory) { return memory.output == name; });
      if (isPreallocated) settings.preallocated.insert(i);
    }
    const RunData data = materialize(testCase, testCase.runs.at(0));
    std::vector<HostValue> inputs = hostValues(data);
    if (testCase.fusion->hasDevices()) {
      settings.device = testCase.fusion->mesh().devices().front();
      for (size_t i = 0; i < inputs.size(); ++i) {
        auto* tensor = std::get_if<TensorRef>(&inputs[i]);
        if (tensor) *tensor = partOnDevice(testCase.fusion->inputs()[i]->as<TensorView>(), *settings.device, *tensor);
      }
      inputs = wholeInputs(*testCase.fusion, *settings.device, inputs);
    }
    return buildProgram(*testCase.fusion, settings, {}, inputs);
  }

  // Whether it is read. Nothing else than a sentence of the parser with the line's number, or of the verifier, comes of
  // it.
  static bool isRead(const CompiledProgram& compiled, const std::string& text) {
    try {
      const std::unique_ptr<Fusion> fusion = cloneInOrderOfUse(compiled.host->fusion());
      const HostIrContainer program = parseHostIr(text, *fusion, compiled.host->kernels);
      EXPECT_FALSE(toString(program).empty());
      EXPECT_FALSE(toSummary(program).empty());
      try {
        verifyHostIr(program);
      } catch (const CheckError&) {
        // It is text, and no program that could run.
      }
      return true;
    } catch (const UserError& error) {
      const std::string message = error.what(), start = "host program, line ";
      EXPECT_EQ(message.compare(0, start.size(), start), 0) << message;
      EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(message[start.size()]))) << message;
      EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
      return false;
    }
  }
};

// A byte more, less, or another one: of those that the text is made of, mostly.
std::string withOtherBytes(std::string text, fuzz::Choices& choices) {
  for (int64_t i = choices.integer(1, 3); i > 0 && !text.empty(); --i) {
    const size_t at = choices.index(text.size());
    const char byte =
        choices.chance(0.8) ? text[choices.index(text.size())] : static_cast<char>(choices.integer(0, 255));
    switch (choices.index(4)) {
      case 0: text.erase(at, 1); break;
      case 1: text.insert(at, 1, byte); break;
      case 2: text.erase(at, choices.index(text.size() - at + 1)); break;
      default: text[at] = byte; break;
    }
  }
  return text;
}

// A line less, twice, elsewhere, or cut; a word of one line in the place of a word of another.
std::string withOtherLines(const std::string& text, fuzz::Choices& choices) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (int64_t i = choices.integer(1, 2); i > 0 && lines.size() > 1; --i) {
    const size_t at = choices.index(lines.size()), other = choices.index(lines.size());
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (choices.index(5)) {
      case 0: lines.erase(place); break;
      case 1: lines.insert(place, std::string(lines[other])); break;
      case 2: std::swap(lines[at], lines[other]); break;
      case 3: lines[at].resize(choices.index(lines[at].size() + 1)); break;
      default: {
        std::vector<std::string> words, others;
        std::istringstream from(lines[at]), by(lines[other]);
        for (std::string word; from >> word;) words.push_back(word);
        for (std::string word; by >> word;) others.push_back(word);
        if (words.empty() || others.empty()) break;
        words[choices.index(words.size())] = choices.pick(others);
        lines[at].clear();
        for (const std::string& word : words) lines[at] += word + " ";
        break;
      }
    }
  }
  std::string changed;
  for (const std::string& line : lines) changed += line + "\n";
  return changed;
}

TEST_F(HostProgramTextTest, OtherBytesAreOneSentenceOrAProgram) {
  int read = 0, refused = 0;
  const auto all = programs(40);
  for (size_t number = 0; number < all.size(); ++number) {
    const std::string text = toString(*all[number]->host);
    EXPECT_TRUE(isRead(*all[number], text));
    for (uint64_t i = 0; i < 150; ++i) {
      fuzz::Choices choices(53 + i, number);
      const std::string changed = withOtherBytes(text, choices);
      SCOPED_TRACE(changed);
      (isRead(*all[number], changed) ? read : refused) += 1;
    }
  }
  EXPECT_GT(read, 30);
  EXPECT_GT(refused, 500);
}

TEST_F(HostProgramTextTest, OtherLinesAreOneSentenceOrAProgram) {
  int read = 0, refused = 0;
  const auto all = programs(40);
  for (size_t number = 0; number < all.size(); ++number) {
    const std::string text = toString(*all[number]->host);
    for (uint64_t i = 0; i < 150; ++i) {
      fuzz::Choices choices(54 + i, number);
      const std::string changed = withOtherLines(text, choices);
      SCOPED_TRACE(changed);
      (isRead(*all[number], changed) ? read : refused) += 1;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 500);
}

TEST_F(HostProgramTextTest, EveryCutIsOneSentence) {
  for (const auto& program : programs(4)) {
    const std::string text = toString(*program->host);
    for (size_t length = 0; length + 2 < text.size(); length += 3) {
      SCOPED_TRACE(length);
      EXPECT_FALSE(isRead(*program, text.substr(0, length)));
    }
  }
}

std::string repeated(const std::string& piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST_F(HostProgramTextTest, NestingLengthsAndNumbersHaveLimits) {
  const auto all = programs(1);
  const std::string text = toString(*all[0]->host);
  const auto behindHeader = [&](const std::string& line) {
    return text.substr(0, text.find('\n') + 1) + line + "\n" + text.substr(text.find('\n') + 1);
  };
  const auto refusal = [&](const std::string& line) -> std::string {
    const std::unique_ptr<Fusion> fusion = cloneInOrderOfUse(all[0]->host->fusion());
    try {
      parseHostIr(behindHeader(line), *fusion, all[0]->host->kernels);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  const auto refused = [&](const std::string& line, const std::string& says) {
    const std::string message = refusal(line);
    EXPECT_EQ(message.rfind("host program, line ", 0), 0u) << message.substr(0, 200);
    EXPECT_NE(message.find(says), std::string::npos) << message.substr(0, 200) << "\nand not: " << says;
    EXPECT_LT(message.size(), 1000u);
  };
  refused("tensor %q: f32[" + repeated("(", 40) + "i0" + repeated(" + 1)", 40) + "]", "nested deeper than 32");
  refused("tensor %q: f32[" + repeated("(", 200000) + "i0" + repeated(" + 1)", 200000) + "]", "nested deeper than 32");
  refused("tensor %q: f32[(i0" + repeated(" + i0", 200000) + ")]", "more than 256 terms");
  refused("tensor %q: f32[(i0" + repeated(" * 2000000000", 5) + ")]", "too large");
  refused("tensor %q: f32[(i0 // 0)]", "a divisor is positive");
  refused("tensor %q: f32[(4 // 0)]", "a divisor is positive");
  refused("tensor %q: f32[(4 // -2)]", "a divisor is positive");
  refused("tensor %q: f32[(1 * 1)]", "is written 1");
  refused("tensor %q: f32[-3]", "a size is not negative");
  refused("tensor %q: f32[i0, i0, i0, i0, i0, i0, i0, i0, i0]", "more than 8 axes");
  refused("tensor %q: f32[99999999999999999999]", "is not an integer");
  refused("tensor %" + repeated("q", 100000) + ": f32[i0]", "not a tensor's name");
  refused("tensor %a b: f32[i0]", "not a tensor's name");
  refused("tensor %q: f32[i0, i0] {allocation_order = [0, 0]}", "names each axis once");
  refused("tensor %q: f32[i0, i0] {allocation_order = [7, 1]}", "names each axis once");
  refused("tensor %q: f32[i0] {stream = 4}", "has no axis 4");
}

TEST_F(HostProgramTextTest, BodiesInEachOtherHaveALimit) {
  const auto all = programs(1);
  const std::string text = toString(*all[0]->host);
  const size_t place = text.rfind("  return ");
  EXPECT_TRUE(isRead(*all[0], text.substr(0, place) + repeated("segment 7 PointWise () -> () {\n", 50) +
                                  repeated("}\n", 50) + text.substr(place)));
  EXPECT_FALSE(isRead(*all[0], text.substr(0, place) + repeated("segment 7 PointWise () -> () {\n", 100000) +
                                   repeated("}\n", 100000) + text.substr(place)));
}

}  // namespace
}  // namespace hostile

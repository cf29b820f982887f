// The text form: what it says, that it reads back, and errors on text that is none.

#include "fuser/segment/segmented_text.h"

#include <gtest/gtest.h>

#include "fuser/segment/unchecked_segments.h"
#include "tests/fuser/segment/fake_schedulers.h"

namespace fuser {
namespace {

const char kTwoPaths[] =
    "fusion diamond(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%a)\n  %d = add(%b, %c)\n"
    "  return %d, %a\n}\n";

// What it prints: segments.txt.
TEST(SegmentedTextTest, PrintedTextParsesBack) {
  const std::string text =
      "fusion f(%x: f32[i0], %n: i64) {\n  %m = add(%n, 1)\n  %s = cast(%m) {dtype = f64}\n  %a = mul(%x, %s)\n"
      "  %b = exp(%a)\n  %c = log(%b)\n  return %c, %m\n}\n";
  const Segmented segmented = segmentText(text, FakeSchedulers(atMost(2)));
  const std::string printed = toString(*segmented.segments);
  const auto parsed = parseSegmentedFusion(printed, *segmented.fusion);
  EXPECT_EQ(toString(*parsed), printed);
  EXPECT_EQ(parsed->groups()[1]->schedulerType(), SchedulerType::PointWise);
}

TEST(SegmentedTextTest, InvalidNamesGetTheirId) {
  Segmented segmented = singles(kTwoPaths);
  segmented.val("b")->setName("");
  segmented.val("c")->setName("a");
  const std::string printed = toString(*segmented.segments);
  EXPECT_NE(printed.find("{%@"), std::string::npos) << printed;
  EXPECT_NE(printed.find("{%a@"), std::string::npos) << printed;
  EXPECT_EQ(toString(*parseSegmentedFusion(printed, *segmented.fusion)), printed);
}

TEST(SegmentedTextTest, ParseErrorsNameTheirPlace) {
  const Segmented segmented = singles(kTwoPaths);
  const std::string good = toString(*segmented.segments);
  const auto errorOf = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
      parseSegmentedFusion(text, *segmented.fusion);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expectError = [&](const std::string& from, const std::string& to, const std::string& what) {
    EXPECT_NE(errorOf(from, to).find(what), std::string::npos) << errorOf(from, to);
  };
  expectError("group 1", "group 2", "line 3, column 9: expected group 1");
  expectError("None {%a}", "Nothing {%a}", "line 2, column 11: unknown scheduler");
  expectError("{%b}", "{%q}", "the fusion has no value '%q'");
  expectError("{%b}", "{%a}", "it is in a group already");
  expectError("{%b}", "{%x}", "an expression is named by its first result");
  expectError("edge 0 -> 1 %a\n", "", "crosses from group 0 to group 1 without an edge");
  expectError("edge 0 -> 1 %a", "edge 0 -> 3 %a", "the value does not cross there");
  expectError("edge 0 -> 1 %a", "edge 0 -> 9 %a", "there is no group 9");
  expectError("inputs {%x}", "inputs {}", "group 0 has other inputs");
  expectError("}\n", "\n", "expected");
  expectError("segmented", "", "expected 'segmented'");
  // No prefix and no text with a byte lost makes anything but a UserError.
  for (size_t i = 0; i < good.size(); ++i) {
    for (const std::string& text : {good.substr(0, i), good.substr(0, i) + good.substr(i + 1)}) {
      try {
        parseSegmentedFusion(text, *segmented.fusion);
      } catch (const UserError&) {
      }
    }
  }
}

TEST(SegmentedTextTest, OnlyTheUncheckedParserAcceptsACopyOfAHostScalar) {
  const std::unique_ptr<Fusion> fusion =
      parseFusion("fusion f(%x: f32[i0], %n: f64) {\n  %k = neg(%n)\n  %y = mul(%x, %k)\n  return %y\n}\n");
  const std::string copied =
      "segmented {\n  group 0 ExprEval {%k} inputs {%n} outputs {%k}\n"
      "  group 1 None {%k, %y} copies {%k} inputs {%x, %n} outputs {%y}\n}\n";
  EXPECT_EQ(toString(*parseUnchecked(copied, *fusion)), copied);
  const auto errorOf = [&](const auto& parse, const std::string& text) {
    try {
      parse(text, *fusion);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string error = errorOf(parseSegmentedFusion, copied);
  EXPECT_NE(error.find("a host scalar is computed once"), std::string::npos) << error;
  const std::string mixed = "segmented {\n  group 0 None {%k, %y} inputs {%x, %n} outputs {%y}\n}\n";
  const std::string toldError = errorOf(parseUnchecked, mixed);
  EXPECT_NE(toldError.find("scalars and tensors in one group"), std::string::npos) << toldError;
}

}  // namespace
}  // namespace fuser

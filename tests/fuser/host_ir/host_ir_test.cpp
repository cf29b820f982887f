// Host programs: lowering, text, and verifier.

#include <gtest/gtest.h>

#include <functional>

#include "tests/fuser/host_ir/lowered_program.h"

namespace fuser {
namespace {

// kLoweredText with the first `from` replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = kLoweredText;
  return text.replace(text.find(from), from.size(), to);
}

struct HostIrTest : LoweredProgram {
  // What the verifier says, without its place; "" where it takes what the action made.
  static std::string complaint(const std::function<void()>& action) {
    try {
      action();
    } catch (const CheckError& error) {
      const std::string message = error.what();
      return message.substr(message.find("constraint "));
    }
    return "";
  }
};

TEST_F(HostIrTest, AllocatesBeforeTheLaunchThatWrites) {
  EXPECT_EQ(toString(*HostIrLower(fusion).lower(groups())), edited("  free %t\n", ""));
}

TEST_F(HostIrTest, ParsesWhatItPrints) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const HostIrContainer parsed = parseHostIr(kLoweredText, fusion, program->kernels);
  EXPECT_EQ(toString(parsed), kLoweredText);
  EXPECT_NO_THROW(verifyHostIr(parsed));
  const std::vector<hir::HostExpr*> segments = hostExprsOf<hir::Segment>(parsed);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(std::get<hir::Segment>(segments[0]->node).kernel, -1);
  EXPECT_EQ(std::get<hir::Segment>(segments[2]->node).kernel, 1);
  const auto firstLaunch = [](const HostIrContainer& of) {
    return std::get<hir::LaunchKernel>(hostExprsOf<hir::LaunchKernel>(of).front()->node).ints;
  };
  EXPECT_EQ(firstLaunch(parsed), firstLaunch(*program));
}

TEST_F(HostIrTest, ParserNamesTheLineAndWhatIsWrong) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto rejection = [&](const std::string& from, const std::string& to) -> std::string {
    try {
      parseHostIr(edited(from, to), fusion, program->kernels);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection("free %t", "free %q"), "host program, line 15: the fusion has no %q");
  EXPECT_EQ(rejection("free %t", "lose %t"), "host program, line 15: 'launch ' expected");
  EXPECT_EQ(rejection("launch k2", "launch k9"), "host program, line 13: no kernel is called k9");
  EXPECT_EQ(rejection("; i0,", "; i7,"), "host program, line 9: no extent is called i7");
  EXPECT_EQ(rejection("allocate %t: f32", "allocate %t: f16"), "host program, line 8: 'f32[i0]' expected");
  EXPECT_EQ(rejection("evaluate %n", "evaluate %x"), "host program, line 5: %x is not a computed scalar");
  EXPECT_EQ(rejection("  kernel k2\n", "  kernel k1\n"), "host program, line 3: kernel 1 is not k1");
  EXPECT_EQ(rejection("  kernel k2\n", "  kernel k2\n  kernel k3\n"), "host program, line 4: kernel 2 is not k3");
  EXPECT_EQ(rejection("segment 0 ExprEval", "segment 0 Magic"), "host program, line 4: no scheduler is called Magic");
  const std::string other = "k2 takes 2 tensors, 2 integers and 1 scalars, and other ones are given";
  EXPECT_EQ(rejection("k2(%t, %y;", "k2(%t;"), "host program, line 13: " + other);
  EXPECT_EQ(rejection("; %m)", "; )"), "host program, line 13: " + other);
  EXPECT_EQ(rejection("; i0, stride(%t, 0);", "; stride(%t, 0), i0;"),
            "host program, line 13: k2 takes an extent as integer 1, and a stride is given");
  EXPECT_EQ(rejection("; %m)", "; %t)"), "host program, line 13: %t is not a scalar");
  EXPECT_EQ(rejection("  return %y, %m\n}\n", ""), "host program, line 16: the text ends too early");
}

// Any prefix, and any change of one byte, is parsed or rejected, never worse.
TEST_F(HostIrTest, ParserTakesAnyText) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const std::string text = kLoweredText;
  size_t rejected = 0;
  const auto parse = [&](const std::string& changed) {
    try {
      parseHostIr(changed, fusion, program->kernels);
    } catch (const UserError&) {
      ++rejected;
    }
  };
  for (size_t i = 0; i < text.size(); ++i) {
    parse(text.substr(0, i));
    for (const char c : {'%', ';', '9', '\n', '\xff'}) parse(text.substr(0, i) + c + text.substr(i + 1));
  }
  EXPECT_GT(rejected, text.size());
}

TEST_F(HostIrTest, VerifierFindsAReadBeforeTheWrite) {
  std::vector<HostGroup> wrong = groups();
  std::swap(wrong[1], wrong[2]);
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 1: %t is read where it does not exist");
}

TEST_F(HostIrTest, VerifierFindsAScalarThatIsEvaluatedTwice) {
  std::vector<HostGroup> wrong = groups();
  wrong.push_back(wrong[0]);
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 5: %n is evaluated twice");
}

TEST_F(HostIrTest, ALaunchWritesNoInputAndMatchesItsKernel) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto problem = [&](const std::string& from, const std::string& to) {
    return complaint(
        [&] { verifyHostIr(parseHostIr(edited(from, to), fusion, program->kernels), HostLeaks::Allowed); });
  };
  EXPECT_EQ(problem("k1(%x, %t;", "k1(%t, %x;"), "constraint 7: %x is written in an input's memory");
  kernels.front()->buffers.front().dtype = DataType::Half;
  EXPECT_EQ(problem("k1", "k1"), "constraint 6: k1 takes f16 of rank 1 as argument 1, and not %x");
  kernels.front()->buffers.front().dtype = DataType::Float;
  kernels.front()->tensors.back().rank = 2;
  EXPECT_EQ(problem("k1", "k1"), "constraint 6: k1 takes f32 of rank 2 as argument 2, and not %t");
}

// No text says so: the parser takes as many as the kernel declares.
TEST_F(HostIrTest, ALaunchHasAsManyArgumentsAsItsKernelDeclares) {
  const auto problem = [&](const std::function<void(hir::LaunchKernel&)>& edit) {
    const std::unique_ptr<HostIrContainer> program = lowered();
    edit(std::get<hir::LaunchKernel>(hostExprsOf<hir::LaunchKernel>(*program).back()->node));
    return complaint([&] { verifyHostIr(*program); });
  };
  const std::string other = "constraint 6: k2 is launched with another number of arguments";
  EXPECT_EQ(problem([](hir::LaunchKernel&) {}), "");
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.tensors.pop_back(); }), other);
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.ints.pop_back(); }), other);
  EXPECT_EQ(problem([](hir::LaunchKernel& launch) { launch.scalars.pop_back(); }), other);
}

TEST_F(HostIrTest, AStandaloneKernelGetsItsOperandsAndResults) {
  const std::unique_ptr<HostIrContainer> program = lowered();
  const auto textWith = [&](const std::string& second) {
    const std::string line = concat("compute into (%t) from (%x) as %t by k1(%x, %", second, "; i0, stride(%x, 0); )");
    const std::string text = edited("launch k1(%x, %t; i0, stride(%x, 0); )", line);
    return complaint([&] { verifyHostIr(parseHostIr(text, fusion, program->kernels)); });
  };
  EXPECT_EQ(textWith("t"), "");
  EXPECT_EQ(textWith("y"),
            "constraint 12: the kernel of what runs alone is given %y, which is none of its operands or results");
}

TEST_F(HostIrTest, VerifierFindsAMissingOutput) {
  std::vector<HostGroup> wrong = groups();
  wrong.pop_back();
  EXPECT_EQ(complaint([&] { HostIrLower(fusion).lower(wrong); }), "constraint 11: %y is read where it does not exist");
}

}  // namespace
}  // namespace fuser

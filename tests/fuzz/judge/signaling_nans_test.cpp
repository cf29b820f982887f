// NaNs that a bitcast makes may be signaling: beside them C's functions give NaN, CUDA's a number, and both are right.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

// 0x7f800001 and 0x7c01 are signaling in f32 and f16, 0x7fc00000 and 0x7e00 are quiet.
CaseVerdict verdictOf(const std::string& lines, const std::string& result) {
  const std::string text = "fusion f(%i: i32[i0], %x: f32[i0]) {\n" + lines + "  return " + result +
                           "\n}\nrun { %i = values [2139095041, 2143289344, 31745, 32256] : i32[4]\n"
                           "      %x = values [0.0, 0.0, 0.0, 0.0] : f32[4] }\n";
  return judgeCase(parseCase(text, "signaling"), {});
}

TEST(SignalingNansTest, ANumberOrNanIsRightBesideThem) {
  for (const char* op : {"pow(%a, %x)", "pow(%b, %x)", "fmax(%a, %x)", "fmin(%x, %b)", "hypot(%a, inf)"}) {
    const CaseVerdict verdict = verdictOf(
        "  %a = bitcast(%i) {dtype = f32}\n  %h = bitcast(%i) {dtype = f16}\n  %b = cast(%h) {dtype = f32}\n  %y = " +
            std::string(op) + "\n",
        "%y");
    EXPECT_FALSE(isFinding(verdict.kind)) << op << "\n" << toString(verdict);
    EXPECT_NE(verdict.kind, VerdictKind::Rejected) << op << "\n" << toString(verdict);
  }
}

TEST(SignalingNansTest, BesideAQuietNanThereIsOneNumber) {
  const CaseVerdict verdict =
      verdictOf("  %a = bitcast(%i) {dtype = f32}\n  %q = add(%a, 1.0)\n  %y = pow(%q, 0.0)\n", "%y");
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

}  // namespace
}  // namespace fuser::fuzz

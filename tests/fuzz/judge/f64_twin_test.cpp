// The f64 twin: what it changes, and what it shows.

#include "fuzz/judge/f64_twin.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

TEST(F64TwinTest, EveryFloatingDtypeBecomesF64) {
  const Case twin = f64TwinOf(parseCase(R"(
fusion f(%a: bf16[i0, i1], %n: i32[i1], %s: f64) {
  %b = cast(%a) {dtype = f32}
  %m = cast(%n) {dtype = f16}
  %k = cast(%b) {dtype = i64}
  %o = full() {shape = [i1], fill_value = %s, dtype = f16}
  %p = add(%m, %o)
  %r = sum(%b) {dims = [0]}
  %q = cast(%r) {dtype = bf16}
  return %k, %p, %q
}
run { %a = uniform(seed = 1, low = 0, high = 9) : bf16[2, 3] {strides = [5, 1], offset = 2}
      %n = integers(seed = 2, low = 1, high = 9) : i32[3]
      %s = 0.5 }
)",
                                        "test"));
  const Case expected = parseCase(R"(
fusion f(%a: f64[i0, i1], %n: i32[i1], %s: f64) {
  %b = set(%a)
  %m = cast(%n) {dtype = f64}
  %k = cast(%b) {dtype = i64}
  %o = full() {shape = [i1], fill_value = %s, dtype = f64}
  %p = add(%m, %o)
  %r = sum(%b) {dims = [0]}
  %q = set(%r)
  return %k, %p, %q
}
run { %a = uniform(seed = 1, low = 0, high = 9) : f64[2, 3] {strides = [5, 1], offset = 2}
      %n = integers(seed = 2, low = 1, high = 9) : i32[3]
      %s = 0.5 }
)",
                                  "test");
  EXPECT_EQ(printCase(twin), printCase(expected));
}

TEST(F64TwinTest, GeneratedCasesHaveTwinsThatAreTheirOwnTwins) {
  GeneratorOptions options;
  options.exclude = {OpKind::Bitcast};  // which has no twin
  for (uint64_t number = 0; number < 200; ++number) {
    const Case twin = f64TwinOf(generateCase(7, number, options));
    for (const Val* val : twin.fusion->usedVals()) {
      EXPECT_TRUE(!isFloating(val->dtype()) || val->dtype() == DataType::Double) << "case " << number;
    }
    EXPECT_EQ(printCase(f64TwinOf(twin)), printCase(twin)) << "case " << number;
  }
}

}  // namespace
}  // namespace fuser::fuzz

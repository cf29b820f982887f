#include "fuser/ptx/share_places.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

size_t registerBytesOf(const std::string& body) {
  const Module module = parsePtx(moduleText({.body = body}), "test.ptx");
  return makeProgram(module, "k", "test.ptx").registerBytes;
}

// %x0, then each the last one and one: 2 registers at a time.
std::string chain(int length) {
  std::string body = concat(".reg .b32 %x<", length + 1, ">;\nmov.u32 %x0, %t;\n");
  for (int i = 0; i < length; ++i) body += concat("add.u32 %x", i + 1, ", %x", i, ", 1;\n");
  return body + concat("st.global.u32 [%o], %x", length, ";\n");
}

TEST(SharePlacesTest, AChainTakesTheRoomOfTwoRegisters) {
  EXPECT_EQ(registerBytesOf(chain(1000)), registerBytesOf(chain(2)));
  EXPECT_EQ(run({.body = chain(1000)})[5], 1005u);
}

TEST(SharePlacesTest, WhatALoopNeedsStays) {
  const std::vector<uint32_t> out = run({.body = R"(
.reg .b32 %x<9>;
mov.u32 %x0, %t;
mov.u32 %x1, 0;
mov.u32 %x2, 0;
$again:
add.u32 %x3, %x0, %x1;
add.u32 %x2, %x2, %x3;
add.u32 %x1, %x1, 1;
setp.lt.u32 %p1, %x1, 4;
@%p1 bra $again;
mov.u32 %x4, %x2;
st.global.u32 [%o], %x4;
)"});
  EXPECT_EQ(out[3], 4u * 3 + 6);
}

// %x0 is read by the next turn alone: nothing may take its place in what is left of this one.
TEST(SharePlacesTest, WhatTheNextTurnNeedsStays) {
  const std::vector<uint32_t> out = run({.body = R"(
.reg .b32 %x<9>;
mov.u32 %x0, %t;
mov.u32 %x1, 0;
mov.u32 %x4, 0;
$again:
add.u32 %x4, %x4, %x0;
add.u32 %x0, %x0, 1;
add.u32 %x3, %x1, 1;
mov.u32 %x1, %x3;
setp.lt.u32 %p1, %x1, 4;
@%p1 bra $again;
st.global.u32 [%o], %x4;
)"});
  EXPECT_EQ(out[3], 4u * 3 + 6);
}

TEST(SharePlacesTest, ThreadsThatAGuardLeavesOutKeepTheirs) {
  const std::vector<uint32_t> out = run({.body = R"(
.reg .b32 %x<9>;
mov.u32 %x0, 7;
setp.lt.u32 %p1, %t, 4;
add.u32 %x1, %t, 100;
@%p1 mov.u32 %x0, %x1;
add.u32 %x2, %x0, 1;
st.global.u32 [%o], %x2;
)"});
  EXPECT_EQ(out[3], 104u);
  EXPECT_EQ(out[4], 8u);
}

// Were %x1 where %x0 was, threads from 4 on would find a defined number.
TEST(SharePlacesTest, WhatIsNotWrittenOnSomePathIsStillUndefined) {
  const std::string fault = faultOf({.body = R"(
.reg .b32 %x<9>;
mov.u32 %x0, %t;
st.global.u32 [%o], %x0;
setp.ge.u32 %p1, %t, 4;
@%p1 bra $skip;
mov.u32 %x1, 1;
$skip:
st.global.u32 [%o], %x1;
)"});
  EXPECT_NE(fault.find("uninitialised bits are stored"), fault.npos) << fault;
  EXPECT_NE(fault.find("thread 4"), fault.npos) << fault;
}

// Random programs of sums, comparisons, guards and branches, beside what they mean.
class RandomProgram {
 public:
  static constexpr size_t kRegisters = 24, kPredicates = 6;

  explicit RandomProgram(const std::vector<uint32_t>& choices) {
    for (uint32_t choice : choices) steps_.push_back(stepOf(choice, steps_.size(), choices.size()));
  }

  std::string body() const {
    std::string text = concat(".reg .b32 %x<", kRegisters, ">;\n.reg .pred %q<", kPredicates, ">;\n");
    for (size_t i = 0; i < kRegisters; ++i) text += concat("mad.lo.u32 %x", i, ", %t, ", 2 * i + 1, ", ", i, ";\n");
    for (size_t i = 0; i < kPredicates; ++i) text += concat("setp.lt.u32 %q", i, ", %t, ", 5 * i, ";\n");
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      text += concat("$at", i, ":\n");
      if (step.guard >= 0) text += concat("@", step.negated ? "!" : "", "%q", step.guard, " ");
      if (step.kind == Step::Branch) text += concat("bra $at", step.target, ";\n");
      if (step.kind == Step::Add) text += concat("add.u32 %x", step.to, ", %x", step.a, ", %x", step.b, ";\n");
      if (step.kind == Step::Compare) text += concat("setp.lt.u32 %q", step.to, ", %x", step.a, ", %x", step.b, ";\n");
    }
    return text + concat("$at", steps_.size(),
                         ":\nxor.b32 %x0, %x0, %x1;\nxor.b32 %x0, %x0, %x2;\nst.global.u32 [%o], %x0;\n");
  }

  uint32_t resultOf(uint32_t thread) const {
    std::array<uint32_t, kRegisters> x{};
    std::array<bool, kPredicates> q{};
    for (uint32_t i = 0; i < kRegisters; ++i) x[i] = thread * (2 * i + 1) + i;
    for (uint32_t i = 0; i < kPredicates; ++i) q[i] = thread < 5 * i;
    for (size_t i = 0; i < steps_.size();) {
      const Step& step = steps_[i++];
      if (step.guard >= 0 && q[static_cast<size_t>(step.guard)] == step.negated) continue;
      if (step.kind == Step::Branch) i = step.target;
      if (step.kind == Step::Add) x[step.to] = x[step.a] + x[step.b];
      if (step.kind == Step::Compare) q[step.to] = x[step.a] < x[step.b];
    }
    return x[0] ^ x[1] ^ x[2];
  }

 private:
  struct Step {
    enum Kind : uint8_t { Add, Compare, Branch } kind = Add;
    int guard = -1;
    bool negated = false;
    size_t to = 0, a = 0, b = 0, target = 0;
  };

  static Step stepOf(uint32_t choice, size_t at, size_t count) {
    const auto draw = [&](size_t most) {
      const size_t drawn = choice % most;
      choice /= static_cast<uint32_t>(most);
      return drawn;
    };
    Step step;
    step.kind = std::array{Step::Add, Step::Add, Step::Add, Step::Compare, Step::Branch}[draw(5)];
    if (step.kind == Step::Branch || draw(3) == 0) step.guard = static_cast<int>(draw(kPredicates));
    step.negated = draw(2) == 1;
    step.to = draw(step.kind == Step::Compare ? kPredicates : kRegisters);
    step.a = draw(kRegisters);
    step.b = draw(kRegisters);
    step.target = at + 1 + draw(std::min<size_t>(6, count - at));  // forwards
    return step;
  }

  std::vector<Step> steps_;
};

RC_GTEST_PROP(SharePlacesTest, ProgramsMeanTheSame, ()) {
  const auto count = static_cast<size_t>(*rc::gen::inRange(1, 60));
  const RandomProgram program(*rc::gen::container<std::vector<uint32_t>>(count, rc::gen::arbitrary<uint32_t>()));
  const std::vector<uint32_t> out = run({.body = program.body(), .threads = 32});
  for (uint32_t thread = 0; thread < 32; ++thread) RC_ASSERT(out[thread] == program.resultOf(thread));
}

}  // namespace
}  // namespace fuser::ptx

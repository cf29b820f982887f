// Index programs against direct evaluation in 128 bits: random expressions over parameters, lanes and loop indices.
#include "fuser/execute/interp_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "fuser/support/check.h"

namespace fuser::interp {
namespace {

using Wide = __int128;
constexpr Wide kCertain = Wide{1} << 61;
constexpr Wide kBeyond = (Wide{1} << 63) + 1;  // stands for all that is larger, so that products stay in 128 bits

// The exact value, and whether some part of it is so large that the program may call it an overflow; whether some part
// exceeds `limit`, so that a program with that limit must.
struct Exact {
  Wide value;
  bool large;
  bool exceeds;
};

Wide floorDivide(Wide a, Wide b) {
  if (b == 0) return 0;
  const Wide quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Exact exact(IntExpr expr, const std::map<IntExpr, int64_t>& values, Wide limit) {
  const auto exceeds = [&](Wide value) { return value > limit || value < -limit; };
  if (expr->isConstant()) return {expr->value, false, exceeds(expr->value)};
  if (expr->isSymbol()) return {values.at(expr), false, exceeds(values.at(expr))};
  const Exact a = exact(expr->a, values, limit);
  const Exact b = exact(expr->b, values, limit);
  Wide value = 0;
  switch (expr->op) {
    case IntOp::Constant:
    case IntOp::Symbol:
    case IntOp::Meet: break;
    case IntOp::Add: value = a.value + b.value; break;
    case IntOp::Mul: value = a.value * b.value; break;
    case IntOp::FloorDiv: value = floorDivide(a.value, b.value); break;
    case IntOp::Mod: value = b.value == 0 ? 0 : a.value - floorDivide(a.value, b.value) * b.value; break;
    case IntOp::Min: value = std::min(a.value, b.value); break;
    case IntOp::Max: value = std::max(a.value, b.value); break;
    case IntOp::Less: value = a.value < b.value; break;
    case IntOp::Equal: value = a.value == b.value; break;
    case IntOp::And: value = a.value != 0 && b.value != 0; break;
  }
  value = std::clamp(value, -kBeyond, kBeyond);
  return {value, a.large || b.large || value > kCertain || value < -kCertain, a.exceeds || b.exceeds || exceeds(value)};
}

IntExpr randomExpr(IntExprArena& ints, const std::vector<IntExpr>& symbols, int depth) {
  const auto number = [](int64_t low, int64_t high) {
    return *rc::gen::resize(100, rc::gen::inRange<int64_t>(low, high));
  };
  if (depth == 0 || number(0, 5) == 0) {
    if (number(0, 3) == 0) return ints.constant(number(-20, 1000));
    return symbols[static_cast<size_t>(number(0, static_cast<int64_t>(symbols.size())))];
  }
  const IntExpr a = randomExpr(ints, symbols, depth - 1);
  const IntExpr b = randomExpr(ints, symbols, depth - 1);
  switch (number(0, 9)) {
    case 0:
    case 1: return ints.add(a, b);
    case 2: return ints.mul(a, b);
    case 3: return ints.floorDiv(a, b);
    case 4: return ints.mod(a, b);
    case 5: return ints.min(a, b);
    case 6: return ints.max(a, b);
    case 7: return ints.less(a, b);
    default: return ints.conjunction(ints.less(a, b), ints.equal(b, a));
  }
}

// With huge parameters, products leave int64. With a limit, what exceeds it is an overflow, and nothing else.
void agreesWithDirectEvaluation(bool huge, int64_t limit) {
  constexpr size_t kLanes = 6;
  IntExprArena ints;
  IndexProgram program(limit);
  const int64_t bound = huge ? int64_t{1} << 40 : 50;
  const auto draw = [](int64_t high) { return *rc::gen::resize(100, rc::gen::inRange<int64_t>(0, high)); };
  const IntExpr param = ints.symbol("n", {0, int64_t{1} << 40});
  const IntExpr lane = ints.index("threadIdx", ints.constant(static_cast<int64_t>(kLanes)));
  const IntExpr block = ints.index("blockIdx", param);
  const int paramRegister = program.declare(param, kLaunchScope, false, -1);
  const int laneRegister = program.declare(lane, kLaunchScope, true, -1);
  const int blockRegister = program.declare(block, kBatchScope, true, -1);
  const int loopScope = program.newScope();
  const IntExpr turn = ints.index("i", param);
  const int turnRegister = program.declare(turn, loopScope, false, paramRegister);
  const std::vector<IntExpr> symbols{param, lane, block, turn};
  std::vector<std::pair<IntExpr, int>> exprs;
  for (int i = 0; i < 4; ++i) {
    const IntExpr expr = randomExpr(ints, symbols, 3);
    exprs.emplace_back(expr, program.registerOf(expr));
  }

  const int64_t n = 1 + draw(bound);
  std::vector<int64_t> memory(program.laneSlots() * kLanes);
  IndexValues values(program, kLanes);
  values.useMemory(memory.data());
  values.set(paramRegister, n);
  values.bound(paramRegister, n, n);
  values.bound(laneRegister, 0, kLanes - 1);
  values.bound(blockRegister, 0, n - 1);
  for (size_t l = 0; l < kLanes; ++l) values.setLanes(laneRegister)[l] = static_cast<int64_t>(l);
  values.prepare();
  values.compute(kLaunchScope, kLanes);
  for (int batch = 0; batch < 2; ++batch) {
    std::vector<int64_t> blocks(kLanes);
    for (int64_t& value : blocks) value = draw(n);
    std::copy(blocks.begin(), blocks.end(), values.setLanes(blockRegister));
    values.compute(kBatchScope, kLanes);
    for (int turns = 0; turns < 2; ++turns) {
      const int64_t i = draw(n);
      values.set(turnRegister, i);
      values.compute(loopScope, kLanes);
      for (const auto& [expr, r] : exprs) {
        for (size_t l = 0; l < kLanes; ++l) {
          const Exact wanted =
              exact(expr, {{param, n}, {lane, static_cast<int64_t>(l)}, {block, blocks[l]}, {turn, i}}, limit);
          const int64_t got = values.at(r, l);
          bool agrees = got == kOverflow ? wanted.large || wanted.exceeds : Wide{got} == wanted.value;
          if (limit != kNoLimit) agrees &= (got == kOverflow) == wanted.exceeds;
          if (!agrees) {
            RC_FAIL(toString(expr, [&](IntExpr s) { return ints.symbolOf(s).name; }) + concat(" is ", got, "; n = ", n,
                    ", lane ", l, ", blockIdx = ", blocks[l], ", i = ", i));
          }
        }
      }
    }
  }
}

RC_GTEST_PROP(InterpIndexTest, AgreesWithDirectEvaluation, (bool huge)) { agreesWithDirectEvaluation(huge, kNoLimit); }

RC_GTEST_PROP(InterpIndexTest, WhatExceedsTheLimitIsAnOverflow, ()) {
  agreesWithDirectEvaluation(false, *rc::gen::element<int64_t>(63, 255, 1023, 100000));
}

TEST(InterpIndexTest, ComputesOutsideLoopsWhatDoesNotChangeInThem) {
  IntExprArena ints;
  IndexProgram program;
  const IntExpr n = ints.symbol("n");
  const IntExpr lane = ints.index("threadIdx", ints.constant(4));
  const int nRegister = program.declare(n, kLaunchScope, false, -1);
  program.declare(lane, kLaunchScope, true, -1);
  const int scope = program.newScope();
  const IntExpr i = ints.index("i", n);
  program.declare(i, scope, false, nRegister);
  // (i * 8) + n + (threadIdx * n) + 3: in the loop i * 8, and one addition to the rest.
  program.registerOf(
      ints.add(ints.add(ints.mul(i, ints.constant(8)), n), ints.add(ints.mul(lane, n), ints.constant(3))));
  EXPECT_EQ(program.computedIn(scope).size(), 2u);
}

TEST(InterpIndexTest, SeesWhichLanesRunInSteps) {
  IntExprArena ints;
  IndexProgram program;
  const int r = program.declare(ints.index("threadIdx", ints.constant(200)), kLaunchScope, true, -1);
  std::vector<int64_t> memory(200);
  IndexValues values(program, 200);
  values.useMemory(memory.data());
  for (size_t l = 0; l < 200; ++l) values.setLanes(r)[l] = static_cast<int64_t>(l) * 3 - 5;
  EXPECT_TRUE(values.affine(r, 200).is);
  EXPECT_EQ(values.affine(r, 200).step, 3);
  values.setLanes(r)[199] = 0;
  EXPECT_FALSE(values.affine(r, 200).is);
}

}  // namespace
}  // namespace fuser::interp

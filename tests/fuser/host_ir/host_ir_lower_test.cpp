// Which groups the host can run as one body, and which groups it takes apart.

#include "fuser/host_ir/host_ir_lower.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

// Groups of one expression each, by the names of their results.
struct Groups {
  explicit Groups(const std::string& body, const std::string& settings = "")
      : testCase(parseCase(concat("fusion f(%x: f32[i0, i1], %w: f32[i1]) {\n", body, "}\n", settings), "f")),
        segmented(*testCase.fusion) {
    for (Expr* expr : testCase.fusion->exprs()) groups[expr->output()->name()] = segmented.newGroup({expr});
  }
  bool merge(const std::string& a, const std::string& b) {
    const bool may = HostIrLower::shouldMergeSegmentedGroups(groups.at(a), groups.at(b));
    EXPECT_EQ(HostIrLower::shouldMergeSegmentedGroups(groups.at(b), groups.at(a)), may) << a << " and " << b;
    return may;
  }
  // Why the expressions that make these are no body; the last one is stored.
  std::string whyNot(const std::vector<std::string>& names) {
    std::vector<Expr*> exprs;
    for (const std::string& name : names) exprs.push_back(groups.at(name)->exprs().front());
    return HostIrLower::whyNotOneBody(exprs, {exprs.back()->output()});
  }

  Case testCase;
  SegmentedFusion segmented;
  std::map<std::string, SegmentedGroup*> groups;
};

TEST(HostIrLowerTest, GroupsOffTheStreamsMerge) {
  Groups groups(
      "  %alone = neg(%x)\n  %alone2 = exp(%alone)\n  %kernel = reshape(%x) {shape = [-1]}\n  %copy = set(%x)\n"
      "  return %alone2, %kernel, %copy\n");
  EXPECT_TRUE(groups.merge("alone", "alone2"));
  EXPECT_TRUE(groups.merge("alone", "kernel"));
  EXPECT_TRUE(groups.merge("copy", "alone"));
}

TEST(HostIrLowerTest, GroupsOfOneStreamAxisMerge) {
  Groups groups(
      "  %a = neg(%x)\n  %t = permute(%a) {dims = [1, 0]}\n  %other = neg(%a)\n  %off = exp(%x)\n"
      "  %y = add(%a, %off)\n  return %t, %other, %y\n",
      "stream %a {dim = 0}\nstream %t {dim = 1}\nstream %other {dim = 1}\nstream %y {dim = 0}\n");
  EXPECT_TRUE(groups.merge("a", "t")) << "axis 1 of %t is axis 0 of %a";
  EXPECT_TRUE(groups.merge("a", "y"));
  EXPECT_FALSE(groups.merge("a", "other"));
  EXPECT_FALSE(groups.merge("a", "off"));
  EXPECT_FALSE(groups.merge("off", "y")) << "%off has the axis, and it is on no streams";
}

TEST(HostIrLowerTest, APlainCopyOnStreamsStaysAlone) {
  Groups groups("  %a = set(%x)\n  %b = set(%a)\n  %c = neg(%b)\n  return %c\n",
                "stream %a {dim = 0}\nstream %b {dim = 0}\nstream %c {dim = 0}\n");
  EXPECT_FALSE(groups.merge("a", "b"));
  EXPECT_FALSE(groups.merge("b", "c"));
  EXPECT_NE(groups.whyNot({"a", "b"}), "");
  EXPECT_EQ(groups.whyNot({"a", "b", "c"}), "") << "copies with something else are no copies alone";
}

TEST(HostIrLowerTest, EveryTurnComputesAgainWhatIsAlikeInAll) {
  Groups groups(
      "  %e = exp(%w)\n  %m = unsqueeze(%e) {dims = [0]}\n  %y = mul(%x, %m)\n  %s = sum(%w) {dims = [0]}\n"
      "  %u = unsqueeze(%s) {dims = [0, 1]}\n  %z = mul(%x, %u)\n  return %y, %z\n",
      "stream %y {dim = 0}\nstream %z {dim = 0}\n");
  EXPECT_EQ(groups.whyNot({"e", "m", "y"}), "");
  EXPECT_EQ(groups.whyNot({"y", "m"}), "%m is not spread along the axis") << "turns would write it over one another";
  EXPECT_EQ(groups.whyNot({"u", "z"}), "");
  EXPECT_EQ(groups.whyNot({"s", "u", "z"}), "%s would be reduced again in every slice");
}

TEST(HostIrLowerTest, ATensorHasOneAxisInABody) {
  Groups groups("  %a = neg(%x)\n  %t = permute(%x) {dims = [1, 0]}\n  return %a, %t\n",
                "stream %a {dim = 0}\nstream %t {dim = 0}\n");
  EXPECT_FALSE(groups.merge("a", "t"));
  EXPECT_EQ(groups.whyNot({"a", "t"}), "%x is needed in other slices, too");
}

TEST(HostIrLowerTest, TurnsOfOneLoopHaveOneNumber) {
  Groups groups("  %a = neg(%x)\n  %b = abs(%w)\n  return %a, %b\n", "stream %a {dim = 0}\nstream %b {dim = 0}\n");
  EXPECT_FALSE(groups.merge("a", "b"));
  EXPECT_EQ(groups.whyNot({"a", "b"}), "%a has another number of slices");
}

TEST(HostIrLowerTest, GroupsOfOneShardingMerge) {
  Groups groups(
      "  %a = exp(%x)\n  %b = neg(%a)\n  %s = sum(%b) {dims = [0]}\n  %r = neg(%b)\n  %t = permute(%b) {dims = [1, "
      "0]}\n"
      "  %o = abs(%b)\n  %c = exp(%w)\n  %d = neg(%c)\n  return %s, %r, %t, %o, %d\n",
      "mesh {devices = [0, 1]}\nshard %x {dim = 0, type = DIDx}\nshard %a {dim = 0, type = DIDx}\n"
      "shard %b {dim = 0, type = DIDx}\nshard %t {dim = 1, type = DIDx}\nshard %o {dim = 1, type = DIDx}\n");
  EXPECT_TRUE(groups.merge("a", "b"));
  EXPECT_TRUE(groups.merge("b", "t")) << "axis 1 of %t is axis 0 of %b";
  EXPECT_TRUE(groups.merge("c", "d"));
  EXPECT_FALSE(groups.merge("b", "s")) << "devices join their parts";
  EXPECT_FALSE(groups.merge("b", "r")) << "%r is whole on each device";
  EXPECT_FALSE(groups.merge("b", "o")) << "%o is sharded along another axis";
}

TEST(HostIrLowerTest, TheHostTakesApartWhatIsOnStreams) {
  Groups groups("  %a = neg(%x)\n  %b = exp(%a)\n  %c = reshape(%b) {shape = [-1]}\n  return %c\n",
                "stream %b {dim = 0}\n");
  const auto exprOf = [&](const char* name) { return groups.groups.at(name)->exprs().front(); };
  EXPECT_TRUE(isStandalone({exprOf("a")}));
  EXPECT_FALSE(isStandalone({exprOf("c")}));
  EXPECT_TRUE(isStandalone({exprOf("a"), exprOf("b")}));
  EXPECT_FALSE(isStandalone({exprOf("a"), exprOf("c")}));
}

}  // namespace
}  // namespace fuser

// Groups, edges, the value-based view, invariants, the edits and what is checked after each.

#include "fuser/segment/segmented_fusion.h"

#include <gtest/gtest.h>

#include "fuser/segment/invariants.h"
#include "fuser/segment/unchecked_segments.h"
#include "tests/fuser/segment/fake_schedulers.h"

namespace fuser {
namespace {

const char kDiamond[] =
    "fusion diamond(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%a)\n  %d = add(%b, %c)\n"
    "  return %d, %a\n}\n";

class EdgeTest : public testing::Test {
 protected:
  SegmentedGroup* group(const std::string& name) { return segmented_.groupOf(name); }
  SegmentedFusion& segments() { return *segmented_.segments; }
  SegmentedEdgePtr edge(const std::string& from, const std::string& to) {
    return segments().getEdgesBetween(group(from), group(to)).at(0);
  }

  Segmented segmented_ = singles(kDiamond);
};

TEST_F(EdgeTest, ConnectReturnsTheExistingEdge) {
  const SegmentedEdgePtr old = edge("a", "b");
  EXPECT_EQ(segments().connectGroups(group("a"), group("b"), segmented_.val("a")), old);
  EXPECT_EQ(segments().edges().size(), 4u);
  EXPECT_EQ(segments().getEdgesBetween(group("b"), group("a")).size(), 1u);
}

TEST_F(EdgeTest, ConnectValidatesBeforeItChangesAnything) {
  EXPECT_THROW(segments().connectGroups(group("a"), group("d"), segmented_.val("a")),
               CheckError);  // d does not read it
  EXPECT_THROW(segments().connectGroups(group("b"), group("d"), segmented_.val("c")),
               CheckError);  // b does not make it
  EXPECT_THROW(segments().connectGroups(group("a"), group("a"), segmented_.val("a")), CheckError);
  EXPECT_THROW(segments().connectGroups(group("a"), nullptr, segmented_.val("a")), CheckError);
  Segmented other = singles(kDiamond);
  EXPECT_THROW(segments().connectGroups(group("a"), other.groupOf("b"), segmented_.val("a")), CheckError);
  EXPECT_EQ(segments().edges().size(), 4u);
  EXPECT_TRUE(findBrokenInvariants(segments()).empty());
}

TEST_F(EdgeTest, AnEdgeThatOutlivesItsSegmentsIsDisconnected) {
  Segmented other = singles(kDiamond);
  const SegmentedEdgePtr kept = other.segments->edges().front(), removed = other.segments->edges().back();
  const std::string text = kept->toString();
  other.segments->removeEdge(removed);
  other.segments.reset();
  for (const SegmentedEdgePtr& edge : {kept, removed}) {
    EXPECT_FALSE(edge->isConnected());
    EXPECT_EQ(edge->from(), nullptr);
    EXPECT_EQ(edge->to(), nullptr);
  }
  EXPECT_EQ(kept->toString(), text + " (disconnected)");
}

TEST_F(EdgeTest, ARemovedEdgeStaysReadableAndSaysSo) {
  const SegmentedEdgePtr removedEdge = edge("a", "b");
  const std::string text = removedEdge->toString();
  segments().removeEdge(removedEdge);
  EXPECT_FALSE(removedEdge->isConnected());
  EXPECT_EQ(removedEdge->from(), group("a"));
  EXPECT_EQ(removedEdge->to(), group("b"));
  EXPECT_EQ(removedEdge->val(), segmented_.val("a"));
  EXPECT_EQ(removedEdge->toString(), text + " (disconnected)");
  EXPECT_THROW(segments().removeEdge(removedEdge), CheckError);
  EXPECT_THROW(segments().removeEdge(nullptr), CheckError);
  const SegmentedEdgePtr again = segments().connectGroups(group("a"), group("b"), segmented_.val("a"));
  EXPECT_NE(again, removedEdge);
  EXPECT_TRUE(again->isConnected());
  EXPECT_FALSE(removedEdge->isConnected());
}

TEST_F(EdgeTest, RemovingOneConsumersEdgeLeavesTheOthers) {
  // The reference is to an element of the list that shrinks.
  segments().removeEdge(group("a")->consumerEdges().front());
  ASSERT_EQ(group("a")->consumerEdges().size(), 1u);
  EXPECT_EQ(group("a")->consumerEdges()[0]->to(), group("c"));
  EXPECT_TRUE(group("b")->producerEdges().empty());
}

TEST_F(EdgeTest, DisconnectRemovesAllEdgesBetweenTwoGroups) {
  const SegmentedEdgePtr removedEdge = edge("b", "d");
  segments().disconnectGroups(group("d"), group("b"));
  EXPECT_TRUE(segments().getEdgesBetween(group("b"), group("d")).empty());
  EXPECT_FALSE(removedEdge->isConnected());
  EXPECT_EQ(segments().edges().size(), 3u);
  EXPECT_THROW(segments().disconnectGroups(group("b"), group("b")), CheckError);
}

TEST_F(EdgeTest, MergingMovesEdgesAndRemovesThoseInside) {
  const SegmentedEdgePtr inside = edge("a", "b");
  SegmentedGroup* a = group("a");
  SegmentedGroup* b = group("b");
  SegmentedGroup* merged = segments().mergeGroups(a, b);
  EXPECT_FALSE(inside->isConnected());
  EXPECT_EQ(inside->from(), a);  // readable although one of its groups is merged away
  EXPECT_NE(a->isLive(), b->isLive());
  EXPECT_EQ(group("a"), merged);
  EXPECT_EQ(group("b"), merged);
  EXPECT_EQ(segments().getEdgesBetween(merged, group("c")).size(), 1u);
  EXPECT_EQ(segments().getEdgesBetween(merged, group("d")).size(), 1u);
  EXPECT_TRUE(findBrokenInvariants(segments()).empty());
  EXPECT_THROW(segments().mergeGroups(a, b), CheckError);
}

TEST_F(EdgeTest, RejectsMergingGroupsWithEdgesInBothDirections) {
  SegmentedGroup* merged = segments().mergeGroups(group("b"), group("c"));
  segments().mergeGroups(merged, group("d"));
  EXPECT_EQ(segments().groups().size(), 2u);
  Segmented cyclic =
      singles("fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%b)\n  return %c\n}\n");
  // a + c reads b, and b reads a: the merge itself is the caller's mistake, found by the checks.
  EXPECT_THROW(cyclic.segments->mergeGroups(cyclic.groupOf("a"), cyclic.groupOf("c")), CheckError);
}

TEST_F(EdgeTest, TheValueViewKnowsProducersAndConsumers) {
  const Val* a = segmented_.val("a");
  EXPECT_EQ(segments().producerOf(a), group("a"));
  EXPECT_EQ(segments().producerOf(segmented_.val("x")), nullptr);
  EXPECT_EQ(segments().consumersOf(a), (std::vector<SegmentedGroup*>{group("b"), group("c")}));
  EXPECT_TRUE(segments().consumersOf(segmented_.val("d")).empty());
}

TEST_F(EdgeTest, TheInvariantCheckerSeesEachKindOfDamage) {
  segments().removeEdge(edge("a", "c"));
  std::vector<std::string> broken = findBrokenInvariants(segments());
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_NE(broken[0].find("without an edge"), std::string::npos) << broken[0];

  const Segmented other = singles(kDiamond);
  SegmentedFusion partial(*other.fusion);
  partial.newGroup({other.fusion->exprs()[0]});
  broken = findBrokenInvariants(partial);
  ASSERT_EQ(broken.size(), 3u);
  EXPECT_NE(broken[0].find("is in no group"), std::string::npos) << broken[0];
  EXPECT_TRUE(findBrokenInvariants(partial, Completeness::SomeExprs).empty());
  EXPECT_THROW(partial.newGroup({other.fusion->exprs()[0]}), CheckError);
  EXPECT_THROW(partial.newGroup({}), CheckError);
}

// --- who may write edges ---

// What a subclass could reach of a group and of an edge.
class GroupProbe : public SegmentedGroup {
 public:
  template <class Group>
  static constexpr bool reachesEdges() {
    return requires(Group & group) { group.edges_; };
  }
  template <class Group>
  static constexpr bool reachesExprs() {
    return requires(Group & group) { group.exprs_; };
  }
};
static_assert(GroupProbe::reachesExprs<GroupProbe>(), "the probe sees what subclasses see");
static_assert(!GroupProbe::reachesEdges<GroupProbe>(), "a group's edges are written by EdgeLists alone");

class FusionProbe : public SegmentedFusion {
 public:
  template <class Segments>
  static constexpr bool reachesEdgeLists() {
    return requires(Segments & segments) { segments.data_; }
    || requires(Segments & segments) { segments.SegmentGraph::data_; };
  }
};
static_assert(!FusionProbe::reachesEdgeLists<FusionProbe>(), "the four functions are the one way to the edges");
template <class Group>
constexpr bool kGivesListsToWrite =
    !std::is_const_v<std::remove_reference_t<decltype(std::declval<Group&>().producerEdges())>> ||
    !std::is_const_v<std::remove_reference_t<decltype(std::declval<Group&>().consumerEdges())>>;
static_assert(!kGivesListsToWrite<SegmentedGroup>);
static_assert(std::is_abstract_v<SegmentedEdge>, "an edge says whether it is connected, and nobody else does");

// --- the checker after each edit ---

SegmentsDescription toldOf(const SegmentedFusion& segmented) {
  SegmentsDescription description;
  for (const SegmentedGroup* group : segmented.groups()) {
    description.groups.push_back(
        {group->exprs(), {}, group->schedulerType(), group->inputs().vector(), group->outputs().vector()});
  }
  for (const SegmentedEdgePtr& edge : segmented.edges()) {
    description.edges.push_back(
        {static_cast<size_t>(edge->from()->index()), static_cast<size_t>(edge->to()->index()), edge->val()});
  }
  return description;
}

struct Edit {
  const char* name;  // as the checker calls it
  void (*run)(SegmentedFusion& segments, const Segmented& singly);
};
// Each is right by itself on single groups of kEdited.
const char kEdited[] =
    "fusion f(%x: f32[i0], %y: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%b)\n  %p = exp(%y)\n"
    "  %h = cast(%p) {dtype = bf16}\n  %q = neg(%h)\n  %r = log(%h)\n  return %c, %q, %r\n}\n";
SegmentedGroup* in(SegmentedFusion& segments, const Segmented& singly, const char* name) {
  return segments.producerOf(singly.val(name));
}
const Edit kEdits[] = {
    {"connecting two groups",
     [](SegmentedFusion& s, const Segmented& f) { s.connectGroups(in(s, f, "p"), in(s, f, "h"), f.val("p")); }},
    {"disconnecting two groups",
     [](SegmentedFusion& s, const Segmented& f) { s.disconnectGroups(in(s, f, "p"), in(s, f, "h")); }},
    {"removing an edge",
     [](SegmentedFusion& s, const Segmented& f) {
       s.removeEdge(s.getEdgesBetween(in(s, f, "p"), in(s, f, "h")).at(0));
     }},
    {"merging two groups", [](SegmentedFusion& s, const Segmented& f) { s.mergeGroups(in(s, f, "p"), in(s, f, "h")); }},
    {"merging several groups",
     [](SegmentedFusion& s, const Segmented& f) {
       s.mergeGroups({in(s, f, "p"), in(s, f, "h"), in(s, f, "q"), in(s, f, "r")});
     }},
    {"privatising an expression",
     [](SegmentedFusion& s, const Segmented& f) { s.privatize(f.val("h")->definition()); }},
    {"moving an expression",
     [](SegmentedFusion& s, const Segmented& f) { s.moveExpr(f.val("q")->definition(), in(s, f, "h")); }},
};

TEST(CheckAfterEditTest, EveryEditOfASoundSegmentationPasses) {
  for (const Edit& edit : kEdits) {
    const Segmented singly = singles(kEdited);
    const auto segments = buildUnchecked(*singly.fusion, toldOf(*singly.segments), true);
    EXPECT_NO_THROW(edit.run(*segments, singly)) << edit.name;
  }
}

TEST(CheckAfterEditTest, EveryEditChecksAllEdges) {
  for (const Edit& edit : kEdits) {
    const Segmented singly = singles(kEdited);
    SegmentsDescription description = toldOf(*singly.segments);
    description.edges.push_back(description.edges.front());  // a -> b twice, far from the edit
    EXPECT_NO_THROW(edit.run(*buildUnchecked(*singly.fusion, description), singly)) << edit.name;
    const auto segments = buildUnchecked(*singly.fusion, description, true);
    try {
      edit.run(*segments, singly);
      ADD_FAILURE() << edit.name << ": the doubled edge was not found";
    } catch (const CheckError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(concat("after ", edit.name)), std::string::npos) << text;
      EXPECT_NE(text.find("is there twice"), std::string::npos) << text;
    }
  }
}

TEST(CheckAfterEditTest, ComputingAnExpressionOnceChecksAllEdges) {
  const Segmented singly = singles(kEdited);
  Expr* cast = singly.val("h")->definition();
  // %h is computed by both its readers; an edge is doubled elsewhere.
  const auto privatised = [&](bool checkEdits) {
    const auto plain = buildUnchecked(*singly.fusion, toldOf(*singly.segments));
    plain->privatize(cast);
    plain->finalize();
    SegmentsDescription copied = toldOf(*plain);
    for (size_t i = 0; i < copied.groups.size(); ++i) {
      if (plain->groupOf(cast) == plain->groups()[i] || std::erase(copied.groups[i].exprs, cast) == 0) continue;
      copied.groups[i].copies = {cast};
    }
    copied.edges.push_back(copied.edges.front());
    return buildUnchecked(*singly.fusion, copied, checkEdits);
  };
  const auto unchecked = privatised(false);
  EXPECT_NO_THROW(unchecked->computeOnce(cast, unchecked->producerOf(singly.val("p"))));
  const auto checked = privatised(true);
  EXPECT_THROW(checked->computeOnce(cast, checked->producerOf(singly.val("p"))), CheckError);
}

// --- as description ---

TEST(UncheckedSegmentsTest, DamageIsKeptAndFoundByTheInvariants) {
  const Segmented singly = singles(kDiamond);
  const auto brokenBy = [&](const std::function<void(SegmentsDescription&)>& damage) {
    SegmentsDescription description = toldOf(*singly.segments);
    damage(description);
    return findBrokenInvariants(*buildUnchecked(*singly.fusion, description));
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(brokenBy([](SegmentsDescription&) {}), Lines{});
  EXPECT_EQ(brokenBy([](SegmentsDescription& description) { description.edges.push_back(description.edges.front()); }),
            Lines{"edge g0 -> g1: %a is there twice"});
  EXPECT_EQ(brokenBy([](SegmentsDescription& description) { description.groups[0].outputs.clear(); }),
            Lines{"group 0 has other outputs"});
  EXPECT_EQ(brokenBy([](SegmentsDescription& description) { description.groups[3].inputs.pop_back(); }),
            Lines{"group 3 has other inputs"});
  const Lines lost = brokenBy([](SegmentsDescription& description) { description.edges.pop_back(); });
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("crosses from group 2 to group 3 without an edge"), std::string::npos) << lost[0];
}

TEST(UncheckedSegmentsTest, RejectsAmbiguousNames) {
  const Segmented singly = singles(kDiamond);
  SegmentsDescription twice = toldOf(*singly.segments);
  twice.groups[1].exprs.push_back(twice.groups[0].exprs.front());
  EXPECT_THROW(buildUnchecked(*singly.fusion, twice), CheckError);
  SegmentsDescription homeless = toldOf(*singly.segments);
  homeless.groups[1].copies = homeless.groups[3].exprs;
  homeless.groups.pop_back();
  EXPECT_THROW(buildUnchecked(*singly.fusion, homeless), CheckError);
}

TEST(SegmentedFusionTest, MergingManyGroupsKeepsEveryValuesEdge) {
  const Segmented singly = singles(kDiamond);
  SegmentedFusion& segments = *singly.segments;
  const SegmentedEdgePtr inside = segments.getEdgesBetween(singly.groupOf("b"), singly.groupOf("d")).at(0);
  SegmentedGroup* merged = segments.mergeGroups({singly.groupOf("b"), singly.groupOf("c"), singly.groupOf("d")});
  EXPECT_EQ(findBrokenInvariants(segments), std::vector<std::string>{});
  EXPECT_EQ(segments.getEdgesBetween(singly.groupOf("a"), merged).size(), 1u);
  EXPECT_EQ(segments.edges().size(), 1u);
  EXPECT_FALSE(inside->isConnected());
  EXPECT_THROW(segments.mergeGroups({merged, merged}), CheckError);
}

TEST(SegmentedFusionTest, FindsACycle) {
  const auto fusion =
      parseFusion("fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%b)\n  return %c\n}\n");
  SegmentedFusion segmented(*fusion);
  const std::vector<Expr*>& exprs = fusion->exprs();
  SegmentedGroup* outer = segmented.newGroup({exprs[0], exprs[2]});
  SegmentedGroup* inner = segmented.newGroup({exprs[1]});
  segmented.connectGroups(outer, inner, exprs[0]->output());
  segmented.connectGroups(inner, outer, exprs[1]->output());
  EXPECT_EQ(findBrokenInvariants(segmented), std::vector<std::string>{"the groups form a cycle"});
  EXPECT_THROW(segmented.finalize(), CheckError);
}

TEST(SegmentedFusionTest, ReadsAreOperandsAndScalarsOfExtentsOnly) {
  const auto fusion = parseFusion(
      "fusion f(%x: f32[i0], %n: i64) {\n  %m = add(%n, 1)\n  %k = size(%x) {dim = 0}\n"
      "  %y = full() {shape = [%m], fill_value = 2.0, dtype = f32}\n  %z = neg(%y)\n  %w = mul(%x, 3.0)\n"
      "  return %z, %w, %k\n}\n");
  const SegmentedFusion segmented(*fusion);
  const auto reads = [&](size_t expr) {
    std::string names;
    for (const Val* val : segmented.reads(fusion->exprs()[expr])) names += val->name() + " ";
    return fusion->exprs()[expr]->output()->name() + ": " + names;
  };
  EXPECT_EQ(reads(0), "m: n ");
  EXPECT_EQ(reads(1), "k: ");      // an extent, not the tensor
  EXPECT_EQ(reads(2), "y: m ");    // a shape's scalar; the literal is left out
  EXPECT_EQ(reads(3), "z: y m ");  // its loops need the extent
  EXPECT_EQ(reads(4), "w: x ");
}

}  // namespace
}  // namespace fuser

// Edits of a host program: what each changes, and what it refuses. Random edits keep a program well formed.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

struct HostIrEditTest : testing::Test {
  HostIrEditTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    for (const char* name : {"a", "b", "c", "d"}) tensors.push_back(build::set(fusion, x, name));
    for (TensorView* tensor : tensors) fusion.addOutput(tensor);
    for (const TensorView* tensor : tensors) exprs.push_back(program.append(hir::Allocate{tensor}));
  }
  hir::ForLoop loop() { return {fusion.ints().symbol("StreamIdx"), x, 0}; }
  // Names of what is allocated, loops in parentheses.
  std::string shape(const hir::Body& body) const {
    std::string text;
    for (const hir::HostExpr* expr : body) {
      const auto* allocate = std::get_if<hir::Allocate>(&expr->node);
      text += allocate ? allocate->tensor->name() : "(" + shape(program.body(expr)) + ")";
    }
    return text;
  }
  std::string shape() const { return shape(program.topLevel()); }
  // Every node that has a place, and what it stands in.
  std::vector<std::pair<const hir::HostExpr*, const hir::HostExpr*>> order() const {
    std::vector<std::pair<const hir::HostExpr*, const hir::HostExpr*>> nodes;
    forEachHostExpr(program, [&](const hir::HostExpr* expr) { nodes.emplace_back(expr, program.parent(expr)); });
    return nodes;
  }

  Fusion fusion{"f"};
  TensorView* x;
  std::vector<TensorView*> tensors;
  HostIrContainer program{fusion};
  std::vector<hir::HostExpr*> exprs;
};

TEST_F(HostIrEditTest, InsertsBeforeAndAfterANode) {
  program.insertBefore(exprs[1], hir::Allocate{tensors[3]});
  program.insertAfter(exprs[1], hir::Allocate{tensors[0]});
  EXPECT_EQ(shape(), "adbacd");
}

TEST_F(HostIrEditTest, ARemovedNodeStaysReadableWithoutAPosition) {
  program.remove(exprs[1]);
  EXPECT_EQ(shape(), "acd");
  EXPECT_FALSE(program.isPlaced(exprs[1]));
  EXPECT_EQ(std::get<hir::Allocate>(exprs[1]->node).tensor, tensors[1]);
  EXPECT_THROW(program.insertAfter(exprs[1], hir::Allocate{tensors[0]}), CheckError);
  EXPECT_THROW(program.remove(exprs[1]), CheckError);
  EXPECT_EQ(shape(), "acd") << "a refused edit changes nothing";
}

TEST_F(HostIrEditTest, ReplacesInPlace) {
  program.replace(exprs[2], hir::Allocate{tensors[0]});
  EXPECT_EQ(shape(), "abad");
  EXPECT_FALSE(program.isPlaced(exprs[2]));
}

TEST_F(HostIrEditTest, WrapsARangeInALoop) {
  hir::HostExpr* hostExpr = program.wrapInLoop(exprs[1], exprs[2], loop());
  EXPECT_EQ(shape(), "a(bc)d");
  EXPECT_EQ(program.parent(exprs[1]), hostExpr);
  EXPECT_EQ(program.parent(hostExpr), nullptr);
  EXPECT_THROW(program.wrapInLoop(exprs[2], exprs[1], loop()), CheckError);
  EXPECT_THROW(program.wrapInLoop(exprs[0], exprs[1], loop()), CheckError) << "they stand in two bodies";
}

TEST_F(HostIrEditTest, MovesIntoALoopAndBeforeAnotherNode) {
  hir::HostExpr* hostExpr = program.wrapInLoop(exprs[1], exprs[2], loop());
  program.moveInto(exprs[0], hostExpr);
  EXPECT_EQ(shape(), "(bca)d");
  program.moveBefore(exprs[2], hostExpr);
  EXPECT_EQ(shape(), "c(ba)d");
  EXPECT_THROW(program.moveBefore(hostExpr, exprs[1]), CheckError) << "a node does not move into itself";
}

TEST_F(HostIrEditTest, RemovingALoopRemovesItsBody) {
  hir::HostExpr* hostExpr = program.wrapInLoop(exprs[1], exprs[2], loop());
  program.remove(hostExpr);
  EXPECT_EQ(shape(), "ad");
  EXPECT_FALSE(program.isPlaced(exprs[1]));
  EXPECT_FALSE(program.isPlaced(exprs[2]));
}

TEST_F(HostIrEditTest, FusingTwoLoopsKeepsTheFirstIndex) {
  hir::HostExpr* first = program.wrapInLoop(exprs[0], exprs[1], loop());
  hir::HostExpr* second = program.wrapInLoop(exprs[2], exprs[2], loop());
  const IntExpr to = std::get<hir::ForLoop>(first->node).index, from = std::get<hir::ForLoop>(second->node).index;
  hir::HostExpr* select = program.append(hir::HirAliasSelect{tensors[0], x, 0, from}, second);
  const hir::Stream* stream = program.newStream(from);
  program.fuseLoops(first, second);
  EXPECT_EQ(program.topLevel().size(), 2u);
  EXPECT_EQ(program.body(first).size(), 4u);
  EXPECT_FALSE(program.isPlaced(second));
  EXPECT_EQ(std::get<hir::HirAliasSelect>(select->node).index, to);
  EXPECT_EQ(stream->index, to);
  EXPECT_THROW(program.fuseLoops(first, exprs[3]), CheckError);
}

TEST_F(HostIrEditTest, DoesNotVisitRemovedNodes) {
  std::vector<hir::HostExpr*> seen;
  forEachHostExpr(program, [&](hir::HostExpr* expr) {
    seen.push_back(expr);
    if (expr == exprs[0]) program.remove(exprs[1]);
  });
  EXPECT_EQ(seen, (std::vector<hir::HostExpr*>{exprs[0], exprs[2], exprs[3]}));
}

// No node of the program names one that has no place.
TEST_F(HostIrEditTest, ACommunicationStaysWhileTheProgramWaitsForIt) {
  const hir::Communication node{CollectiveKind::Broadcast, {0, 1}, 0, Reduction::Sum, x, nullptr};
  hir::HostExpr* communication = program.append(node);
  hir::HostExpr* wait = program.append(hir::Wait{communication});
  EXPECT_THROW(program.remove(communication), CheckError);
  EXPECT_THROW(program.replace(communication, node), CheckError);
  EXPECT_TRUE(program.isPlaced(communication));
  hir::HostExpr* hostExpr = program.wrapInLoop(communication, communication, loop());
  EXPECT_THROW(program.remove(hostExpr), CheckError);
  program.moveInto(wait, hostExpr);
  program.remove(hostExpr);
  EXPECT_FALSE(program.isPlaced(communication));
}

// A mutator may edit while it visits: it sees what was there when it came to a body.
TEST_F(HostIrEditTest, VisitsWhileItEdits) {
  std::vector<hir::HostExpr*> seen;
  forEachHostExpr(program, [&](hir::HostExpr* expr) {
    seen.push_back(expr);
    program.insertBefore(expr, hir::Allocate{tensors[0]});
    if (expr == exprs[1]) program.remove(expr);
  });
  EXPECT_EQ(seen, exprs);
  EXPECT_EQ(shape(), "aaaacad");
}

// Whatever is asked, an edit is done or refused, and every node has one place or none.
RC_GTEST_FIXTURE_PROP(HostIrEditTest, AnyEditsKeepTheTree,
                      (const std::vector<std::tuple<uint8_t, uint8_t, uint8_t>>& edits)) {
  std::vector<hir::HostExpr*> all = exprs;
  for (int i = 0; i < 2; ++i) {
    all.push_back(program.append(hir::Communication{CollectiveKind::Broadcast, {0, 1}, 0, Reduction::Sum, x, nullptr}));
    all.push_back(program.append(hir::Wait{all.back()}));
  }
  for (const auto& [kind, one, other] : edits) {
    hir::HostExpr *a = all[one % all.size()], *b = all[other % all.size()];
    const auto before = order();
    try {
      switch (kind % 8) {
        case 0: all.push_back(program.insertBefore(a, hir::Allocate{tensors[0]})); break;
        case 1: all.push_back(program.insertAfter(a, hir::Allocate{tensors[1]})); break;
        case 2: program.remove(a); break;
        case 3: program.moveBefore(a, b); break;
        case 4: program.moveInto(a, b); break;
        case 5: all.push_back(program.wrapInLoop(a, b, loop())); break;
        case 6: program.fuseLoops(a, b); break;
        case 7: all.push_back(program.replace(a, b->node)); break;
      }
    } catch (const CheckError&) {
      RC_ASSERT(order() == before);
    }
    std::set<const hir::HostExpr*> placed;
    forEachHostExpr(program, [&](const hir::HostExpr* expr) { RC_ASSERT(placed.insert(expr).second); });
    for (const hir::HostExpr* expr : all) {
      RC_ASSERT(program.isPlaced(expr) == (placed.count(expr) == 1));
      const auto* wait = std::get_if<hir::Wait>(&expr->node);
      if (wait && program.isPlaced(expr)) RC_ASSERT(program.isPlaced(wait->communication));
    }
  }
}

}  // namespace
}  // namespace fuser

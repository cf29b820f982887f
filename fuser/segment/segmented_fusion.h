#pragma once
// SegmentedFusion: a partition of a fusion's live expressions into groups, each run on its own (a kernel, or a host
// step), with an edge for every value that crosses from one group to another. The groups' graph is acyclic. A cheap
// expression may be privatised: then every group that reads its result computes it too, and no edge carries it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/ir/fusion.h"
#include "fuser/support/unique_entries.h"

namespace fuser {

class EdgeLists;
class SegmentedGroup;

// val is made in `from` and read in `to`. Held by the SegmentedFusion and by both groups; whoever else holds one may
// read it after its removal, as long as the SegmentedFusion lives: it then says that it is disconnected. Edges are made
// and disconnected by EdgeLists alone, which keeps what can be written of them to itself.
class SegmentedEdge {
 public:
  virtual ~SegmentedEdge() = default;
  SegmentedEdge(const SegmentedEdge&) = delete;
  SegmentedEdge& operator=(const SegmentedEdge&) = delete;

  uint32_t id() const { return id_; }  // in order of creation
  SegmentedGroup* from() const { return from_; }
  SegmentedGroup* to() const { return to_; }
  Val* val() const { return val_; }
  virtual bool isConnected() const = 0;
  // "g0 -> g2: %x", by the groups' ids; " (disconnected)" behind it after removal.
  std::string toString() const;

 protected:
  SegmentedEdge(uint32_t id, SegmentedGroup* from, SegmentedGroup* to, Val* val)
      : id_(id), from_(from), to_(to), val_(val) {}

 private:
  const uint32_t id_;
  SegmentedGroup* const from_;
  SegmentedGroup* const to_;
  Val* const val_;
};

using SegmentedEdgePtr = std::shared_ptr<SegmentedEdge>;

// A group's edges, in order of creation.
struct GroupEdges {
  std::vector<SegmentedEdgePtr> producers;
  std::vector<SegmentedEdgePtr> consumers;
};

class SegmentedGroup {
 public:
  virtual ~SegmentedGroup() = default;
  SegmentedGroup(const SegmentedGroup&) = delete;
  SegmentedGroup& operator=(const SegmentedGroup&) = delete;

  uint32_t id() const { return id_; }  // in order of creation; never reused
  // Place in SegmentedFusion::groups() once the fusion is finalised.
  int index() const { return index_; }
  bool isLive() const { return !exprs_.empty(); }  // false after it was merged into another group

  // What it computes, private copies included. In topological order once the fusion is finalised.
  const std::vector<Expr*>& exprs() const { return exprs_; }
  // All expressions are scalar ones: runs on the host. Never mixed with tensor expressions.
  bool isScalarGroup() const { return scalar_; }

  // Set by finalisation. Inputs: what the expressions read that is made outside: operands first, then scalars that
  // extents name; no literals, no plain extents. Outputs: what other groups read or the fusion returns, each once.
  const VectorOfUniqueEntries<Val*>& inputs() const { return inputs_; }
  const VectorOfUniqueEntries<Val*>& outputs() const { return outputs_; }
  // ExprEval for scalar groups. None under a custom merge predicate: such a group is compiled through a cache of its
  // own.
  SchedulerType schedulerType() const { return schedulerType_; }

  // Edges whose values this group reads / makes, in order of creation.
  const std::vector<SegmentedEdgePtr>& producerEdges() const { return edges_.producers; }
  const std::vector<SegmentedEdgePtr>& consumerEdges() const { return edges_.consumers; }

 protected:
  // Its edge lists are written by these EdgeLists, to which the constructor shows them, and by nobody else: not by
  // subclasses either. The group keeps its place in memory.
  SegmentedGroup(uint32_t id, bool scalar, EdgeLists& edges);
  // What every sweep over the groups reads comes first, close together: with many groups, a sweep's cost is the memory
  // that it touches.
  const uint32_t id_;
  const bool scalar_;
  SchedulerType schedulerType_ = SchedulerType::None;
  std::vector<Expr*> exprs_;

 private:
  GroupEdges edges_;

 protected:
  int index_ = -1;
  VectorOfUniqueEntries<Val*> inputs_;
  VectorOfUniqueEntries<Val*> outputs_;
};

// What somebody says of a segmentation, right or wrong. Groups are numbered in their order.
struct ToldSegments {
  struct Group {
    std::vector<Expr*> exprs;   // its own
    std::vector<Expr*> copies;  // of expressions that are other groups' own
    SchedulerType type = SchedulerType::None;
    std::vector<Val*> inputs;
    std::vector<Val*> outputs;
  };
  struct Edge {
    size_t from;
    size_t to;
    Val* val;
  };
  std::vector<Group> groups;
  std::vector<Edge> edges;
};

class SegmentedFusion {
 public:
  // No groups yet. The fusion outlives this. checkEdits: look for broken invariants after every edit (slow).
  explicit SegmentedFusion(const Fusion& fusion, bool checkEdits = false);
  // As told, damage and all: edges twice, values that do not cross, other boundaries. CheckError only where an
  // expression is in no group or in two without being a copy.
  SegmentedFusion(const Fusion& fusion, const ToldSegments& told, bool checkEdits = false);
  virtual ~SegmentedFusion();
  SegmentedFusion(const SegmentedFusion&) = delete;
  SegmentedFusion& operator=(const SegmentedFusion&) = delete;

  const Fusion& completeFusion() const { return *fusion_; }
  // Live groups; in topological order once finalised (ties: host scalars, then the group whose first own expression
  // comes first).
  const std::vector<SegmentedGroup*>& groups() const { return live_; }
  // Connected edges in order of creation.
  std::vector<SegmentedEdgePtr> edges() const;
  // segment_sets that separate two groups, and those that lie inside one as a plain set.
  size_t cutSegmentSets() const;
  size_t uncutSegmentSets() const;

  // --- the value-based view: follows from the groups' expressions alone, never from the edges ---
  // The group that makes the value; null for inputs, literals, and values whose expression is in no group.
  SegmentedGroup* producerOf(const Val* val) const;
  // Of a privatised expression: the group that counts as its own in the partition; the others hold copies.
  SegmentedGroup* groupOf(const Expr* expr) const;
  // All that compute the expression: its own group first.
  std::vector<SegmentedGroup*> groupsOf(const Expr* expr) const;
  bool computes(const SegmentedGroup* group, const Expr* expr) const;
  bool isPrivatized(const Expr* expr) const;  // several groups compute it
  // The groups that read the value, its producer too where it reads it; in order of the first reader.
  std::vector<SegmentedGroup*> consumersOf(const Val* val) const;
  // What an expression needs beside its own results: operands, then scalars that the extents of its shape attribute,
  // operands and results name. Literals are left out. `size` reads an extent: its tensor is neither read nor an input,
  // so that host scalars never wait for tensors.
  std::span<Val* const> reads(const Expr* expr) const;
  // In the order of liveExprs().
  std::span<Expr* const> readers(const Val* val) const;
  // Boundary of any set of this fusion's expressions, in the order that SegmentedGroup::inputs() describes.
  std::vector<Val*> inputsOf(const std::vector<Expr*>& exprs) const;
  std::vector<Val*> outputsOf(const std::vector<Expr*>& exprs) const;
  // Expressions that a fusion output needs, in topological order. These are what groups partition. The order follows
  // from the outputs alone, not from ids: it is the same for every order in which independent expressions were built.
  const std::vector<Expr*>& liveExprs() const;
  const std::vector<Expr*>& liveTensorExprs() const;  // the same without the scalar ones
  int64_t position(const Expr* expr) const;  // in liveExprs(); -1 for dead code
  std::vector<Expr*> inTopologicalOrder(std::vector<Expr*> exprs) const;

  // --- edges: these four alone touch edge lists. Each validates before it changes anything (CheckError); with
  // checkEdits, the three that change something look over all edges afterwards: whatever has one must cross. (What
  // crosses may still lack one: edges are made one by one.) Edits of groups look for every invariant ---
  // The edge along which `to` reads a value made in `from`; one that is there already is returned, never doubled.
  SegmentedEdgePtr connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // Removes every edge between the two, in both directions.
  void disconnectGroups(SegmentedGroup* a, SegmentedGroup* b);
  void removeEdge(const SegmentedEdgePtr& edge);
  // In both directions, in order of creation.
  std::vector<SegmentedEdgePtr> getEdgesBetween(const SegmentedGroup* a, const SegmentedGroup* b) const;

  // --- groups ---
  // Scalar or tensor expressions, none of them in a group yet. Makes no edges.
  SegmentedGroup* newGroup(const std::vector<Expr*>& exprs);
  // Moves the smaller group's expressions and edges into the larger one and returns that. Whether the graph stays
  // acyclic is for the caller to know (CheckError where an edge runs both ways, or scalars would join tensors).
  SegmentedGroup* mergeGroups(SegmentedGroup* a, SegmentedGroup* b);
  // The same for several groups at once, in time of their edges; the first one stays. That they read from each other in
  // a circle among themselves does not matter then.
  SegmentedGroup* mergeGroups(const std::vector<SegmentedGroup*>& groups);
  // Before: one group computes the expression, a tensor one whose result is no output of the fusion, and others read
  // it. After: each group that reads the result computes it itself; where its own group reads it no more, the first
  // reader's group becomes its own, and a group that is left empty is gone. The graph stays acyclic: paths only become
  // shorter.
  void privatize(Expr* expr);
  // The reverse: `in` alone computes it, and the other groups read it from there. Whether that keeps the graph acyclic
  // is for the caller to know.
  void computeOnce(Expr* expr, SegmentedGroup* in);
  // An expression that one group computes, from that group to another. The caller knows that the graph stays acyclic.
  void moveExpr(Expr* expr, SegmentedGroup* to);

  // --- finalisation ---
  void setSchedulerType(SegmentedGroup* group, SchedulerType type);
  // Sorts the group's expressions, sets its inputs and outputs.
  void refreshBoundary(SegmentedGroup* group);
  // Sorts groups and their expressions, sets index, inputs and outputs. CheckError when the groups' graph has a cycle.
  // Puts groups() in topological order, and does nothing else of what finalize() does.
  void sortGroups();
  // Sorts and numbers the groups, and refreshes their boundaries.
  void finalize();

 private:
  struct Impl;
  bool isInside(const SegmentedGroup* group, uint32_t mark) const;
  bool readsFromOutside(const SegmentedGroup* group, const Val* val) const;
  int64_t firstOf(const SegmentedGroup* group) const;
  void moveExprs(SegmentedGroup* from, SegmentedGroup* to);
  void touch(const SegmentedGroup* group);
  void touchEdge(const SegmentedEdge& edge);
  void followReads(SegmentedGroup* group);
  void followGain(SegmentedGroup* group, const Expr* expr);
  void followLoss(SegmentedGroup* group, const Expr* expr);
  void removeEdgesTo(SegmentedGroup* group, const std::function<bool(const Val*)>& isGone);
  void spread(Expr* expr);
  void bury(SegmentedGroup* group);
  SegmentedEdgePtr connect(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  void absorb(SegmentedGroup* keep, const std::vector<SegmentedGroup*>& gone);
  void tellGroups(const std::vector<ToldSegments::Group>& groups);
  void checkAfter(const char* edit) const;
  void checkEdgesAfter(const char* edit) const;

  const Fusion* fusion_;
  std::unique_ptr<Impl> impl_;
  std::vector<SegmentedGroup*> live_;
};

// A name for each value that is unique in its fusion: "%x", or "%x@7" (with its id) where names are empty or repeated.
// By value id; empty for values that the fusion no longer uses.
std::vector<std::string> valueLabels(const Fusion& fusion);

// --- invariants.cpp ---

// How much of a segmentation is there: parts of it while it is made.
enum class Completeness : uint8_t { SomeExprsAndEdges, SomeExprs, Complete };

// The invariants, compared between the edge lists and the value-based view; empty when all hold, else one line each:
// the groups partition the live expressions (where those are complete), private copies beside that: they are in every
// group that reads their results and in no other; scalars and tensors are apart, every value that crosses has exactly
// one edge (at most one, while edges are missing), edges are in the lists of both ends and nowhere else, the graph is
// acyclic.
std::vector<std::string> findBrokenInvariants(const SegmentedFusion& segmented,
                                              Completeness completeness = Completeness::Complete);

// --- segmented_text.cpp ---

// Text: one line a group, one line an edge. The fusion itself is not part of it.
//   segmented {
//     group 0 ExprEval {%n, %m} inputs {%a} outputs {%m}
//     group 1 PointWise {%y, %z} inputs {%x, %m} outputs {%z}
//     edge 0 -> 1 %m
//   }
// An expression is named by its first result. What a group computes although it is another group's own stands in its
// expressions too, and once more behind them: `{%c, %y} copies {%c}`.
std::string toString(const SegmentedFusion& segmented);
// What toString printed for this fusion. A UserError names line and column and says what is wrong. Unless `verify`, the
// result is what the text says, whatever it says (edges twice, values that do not cross, groups in any order), for
// whoever wants a damaged one; only what cannot be told apart is an error (unknown names, an expression that is in no
// group or in two without being a copy).
std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion, bool verify = true);

}  // namespace fuser

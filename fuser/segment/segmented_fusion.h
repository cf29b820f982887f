#pragma once
// SegmentedFusion: a segmentation with its edits. SegmentGraph has the read-only interface, segmented_text.h the text
// form, invariants.h the invariants.

#include "fuser/segment/segment_graph.h"

namespace fuser {

class SegmentedFusion : public SegmentGraph {
 public:
  // Starts without groups. The fusion must outlive this object. checkEdits: check all invariants after each edit
  // (slow).
  explicit SegmentedFusion(const Fusion& fusion, bool checkEdits = false);
  // Wraps an existing graph, which may be invalid (unchecked_segments.h).
  explicit SegmentedFusion(std::unique_ptr<SegmentData> graph, bool checkEdits = false);
  ~SegmentedFusion();
  SegmentedFusion(const SegmentedFusion&) = delete;
  SegmentedFusion& operator=(const SegmentedFusion&) = delete;

  // --- edges ---
  // Each function validates its arguments before it changes anything (CheckError). With checkEdits, edits of edges
  // check that each edge carries a value that crosses (a value may still lack its edge, since edges are created one by
  // one); edits of groups check every invariant. connectCrossings() leaves that to who calls it.

  // Returns the edge along which `to` reads a value computed in `from`, creating it if necessary.
  SegmentedEdgePtr connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // Creates the edge of every value that crosses from one group to another. The groups are one expression each, but for
  // that of the scalars. A CheckError if a scalar reads a tensor's data.
  void connectCrossings();
  // Removes every edge between the two, in both directions.
  void disconnectGroups(SegmentedGroup* a, SegmentedGroup* b);
  void removeEdge(const SegmentedEdgePtr& edge);

  // --- groups ---
  // Creates a group of scalar or of tensor expressions, none of them in a group yet. Creates no edges.
  SegmentedGroup* newGroup(const std::vector<Expr*>& exprs);
  // Moves the expressions and edges of the smaller group into the larger one, which it returns. The caller must know
  // that the graph stays acyclic. A CheckError if edges run both ways, or one group is scalar and the other is not.
  SegmentedGroup* mergeGroups(SegmentedGroup* a, SegmentedGroup* b);
  // Merges several groups into the first one, in time linear in their edges. Cycles among these groups are allowed,
  // since they disappear.
  SegmentedGroup* mergeGroups(const std::vector<SegmentedGroup*>& groups);
  // Before: one group computes the tensor expression, whose result is not a fusion output, and other groups read it.
  // After: each group that reads the result computes it itself. If its own group does not read it, the first reader's
  // group becomes its owner; a group that becomes empty is removed. The graph stays acyclic, because paths only become
  // shorter.
  void privatize(Expr* expr);
  // The reverse of privatize: only `in` computes the expression, and the other groups read it from there. The caller
  // must know that the graph stays acyclic.
  void computeOnce(Expr* expr, SegmentedGroup* in);
  // Moves an expression, which one group computes, to another group. The caller must know that the graph stays acyclic.
  void moveExpr(Expr* expr, SegmentedGroup* to);

  // --- finalisation ---
  // Stores the scheduler that accepts the group, and the reference map of its answer.
  void setScheduler(SegmentedGroup* group, const SchedulerAnswer& answer);
  void setSchedulerType(SegmentedGroup* group, SchedulerType type) { setScheduler(group, {type, ""}); }
  // Sorts the group's expressions and computes its inputs and outputs.
  void refreshBoundary(SegmentedGroup* group);
  // Puts groups() in topological order. A CheckError if the graph of groups has a cycle.
  void sortGroups();
  // Sorts and numbers the groups, and refreshes their boundaries.
  void finalize();

 private:
  void checkGroups(const char* edit) const;
  void checkEdges(const char* edit) const;

  std::unique_ptr<SegmentData> data_;
  bool checkEdits_;
};

}  // namespace fuser

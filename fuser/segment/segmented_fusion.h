#pragma once
// SegmentedFusion: a segmentation and its edits. What can be read of it is SegmentGraph's; its text is in
// segmented_text.h, its invariants are in invariants.h.

#include "fuser/segment/segment_graph.h"

namespace fuser {

class SegmentedFusion : public SegmentGraph {
 public:
  // No groups yet. The fusion outlives this. checkEdits: look for broken invariants after every edit (slow).
  explicit SegmentedFusion(const Fusion& fusion, bool checkEdits = false);
  // Of a graph that stands, whatever it says (told_segments.h).
  explicit SegmentedFusion(std::unique_ptr<SegmentData> graph, bool checkEdits = false);
  ~SegmentedFusion();
  SegmentedFusion(const SegmentedFusion&) = delete;
  SegmentedFusion& operator=(const SegmentedFusion&) = delete;

  // --- edges: these three and getEdgesBetween alone touch edge lists. Each validates before it changes anything
  // (CheckError); with checkEdits, all edges are looked over afterwards: whatever has one must cross. (What crosses may
  // still lack one: edges are made one by one.) Edits of groups look for every invariant ---
  // The edge along which `to` reads a value made in `from`; one that is there already is returned, never doubled.
  SegmentedEdgePtr connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // Removes every edge between the two, in both directions.
  void disconnectGroups(SegmentedGroup* a, SegmentedGroup* b);
  void removeEdge(const SegmentedEdgePtr& edge);

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
  // The scheduler that takes the group, and what its answer kept.
  void setScheduler(SegmentedGroup* group, const SchedulerAnswer& answer);
  void setSchedulerType(SegmentedGroup* group, SchedulerType type) { setScheduler(group, {type, ""}); }
  // Sorts the group's expressions, sets its inputs and outputs.
  void refreshBoundary(SegmentedGroup* group);
  // Puts groups() in topological order, and does nothing else of what finalize() does. CheckError when the groups'
  // graph has a cycle.
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

#pragma once
// SegmentedGroup and SegmentedEdge: what a segmentation's graph is made of, for reading. They are written where the
// graph is (segment_data.h) and where its edges are (edge_lists.h).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/ir/fusion.h"
#include "fuser/support/unique_entries.h"

namespace fuser {

class SegmentedGroup;

// val is made in `from` and read in `to`. Held by the SegmentedFusion and in the lists of both groups; whoever else
// holds one may read it after its removal, as long as the SegmentedFusion lives: it then says that it is disconnected.
// Edges are made and disconnected by EdgeLists alone, which keeps what can be written of them to itself.
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
  // What the scheduler's answer kept (SchedulerAnswer::map); null where there is none.
  const std::shared_ptr<const ReferenceMap>& referenceMap() const { return referenceMap_; }

  // Edges whose values this group reads / makes, in order of creation.
  const std::vector<SegmentedEdgePtr>& producerEdges() const { return edges_.producers; }
  const std::vector<SegmentedEdgePtr>& consumerEdges() const { return edges_.consumers; }

 protected:
  // Its edge lists are EdgeLists' to write: not even subclasses write them. The group keeps its place in memory.
  SegmentedGroup(uint32_t id, bool scalar, const GroupEdges& edges) : id_(id), scalar_(scalar), edges_(edges) {}
  // What every sweep over the groups reads comes first, close together: with many groups, a sweep's cost is the memory
  // that it touches.
  const uint32_t id_;
  const bool scalar_;
  SchedulerType schedulerType_ = SchedulerType::None;
  std::vector<Expr*> exprs_;

 private:
  const GroupEdges& edges_;

 protected:
  int index_ = -1;
  VectorOfUniqueEntries<Val*> inputs_;
  VectorOfUniqueEntries<Val*> outputs_;
  std::shared_ptr<const ReferenceMap> referenceMap_;
};

}  // namespace fuser

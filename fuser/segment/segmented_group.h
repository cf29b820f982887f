#pragma once
// SegmentedGroup and SegmentedEdge: the read-only nodes and edges of a segmentation's graph. OwnedGroup
// (segment_data.h) and EdgeLists (edge_lists.h) write them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/ir/fusion.h"
#include "fuser/support/unique_entries.h"

namespace fuser {

class SegmentedGroup;

// `from` computes val and `to` reads it. The SegmentedFusion and the lists of both groups share ownership. An edge may
// be read after its removal; isConnected() is false then. It may be read after the SegmentedFusion is gone, too:
// from() and to() are null then. Only EdgeLists creates and disconnects edges.
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
  // "g0 -> g2: %x", with the groups' ids; followed by " (disconnected)" where isConnected() is false. The value's
  // fusion must live.
  std::string toString() const;

 protected:
  SegmentedEdge(uint32_t id, SegmentedGroup* from, SegmentedGroup* to, Val* val);
  void forgetGroups() { from_ = to_ = nullptr; }

 private:
  const uint32_t id_, fromId_, toId_;
  SegmentedGroup* from_;
  SegmentedGroup* to_;
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
  // The index in SegmentedFusion::groups(); set by finalize().
  int index() const { return index_; }
  bool isLive() const { return !exprs_.empty(); }  // false after it was merged into another group

  // The expressions that it computes, including private copies. In topological order after finalize().
  const std::vector<Expr*>& exprs() const { return exprs_; }
  // Whether its expressions are scalar: it runs on the host. Groups never mix scalar and tensor expressions.
  bool isScalarGroup() const { return scalar_; }

  // Set by finalize(). Inputs: the values from outside that the expressions read, operands first, then scalars that
  // extents name; no literals or plain extents. Outputs: the values that other groups read or the fusion returns.
  const VectorOfUniqueEntries<Val*>& inputs() const { return inputs_; }
  const VectorOfUniqueEntries<Val*>& outputs() const { return outputs_; }
  // ExprEval for scalar groups. None for groups made by a custom merge predicate: their own FusionExecutorCache
  // compiles them.
  SchedulerType schedulerType() const { return schedulerType_; }
  // SchedulerAnswer::map of the scheduler that accepted the group; may be null.
  const std::shared_ptr<const ReferenceMap>& referenceMap() const { return referenceMap_; }

  // The edges whose values this group reads, and those whose values it computes, in order of creation.
  const std::vector<SegmentedEdgePtr>& producerEdges() const { return edges_.producers; }
  const std::vector<SegmentedEdgePtr>& consumerEdges() const { return edges_.consumers; }

 protected:
  // Only EdgeLists writes the edge lists; not even subclasses do. The group has a stable address.
  SegmentedGroup(uint32_t id, bool scalar, const GroupEdges& edges) : id_(id), scalar_(scalar), edges_(edges) {}
  // The members that sweeps over all groups read come first, for locality: with many groups, cache misses dominate a
  // sweep.
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

// LowerReshardingsPass: makes the program of one device of several. Tensors that this device does not hold are omitted.
// An expression over sharded tensors is computed on this device's parts. An expression that reads data of other devices
// becomes an allocation, a collective and a wait; after DecomposeReshardingsPass it is a set or a reduction that one
// round of collectives does.
//   compute (%y) from (%x) as %y                       (%x sharded along axis 1, %y whole, on devices 0 and 1)
// becomes, on each of both
//   compute (%x.l1) from (%x.l0) as set                (the sharded axis becomes the slowest in memory)
//   allocate %y.l2
//   allgather %x.l1 -> %y.l2 {team = [0, 1]}
//   wait for communication 0
//   compute (%y) from (%y.l2) as set                   (back to the layout of %y)
// Copies that would not change the order in memory are left out.

#include <algorithm>
#include <unordered_map>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"
#include "fuser/communicate/collective_traits.h"
#include "fuser/host_ir/tensor_parts.h"
#include "fuser/host_passes/communication_plan.h"
#include "fuser/host_passes/fresh_names.h"
#include "fuser/host_passes/host_ir_pass.h"

namespace fuser {
namespace {

class DeviceLowering {
 public:
  explicit DeviceLowering(HostIrContainer& program)
      : program_(program), fusion_(program.fusion()), names_(program.fusion(), "l") {}

  void run() {
    for (const Val* input : fusion_.inputs()) {
      inputs_.push_back(holds(input) ? local(input, PartMemory::InSource) : nullptr);
    }
    for (hir::HostExpr* expr : hir::Body(program_.topLevel())) lower(expr);
    program_.device->inputs = inputs_;
    program_.device->outputs.clear();
    for (const Val* output : fusion_.outputs()) {
      program_.device->outputs.push_back(holds(output) ? local(output) : nullptr);
    }
  }

 private:
  int device() const { return program_.device->number; }

  // Every device has all scalars.
  bool holds(const Val* val) const { return val->isScalar() || val->as<TensorView>()->mesh().contains(device()); }

  // This device's part of a tensor.
  const Val* local(const Val* val, PartMemory memory = PartMemory::Dense) {
    return val->isScalar() ? val : local(val->as<TensorView>(), memory);
  }
  const TensorView* local(const TensorView* tensor, PartMemory memory = PartMemory::Dense) {
    const std::optional<size_t> axis = tensor->shardAxis();
    if (!axis) return tensor;
    for (const auto& [whole, part] : parts_) {
      if (whole == tensor) return part;
    }
    TensorView* part =
        newPart(fusion_, tensor, *axis, static_cast<int64_t>(tensor->mesh().size()), memory, names_.of(tensor));
    part->setOrigin(tensor->origin());
    parts_.emplace_back(tensor, part);
    return part;
  }

  void lower(hir::HostExpr* expr) {
    place_ = expr;
    if (const auto* op = std::get_if<hir::StandaloneOp>(&expr->node)) {
      lowerOp(*op);
      program_.remove(expr);
      return;
    }
    const auto* segment = std::get_if<hir::Segment>(&expr->node);
    if (segment && segment->scheduler == SchedulerType::ExprEval) return;  // scalars are everywhere
    if (segment) {
      for (const std::vector<const Val*>* vals : {&segment->inputs, &segment->outputs}) {
        for (const Val* val : *vals) checkWhole(val);
      }
    }
    if (!fusion_.mesh().contains(device())) program_.remove(expr);
  }

  // Ops that the host does not run alone are computed on all devices.
  void checkWhole(const Val* val) const {
    const Sharding whole{fusion_.mesh(), std::nullopt};
    const bool fits = val->isScalar() || val->as<TensorView>()->isCpuScalar() ||
                      satisfiesSharding(shardingOf(val->as<TensorView>()), whole);
    FUSER_USER_CHECK(fits, "%", val->name(),
                     " is not whole on every device, where a kernel of several expressions needs it: ",
                     "DecomposeReshardingsPass, which is off, would bring it");
  }

  void lowerOp(const hir::StandaloneOp& op) {
    const Expr* expr = op.exprs.front();
    const bool alone = op.exprs.size() == 1;
    if (alone && reducedShardAxis(expr)) {
      joinParts(op);
    } else if (alone && expr->family() == Family::LoadStore && isResharding(expr)) {
      const auto* from = expr->input(0)->as<TensorView>();
      const auto plan = planMove(shardingOf(from), shardingOf(op.outputs.front()));
      FUSER_USER_CHECK(plan, "no round of collectives makes %", op.outputs.front()->name(), " of %", from->name(),
                       ": DecomposeReshardingsPass, which is off, would make two of it");
      for (const CommunicationPlan::Step& step : plan->steps) move(step, from, op.outputs.front());
    } else {
      FUSER_USER_CHECK(std::none_of(op.exprs.begin(), op.exprs.end(), isResharding), "%", op.outputs.front()->name(),
                       " is made of what other devices hold: "
                       "DecomposeReshardingsPass, which is off, would bring it");
      if (holds(op.outputs.front())) computePart(op);
    }
  }

  // Each device computes its part from local data.
  void computePart(const hir::StandaloneOp& op) {
    const TensorView* result = op.outputs.front();
    hir::StandaloneOp mine = op;
    if (result->shardAxis()) mine.part = {*result->shardAxis(), static_cast<int64_t>(result->mesh().size())};
    const std::unordered_map<const Val*, size_t> axes = axesOf(op);
    for (const Val*& operand : mine.inputs) {
      if (operand->isScalar()) continue;
      const auto axis = axes.find(operand);
      operand =
          partFor(operand->as<TensorView>(), axis == axes.end() ? std::nullopt : std::optional(axis->second), result);
    }
    for (const TensorView*& output : mine.outputs) output = local(output);
    program_.insertBefore(place_, std::move(mine));
  }

  // The axes of the operands of which this device's part of the results is computed from a part. Look-ups only.
  static std::unordered_map<const Val*, size_t> axesOf(const hir::StandaloneOp& op) {
    std::unordered_map<const Val*, size_t> axes;
    const std::optional<size_t> axis = op.results.front()->shardAxis();
    if (!axis) return axes;
    if (op.exprs.size() > 1) {
      return bodySlices(op.exprs, {op.results.begin(), op.results.end()}, ParallelType::DIDx).axes;
    }
    for (const Val* operand : op.operands) {
      if (const auto at = operandAxis(op.exprs.front(), operand, *axis)) axes.emplace(operand, *at);
    }
    return axes;
  }

  // For an operand that this device holds whole: the part along `axis` from which its part of the result is computed.
  const TensorView* partFor(const TensorView* operand, std::optional<size_t> axis, const TensorView* result) {
    if (operand->isCpuScalar() || operand->shardAxis() || !result->shardAxis()) return local(operand);
    if (!axis || (operand->axes()[*axis]->isBroadcast() && !operand->axes()[*axis]->isExpanded())) return operand;
    const auto place = static_cast<int64_t>(result->mesh().indexOf(device()).value());
    return shard(operand, *axis, place, static_cast<int64_t>(result->mesh().size()));
  }

  const TensorView* shard(const TensorView* source, size_t axis, int64_t part, int64_t parts) {
    TensorView* seen = newPart(fusion_, source, axis, parts, PartMemory::InSource, names_.of(source));
    program_.insertBefore(place_, hir::HirAliasShard{seen, source, axis, part, parts});
    return seen;
  }

  // A reduction over the sharded axis.
  void joinParts(const hir::StandaloneOp& op) {
    const auto* operand = op.exprs.front()->input(0)->as<TensorView>();
    const TensorView* result = op.outputs.front();
    const Sharding to = shardingOf(result);
    const auto plan = planJoin(operand->mesh(), to);
    FUSER_USER_CHECK(plan, "no round of collectives makes %", result->name(), " of %", operand->name(),
                     ": DecomposeReshardingsPass, which is off, would make two of it");
    const TensorView* partial = nullptr;
    if (operand->mesh().contains(device())) {
      partial = buffer(result, result, orderWithFirst(result, to.axis));
      program_.insertBefore(place_, hir::Allocate{partial});
      hir::StandaloneOp mine = op;
      mine.preallocated = true;
      mine.inputs = {local(operand)};
      mine.outputs = {partial};
      program_.insertBefore(place_, std::move(mine));
    }
    const CommunicationPlan::Step& step = plan->steps.front();
    communicate(step, reductionOf(op.exprs.front()), sends(step) ? partial : nullptr, result, to.axis);
  }

  // One step of a plan, from a tensor to another.
  void move(const CommunicationPlan::Step& step, const TensorView* from, const TensorView* to) {
    const std::optional<size_t> axis = joinedAxis(step.kind, from, to);
    const TensorView* sent = nullptr;
    if (sends(step)) {
      const bool exchanges = step.kind == CollectiveKind::AllToAll;
      sent = exchanges ? packed(from, to) : inOrder(from, orderWithFirst(from, axis));
    }
    communicate(step, Reduction::Sum, sent, to, axis);
  }

  // The axis along which a collective splits or concatenates tensors.
  static std::optional<size_t> joinedAxis(CollectiveKind kind, const TensorView* from, const TensorView* to) {
    switch (kind) {
      case CollectiveKind::Gather:
      case CollectiveKind::Allgather:
      case CollectiveKind::AllToAll: return from->shardAxis();
      case CollectiveKind::Scatter:
      case CollectiveKind::ReduceScatter: return to->shardAxis();
      case CollectiveKind::Broadcast:
      case CollectiveKind::SendRecv:
      case CollectiveKind::Reduce:
      case CollectiveKind::Allreduce: return std::nullopt;
    }
    FUSER_CHECK(false, "bad CollectiveKind");
  }

  // Adds the allocation of the received tensor, the collective and the wait. `axis`: along which the received parts are
  // concatenated.
  void communicate(const CommunicationPlan::Step& step, Reduction reduction, const TensorView* sent,
                   const TensorView* result, std::optional<size_t> axis) {
    const bool gets = receives(step);
    if (!sent && !gets) return;
    const TensorView* received = nullptr;
    const TensorView* wanted = gets ? local(result) : nullptr;
    if (gets) {
      const std::vector<int> order = orderWithFirst(result, axis);
      received = result->domain().allocationOrder == order ? wanted : buffer(result, wanted, order);
      program_.insertBefore(place_, hir::Allocate{received});
    }
    const hir::HostExpr* communication =
        program_.insertBefore(place_, hir::Communication{step.kind, step.team, step.root, reduction, sent, received});
    program_.insertBefore(place_, hir::Wait{communication});
    if (received == wanted) return;
    program_.insertBefore(place_, hir::Allocate{wanted});
    copy(received, wanted);
  }

  // For an AllToAll: the parts for the devices in order, one after the other.
  // It has the sizes of the received tensor.
  const TensorView* packed(const TensorView* from, const TensorView* to) {
    const size_t axis = from->shardAxis().value();
    const TensorView* all = buffer(to, local(to), orderWithFirst(to, axis));
    program_.insertBefore(place_, hir::Allocate{all});
    const auto parts = static_cast<int64_t>(to->mesh().size());
    for (int64_t part = 0; part < parts; ++part) {
      const TensorView* source = shard(local(from), to->shardAxis().value(), part, parts);
      copy(source, shard(all, axis, part, parts));
    }
    return all;
  }

  // This device's part of a tensor, dense and in this allocation order: a copy, unless it is already. (The layout of an
  // input's memory is unknown.)
  const TensorView* inOrder(const TensorView* tensor, const std::vector<int>& order) {
    const TensorView* mine = local(tensor);
    const bool ours = std::find(inputs_.begin(), inputs_.end(), mine) == inputs_.end() && !mine->domain().view;
    if (ours && mine->domain().allocationOrder == order) return mine;
    const TensorView* ordered = buffer(tensor, mine, order);
    program_.insertBefore(place_, hir::Allocate{ordered});
    copy(mine, ordered);
    return ordered;
  }

  // Creates a dense tensor of these sizes in this allocation order, named after another one.
  TensorView* buffer(const TensorView* named, const TensorView* sizes, const std::vector<int>& order) {
    TensorDomain domain;
    for (const IterDomain* axis : sizes->axes()) domain.logical.push_back(fusion_.cloneIterDomain(axis));
    domain.allocationOrder = order;
    domain.hasFixedLayout = !std::is_sorted(order.begin(), order.end());
    return fusion_.newTensor(sizes->dtype(), std::move(domain), names_.of(named));
  }

  // Copies between two tensors that have memory.
  void copy(const TensorView* from, const TensorView* to) {
    hir::StandaloneOp op;
    op.preallocated = true;
    op.inputs = {from};
    op.outputs = {to};
    program_.insertBefore(place_, std::move(op));
  }

  // Row-major, except that `axis` is the slowest.
  static std::vector<int> orderWithFirst(const TensorView* tensor, std::optional<size_t> axis) {
    std::vector<int> order;
    if (axis) order.push_back(static_cast<int>(*axis));
    for (size_t other = 0; other < tensor->rank(); ++other) {
      if (other != axis) order.push_back(static_cast<int>(other));
    }
    return order;
  }

  bool takesPart(Participants who, const CommunicationPlan::Step& step) const {
    return who == Participants::Root ? step.root == device() : DeviceMesh(step.team).contains(device());
  }
  bool sends(const CommunicationPlan::Step& step) const { return takesPart(traitsOf(step.kind).senders, step); }
  bool receives(const CommunicationPlan::Step& step) const { return takesPart(traitsOf(step.kind).receivers, step); }

  HostIrContainer& program_;
  Fusion& fusion_;
  FreshNames names_;
  std::vector<std::pair<const TensorView*, const TensorView*>> parts_;  // of what is sharded: this device's
  std::vector<const Val*> inputs_;
  hir::HostExpr* place_ = nullptr;  // that is lowered
};

}  // namespace

bool LowerReshardingsPass::runPass(HostIrContainer& program, OwnRun) {
  if (!program.device) return false;
  DeviceLowering(program).run();
  return true;
}

}  // namespace fuser

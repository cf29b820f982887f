// The constraints of host programs, by number:
//   1  a value that is read, or named by a size, exists on every path: it is an input, allocated, selected or computed,
//      and neither freed nor overwritten; so is any memory in which it may be on that path
//   2  nothing is created that exists already
//   3  a freed tensor was allocated by the program and is not a fusion output
//   4  an allocation is freed exactly once on every path, before the end of the loop iteration or program that made it,
//      unless it is a fusion output
//   5  a scalar is computed once, on the host, from scalars, sizes and tensors on the host
//   6  a launch has the arguments that its kernel declares, of their dtypes and ranks
//   7  an output, or what is in place, reuses the memory of an input, which is not read after that; slices are placed
//      in such a tensor; nothing else writes to an input's memory
//   8  a loop index is used only inside its loop
//   9  GetCurrentStream sets a stream before it is used; the stream that is current at the start of a body is current
//      at its end
//  10  both branches of an IfThenElse leave the same values, with the same kind of allocation; a loop leaves those that
//      existed before it
//  11  every output exists at the end
//  12  a selected tensor is its source without the axis; a standalone op has its expression's operands and results;
//      views, in-place outputs and copies keep the dtype
//  13  a tensor allocated in slices is accessed only through selects that wrap, all along that axis and with one index,
//      so that each iteration of a loop has its slot, on its stream; other selects do not wrap (the vector clocks of a
//      run check on which stream a slot is used)
//  14  the caller's buffer for an output is used for that output only, once, or is the target of its copy
//  15  the container has an alias for every node that creates one
//  16  a communication is waited for exactly once on every path; before that nothing reads or writes the received
//      tensor, and nothing writes or frees the sent one
//  17  a communication has a team; a device has a tensor for it exactly if it sends or receives something, both of one
//      dtype
//  18  the container has no alias without a node that creates it
//  19  tensors of a communication are dense: allocated by the program, or declared contiguous (the run checks whether a
//      view is)
#include <algorithm>
#include <optional>
#include <utility>

#include "fuser/communicate/collective_traits.h"
#include "fuser/host_ir/host_ir_container.h"

namespace fuser {
namespace {

// The abstract state at a point of the program.
struct State {
  std::vector<bool> there;                               // by id of the value; an input that is overwritten is gone
  std::vector<std::vector<const TensorView*>> reusedBy;  // by an output's id: inputs in whose memory it may be
  std::vector<bool> allocated;                           // by id: by the program, and not freed
  std::vector<bool> freed;                               // by id: once, on some path
  // By id: the tensors whose memory it may use, including itself if its own is one of several; none: only its own.
  std::vector<std::vector<const TensorView*>> memoryOf;
  std::vector<std::optional<size_t>> slicedAxis;  // by id: of what is allocated in slices
  std::vector<bool> taken;                        // by number of an output: the caller's memory for it
  // The current stream; null is the one that was current when the program started.
  const hir::Stream* current = nullptr;
  std::vector<const hir::HostExpr*> running;             // communications that nobody waited for yet
  std::vector<std::optional<const hir::Stream*>> saved;  // by number, what GetCurrentStream found
};

class Verifier {
 public:
  Verifier(const HostIrContainer& program, HostLeaks leaks) : program_(program), leaks_(leaks) {
    const size_t count = program.fusion().valCount();
    state_.there.assign(count, false);
    state_.reusedBy.resize(count);
    state_.allocated.assign(count, false);
    state_.freed.assign(count, false);
    state_.memoryOf.resize(count);
    state_.slicedAxis.assign(count, std::nullopt);
    sliceIndex_.assign(count, nullptr);
    state_.taken.assign(program.fusion().outputs().size(), false);
    state_.saved.resize(program.streamCount());
    for (const Val* input : program.inputs()) {
      if (input) state_.there[input->id()] = true;
    }
  }

  void run() {
    runBody(program_.topLevel());
    for (const Val* output : program_.outputs()) {
      if (output) expect(11, output);
    }
    checkAliases();
  }

  void operator()(const hir::Allocate& node) {
    expectSizes(node.tensor);
    allocate(node.tensor);
    state_.slicedAxis[node.tensor->id()] = node.slicedAxis;
    require(13, !node.slicedAxis || !program_.isOutput(node.tensor), "output %", node.tensor->name(),
            " is allocated in slices");
  }
  void operator()(const hir::Deallocate& node) {
    expectPart(1, node.tensor);
    requireUnsent(node.tensor);
    require(3, state_.allocated[node.tensor->id()] && !program_.isOutput(node.tensor), "%", node.tensor->name(),
            " is not the program's to free");
    state_.there[node.tensor->id()] = state_.allocated[node.tensor->id()] = false;
    state_.freed[node.tensor->id()] = true;
  }
  void operator()(const hir::View& node) {
    expect(1, node.source);
    appear(node.tensor);
    requireSameDtype(node.tensor, node.source);
  }
  void operator()(const hir::Reuse& node) {
    expect(1, node.input);
    appear(node.tensor);
    requireSameDtype(node.tensor, node.input);
    const bool follows = node.input->isFusionInput() || node.input->domain().inPlace;
    require(7, (node.tensor->isFusionOutput() || node.tensor->domain().inPlace) && follows,
            "only an output, or what is in place, reuses an input's memory");
    for (const Val* other : program_.fusion().outputs()) {
      require(7, !contains(state_.reusedBy[other->id()], node.input), "two outputs reuse the memory of %",
              node.input->name());
    }
    state_.reusedBy[node.tensor->id()] = {node.input};
  }
  void operator()(const hir::Place& node) {
    expect(1, node.whole);
    appear(node.tensor);
    requireSameDtype(node.tensor, node.whole);
    require(7, !state_.reusedBy[node.whole->id()].empty(), "%", node.tensor->name(), " is placed in %",
            node.whole->name(), ", which reuses no memory");
  }
  void operator()(const hir::Copy& node) {
    expect(1, node.tensor);
    if (!holdsSlices(node.input)) expect(1, node.input);
    requireUnsent(node.input);
    require(7, node.input->isFusionInput(), "%", node.input->name(), " is not an input");
    requireSameDtype(node.tensor, node.input);
    state_.there[node.input->id()] = false;
    addOnce(state_.reusedBy[node.tensor->id()], node.input);
  }
  void operator()(const hir::TakeOutput& node) {
    takeOutput(node.tensor, node.output);
    appear(node.tensor);
  }
  void operator()(const hir::CopyToOutput& node) {
    expect(1, node.tensor);
    takeOutput(node.tensor, node.output);
  }
  void operator()(const hir::HirAliasSelect& node) {
    expectPart(1, node.source);
    checkIndex(node.index);
    checkWraps(node);
    appear(node.tensor);
    std::vector<IntExpr> sizes = sizesOf(node.source);
    bool fits = node.axis < sizes.size() && node.tensor->dtype() == node.source->dtype();
    if (fits) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(node.axis));
    fits &= sizesOf(node.tensor) == sizes;
    require(12, fits, "%", node.tensor->name(), " is no %", node.source->name(), " without axis ", node.axis);
  }
  void operator()(const hir::HirAliasShard& node) {
    expect(1, node.source);
    appear(node.tensor);
    std::vector<IntExpr> sizes = sizesOf(node.source);
    bool fits = node.axis < sizes.size() && node.tensor->dtype() == node.source->dtype() && 0 <= node.part &&
                node.part < node.parts;
    if (fits) {
      IntExprArena& ints = program_.fusion().ints();
      sizes[node.axis] = ints.floorDiv(sizes[node.axis], ints.constant(node.parts));
      fits = sizesOf(node.tensor) == sizes;
    }
    require(12, fits, "%", node.tensor->name(), " is no part of %", node.source->name(), " along axis ", node.axis);
  }
  void operator()(const hir::EvaluateScalars& node) {
    for (const Expr* expr : node.exprs) {
      require(5, expr->isScalarExpr(), "%", expr->output()->name(), " is not a scalar");
      for (const Val* operand : expr->inputs()) {
        // `size` reads only the extents of a tensor; `item` reads the caller's host tensor.
        if (operand->isScalar() || expr->family() == Family::Item) expect(1, operand);
        require(5, operand->isScalar() || expr->family() == Family::Size || operand->as<TensorView>()->isCpuScalar(),
                "host scalar %", expr->output()->name(), " depends on the device's data %", operand->name());
      }
      for (const Val* output : expr->outputs()) {
        require(5, !state_.there[output->id()], "%", output->name(), " is evaluated twice");
        state_.there[output->id()] = true;
      }
    }
  }
  void operator()(const hir::LaunchKernel& node) {
    const Kernel& kernel = *program_.kernels.at(static_cast<size_t>(node.kernel));
    require(6,
            kernel.tensors.size() == node.tensors.size() && kernel.intParams.size() == node.ints.size() &&
                kernel.scalars.size() == node.scalars.size(),
            kernel.name, " is launched with another number of arguments");
    for (const Val* tensor : node.tensors) expect(1, tensor);
    for (const Val* scalar : node.scalars) expect(1, scalar);
    for (IntExpr extent : node.ints) {
      if (extent) expectSize(extent);
    }
    for (size_t i = 0; i < node.tensors.size(); ++i) {
      const TensorParam& param = kernel.tensors[i];
      const DataType dtype = kernel.buffers.at(static_cast<size_t>(param.buffer)).dtype;
      require(6, node.tensors[i]->dtype() == dtype && node.tensors[i]->axes().size() == param.rank, kernel.name,
              " takes ", dtype, " of rank ", param.rank, " as argument ", i + 1, ", and not %",
              node.tensors[i]->name());
      if (param.written) write(node.tensors[i]);
    }
  }
  void operator()(const hir::RunSegment& node) {
    for (const Val* input : node.inputs) {
      if (!isForSizes(input)) expect(1, input);
    }
    for (const TensorView* output : node.outputs) expect(1, output);
    for (const TensorView* output : node.outputs) write(output);
  }
  void operator()(const hir::StandaloneOp& node) {
    checkOperands(node);
    for (const Val* input : node.inputs) expect(1, input);
    for (const TensorView* output : node.outputs) {
      if (node.preallocated) {
        expect(1, output);
      } else {
        allocate(output);
      }
    }
    if (node.launch.kernel >= 0) {
      for (const TensorView* tensor : node.launch.tensors) {
        const bool named = contains(node.outputs, tensor) ||
                           std::find(node.inputs.begin(), node.inputs.end(), tensor) != node.inputs.end();
        require(12, named, "the kernel of what runs alone is given %", tensor->name(),
                ", which is none of its operands or results");
      }
      (*this)(node.launch);
    } else {
      for (const TensorView* output : node.outputs) write(output);
    }
  }
  void operator()(const hir::GetCurrentStream& node) {
    state_.saved[static_cast<size_t>(node.stream->number)] = state_.current;
  }
  void operator()(const hir::SetCurrentStream& node) { state_.current = streamOf(node.stream); }
  void operator()(const hir::Synchronize& node) { streamOf(node.stream); }
  void operator()(const hir::Communication& node) {
    require(17, program_.device.has_value() && !node.team.empty(), "a communication of no devices");
    const CollectiveTraits& traits = traitsOf(node.kind);
    const auto takesPart = [&](Participants who) {
      return who == Participants::Root ? node.root == program_.device->number
                                       : DeviceMesh(node.team).contains(program_.device->number);
    };
    require(17, takesPart(traits.senders) == (node.send != nullptr), collectiveName(node.kind), ": device ",
            program_.device->number, node.send ? " gives nothing" : " gives something");
    require(17, takesPart(traits.receivers) == (node.receive != nullptr), collectiveName(node.kind), ": device ",
            program_.device->number, node.receive ? " gets nothing" : " gets something");
    if (node.send) expect(1, node.send);
    if (node.receive) {
      expect(1, node.receive);
      write(node.receive);
    }
    for (const TensorView* moved : {node.send, node.receive}) {
      require(19, !moved || isDense(moved), "%", moved ? moved->name() : "", " is moved, and not known to be dense");
    }
    if (!node.send || !node.receive) return;
    require(17, node.send->dtype() == node.receive->dtype(), "%", node.send->name(),
            " is sent and received as another dtype");
  }
  void operator()(const hir::Wait& node) {
    const auto place = std::find(state_.running.begin(), state_.running.end(), node.communication);
    require(16, place != state_.running.end(), "a wait for a communication that does not run");
    state_.running.erase(place);
  }
  void operator()(const hir::Segment&) {}
  void operator()(const hir::ForLoop& node) { expectSizes(node.tensor); }
  void operator()(const hir::IfThenElse& node) { expect(1, node.condition); }

 private:
  template <class... Parts>
  static void require(int constraint, bool holds, const Parts&... parts) {
    FUSER_CHECK(holds, "host IR constraint ", constraint, ": ", parts...);
  }

  void expect(int constraint, const Val* val) const {
    expectPart(constraint, val);
    require(13, !state_.slicedAxis.at(val->id()), "%", val->name(), ", which is allocated in slices, is used whole");
  }
  // Checks the host scalars that a tensor's sizes name.
  void expectSizes(const TensorView* tensor) const {
    for (const IterDomain* axis : tensor->axes()) expectSize(axis->size());
  }
  void expectSize(IntExpr size) const {
    forEachSymbol(size, [&](IntExpr symbol) {
      if (const Val* scalar = program_.fusion().scalarOf(symbol)) expect(1, scalar);
    });
  }
  // Whether a cache gets this program input only for its sizes; its elements may be overwritten by then.
  bool isForSizes(const Val* val) const {
    if (!segment_ || val->isScalar() || !program_.isInput(val)) return false;
    return std::find(segment_->inputs.begin(), segment_->inputs.end(), val) == segment_->inputs.end();
  }
  // Checks that the tensor exists, possibly allocated in slices.
  void expectPart(int constraint, const Val* val) const {
    const bool literal = val->isScalar() && val->as<Scalar>()->isConstant();
    require(constraint, literal || state_.there.at(val->id()), "%", val->name(), " is read where it does not exist");
    if (literal || val->isScalar()) return;
    forEachOwner(val->as<TensorView>(), [&](const TensorView* owner) {
      require(constraint, state_.there.at(owner->id()), "%", val->name(), " is read in the memory of %", owner->name(),
              ", which is freed or overwritten");
    });
    for (const hir::HostExpr* expr : state_.running) {
      const TensorView* received = std::get<hir::Communication>(expr->node).receive;
      require(16, !received || !mayShare(val->as<TensorView>(), received), "%", val->name(),
              " is used before a wait for what brings it");
    }
  }
  void requireUnsent(const TensorView* written) const {
    for (const hir::HostExpr* expr : state_.running) {
      const TensorView* sent = std::get<hir::Communication>(expr->node).send;
      require(16, !sent || !mayShare(written, sent), "%", written->name(), " changes before a wait for what sends it");
    }
  }
  // Checks that a tensor that the program writes is not in an input's memory, except through Reuse or Copy.
  void write(const TensorView* tensor) {
    requireUnsent(tensor);
    forEachOwner(tensor, [&](const TensorView* owner) {
      require(7, !program_.isInput(owner), "%", tensor->name(), " is written in an input's memory");
      for (const TensorView* input : state_.reusedBy[owner->id()]) {
        requireUnsent(input);
        state_.there[input->id()] = false;
      }
    });
  }
  // Whether what is in place reuses the input, so that some of it is overwritten by slices.
  bool holdsSlices(const TensorView* input) const {
    const std::vector<std::unique_ptr<Val>>& vals = program_.fusion().allVals();
    return std::any_of(vals.begin(), vals.end(), [&](const std::unique_ptr<Val>& val) {
      return val->isTensor() && val->as<TensorView>()->domain().inPlace && contains(state_.reusedBy[val->id()], input);
    });
  }
  static bool contains(const std::vector<const TensorView*>& all, const TensorView* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }
  // Calls `see` for each tensor that may own this one's memory on any path to this point.
  template <class F>
  void forEachOwner(const TensorView* tensor, const F& see) const {
    const std::vector<const TensorView*>& sources = state_.memoryOf.at(tensor->id());
    if (sources.empty()) see(tensor);
    for (const TensorView* source : sources) {
      if (source == tensor) {
        see(tensor);
      } else {
        forEachOwner(source, see);
      }
    }
  }
  bool mayShare(const TensorView* one, const TensorView* other) const {
    bool found = false;
    forEachOwner(one, [&](const TensorView* owner) {
      forEachOwner(other, [&](const TensorView* another) { found |= owner == another; });
    });
    return found;
  }
  // Memory that the program allocates is dense, in whatever allocation order.
  bool isDense(const TensorView* tensor) const {
    const size_t id = tensor->id();
    if (state_.allocated[id] && state_.memoryOf[id].empty() && state_.reusedBy[id].empty()) return true;
    const std::vector<std::optional<bool>>& contiguity = tensor->domain().contiguity;
    return std::all_of(contiguity.begin(), contiguity.end(), [](const auto& flag) { return flag.value_or(true); });
  }
  static std::vector<IntExpr> sizesOf(const TensorView* tensor) {
    std::vector<IntExpr> sizes;
    for (const IterDomain* axis : tensor->axes()) sizes.push_back(axis->size());
    return sizes;
  }
  static void checkOperands(const hir::StandaloneOp& node) {
    if (node.exprs.empty()) {
      require(12, node.inputs.size() == 1 && node.outputs.size() == 1 && node.inputs.front()->isTensor(),
              "a set is of one tensor");
      return;
    }
    const size_t rank = node.results.front()->rank();
    require(12,
            node.inputs.size() == node.operands.size() && node.outputs.size() == node.results.size() &&
                (!node.withoutAxis || *node.withoutAxis < rank) &&
                (!node.part || (node.part->axis < rank && node.part->parts >= 1)),
            "%", node.results.front()->name(), " is computed with other operands or results than its expression has");
  }
  static void requireSameDtype(const TensorView* tensor, const TensorView* memory) {
    require(12, tensor->dtype() == memory->dtype(), "%", tensor->name(), " is ", tensor->dtype(), " in memory of %",
            memory->name(), ", which is ", memory->dtype());
  }
  void appear(const TensorView* tensor) {
    require(2, !state_.there.at(tensor->id()), "%", tensor->name(), " is there already");
    state_.there[tensor->id()] = true;
  }
  void takeOutput(const TensorView* tensor, size_t output) {
    const std::vector<Val*>& outputs = program_.fusion().outputs();
    require(14, output < outputs.size() && outputs[output] == tensor, "%", tensor->name(), " is not output ", output);
    require(14, !state_.taken[output], "the memory for output ", output, " is taken twice");
    state_.taken[output] = true;
  }
  void allocate(const TensorView* tensor) {
    appear(tensor);
    if (state_.freed[tensor->id()]) requireUnseen(tensor);
    state_.allocated[tensor->id()] = true;
  }
  // A view of freed memory does not become a view of a later allocation of the same tensor.
  void requireUnseen(const TensorView* owner) const {
    for (const std::unique_ptr<Val>& val : program_.fusion().allVals()) {
      if (!val->isTensor() || !state_.there[val->id()] || val.get() == owner) continue;
      require(2, !mayShare(val->as<TensorView>(), owner), "%", val->name(), " is in the memory of %", owner->name(),
              ", which is allocated anew");
    }
  }
  void checkWraps(const hir::HirAliasSelect& node) {
    const std::optional<size_t>& sliced = state_.slicedAxis[node.source->id()];
    require(13, node.wraps ? sliced == node.axis : !sliced, "%", node.tensor->name(), " selects of %",
            node.source->name(),
            node.wraps ? ", which is not allocated in slices along that axis, and wraps"
                       : ", which is allocated in slices, and does not wrap");
    if (!node.wraps) return;
    const bool onItsStream = state_.current && state_.current->index == node.index;
    require(13, onItsStream, "%", node.tensor->name(), " is selected on another stream than its turn's");
    IntExpr& index = sliceIndex_[node.source->id()];
    require(13, !index || index == node.index, "two loops use the slices of %", node.source->name());
    index = node.index;
  }
  void checkIndex(IntExpr index) const {
    const bool inside = std::find(indices_.begin(), indices_.end(), index) != indices_.end();
    require(8, inside, "an index is used outside its loop");
  }
  const hir::Stream* streamOf(const hir::Stream* named) const {
    if (named->index) {
      checkIndex(named->index);
      return named;
    }
    const auto& saved = state_.saved[static_cast<size_t>(named->number)];
    require(9, saved.has_value(), "stream ", named->number, " is named before it is found");
    return *saved;
  }

  void runBody(const hir::Body& body) {
    if (body.empty()) return;
    const State before = state_;
    runWay(body);
    if (leaks_ == HostLeaks::Allowed) return;
    for (size_t id = 0; id < state_.allocated.size(); ++id) {
      const Val* val = program_.fusion().allVals()[id].get();
      const bool leaked = state_.allocated[id] && !before.allocated[id] && !program_.isOutput(val);
      require(4, !leaked, "%", val->name(), " is allocated and never freed");
    }
  }

  // Nodes after it may free what it allocates.
  void runWay(const hir::Body& body) {
    const hir::Stream* before = state_.current;
    const std::vector<const hir::HostExpr*> running = state_.running;
    walk(body);
    require(9, state_.current == before, "a body leaves another stream current");
    require(16, state_.running == running, "a body leaves a communication that it started, or waits for another's");
  }

  void walk(const hir::Body& body) {
    for (const hir::HostExpr* expr : body) {
      if (const auto [tensor, source] = aliasIn(expr->node); tensor) {
        require(15, contains(program_.aliasesOf(tensor), source), "%", tensor->name(),
                " is in other memory than the program records");
      }
      std::visit(*this, expr->node);
      if (const auto [tensor, source] = aliasIn(expr->node);
          tensor && !std::holds_alternative<hir::Reuse>(expr->node)) {
        state_.memoryOf[tensor->id()] = {source};
      }
      if (std::holds_alternative<hir::Communication>(expr->node)) state_.running.push_back(expr);
      if (const auto* loop = std::get_if<hir::ForLoop>(&expr->node)) {
        runLoop(*loop, program_.body(expr));
      } else if (std::holds_alternative<hir::IfThenElse>(expr->node)) {
        runBranches(expr);
      } else if (const auto* segment = std::get_if<hir::Segment>(&expr->node)) {
        segment_ = segment;
        walk(program_.body(expr));  // no scope of its own
        segment_ = nullptr;
      }
    }
  }

  void runLoop(const hir::ForLoop& loop, const hir::Body& body) {
    const State before = state_;
    indices_.push_back(loop.index);
    runBody(body);
    indices_.pop_back();
    for (size_t id = 0; id < before.there.size(); ++id) {
      if (!before.there[id]) continue;
      const std::string& name = program_.fusion().allVals()[id]->name();
      require(10, state_.there[id], "a loop iteration takes %", name, " away, which the next one may read");
      require(10,
              before.allocated[id] == state_.allocated[id] && before.slicedAxis[id] == state_.slicedAxis[id] &&
                  before.memoryOf[id] == state_.memoryOf[id] && before.reusedBy[id] == state_.reusedBy[id],
              "a loop iteration leaves %", name, " in other memory than it found it in");
    }
    for (size_t stream = 0; stream < before.saved.size(); ++stream) {
      require(9, !before.saved[stream] || before.saved[stream] == state_.saved[stream],
              "a loop iteration finds stream ", stream, " anew");
    }
    require(14, before.taken == state_.taken,
            "a loop takes the memory for an output, which each of its iterations would");
    std::vector<bool> freed = std::move(state_.freed);
    state_ = before;  // it may turn no time
    state_.freed = std::move(freed);
  }

  void runBranches(const hir::HostExpr* expr) {
    const State before = state_;
    runWay(program_.body(expr, 0));
    const State one = std::exchange(state_, before);
    runWay(program_.body(expr, 1));
    require(10, one.there == state_.there, "the branches of an if leave different values");
    require(14, one.taken == state_.taken, "the branches of an if take the memory for different outputs");
    for (size_t stream = 0; stream < state_.saved.size(); ++stream) {
      if (one.saved[stream] != state_.saved[stream]) state_.saved[stream].reset();  // found on one way alone
    }
    for (size_t id = 0; id < state_.there.size(); ++id) joinValue(one, program_.fusion().allVals()[id].get());
  }

  // Joins the states of the two branches after an if. state_ is that of the other branch.
  void joinValue(const State& one, const Val* val) {
    const size_t id = val->id();
    // Whose memory an output uses does not matter, because outputs are never freed.
    require(10, one.allocated[id] == state_.allocated[id] || program_.isOutput(val), "the branches of an if leave %",
            val->name(), " in different memory");
    require(10, !one.allocated[id] || one.slicedAxis[id] == state_.slicedAxis[id], "the branches of an if allocate %",
            val->name(), " in different slices");
    state_.allocated[id] = one.allocated[id] && state_.allocated[id];
    state_.freed[id] = one.freed[id] || state_.freed[id];
    for (const TensorView* input : one.reusedBy[id]) addOnce(state_.reusedBy[id], input);
    std::vector<const TensorView*>& memory = state_.memoryOf[id];
    if (one.memoryOf[id] == memory) return;
    if (memory.empty()) memory.push_back(val->as<TensorView>());
    for (const TensorView* source : one.memoryOf[id]) addOnce(memory, source);
    if (one.memoryOf[id].empty()) addOnce(memory, val->as<TensorView>());
  }

  static void addOnce(std::vector<const TensorView*>& all, const TensorView* one) {
    if (!contains(all, one)) all.push_back(one);
  }

  void checkAliases() const {
    std::vector<std::pair<const TensorView*, const TensorView*>> programAliases;
    forEachHostExpr(program_, [&](const hir::HostExpr* expr) { programAliases.push_back(aliasIn(expr->node)); });
    for (const std::pair<const TensorView*, const TensorView*>& alias : program_.aliases()) {
      const auto place = std::find(programAliases.begin(), programAliases.end(), alias);
      require(18, place != programAliases.end(), "the program knows of %", alias.first->name(), " in the memory of %",
              alias.second->name(), ", which no node says");
      programAliases.erase(place);
    }
  }

  const HostIrContainer& program_;
  HostLeaks leaks_;
  State state_;
  const hir::Segment* segment_ = nullptr;  // in whose body this is
  std::vector<IntExpr> indices_;           // of the loops around
  std::vector<IntExpr> sliceIndex_;        // by id of what is allocated in slices: that of the loop which uses it
};

}  // namespace

void verifyHostIr(const HostIrContainer& program, HostLeaks leaks) { Verifier(program, leaks).run(); }

}  // namespace fuser

#pragma once
// The nodes of host IR, as in nvFuser: each one is a statement of a host program. They refer to values of the program's
// fusion; streams and loop indices belong to the program.

#include <optional>
#include <variant>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/analysis/stored_slices.h"
#include "fuser/communicate/collective.h"
#include "fuser/ir/fusion.h"

namespace fuser::hir {

// --- memory ---

// Allocates a tensor: dense in its allocation order, stride 0 on broadcast axes, filled with poison. slicedAxis, an
// index into axes(): memory holds only min(size, numberOfStreams) slices along this axis, and the tensor is accessed
// through selects that wrap (a ring buffer with one slot per stream).
struct Allocate {
  const TensorView* tensor = nullptr;
  std::optional<size_t> slicedAxis = std::nullopt;
};

// Frees a tensor, which is not read again.
struct Deallocate {
  const TensorView* tensor = nullptr;
};

// Makes the tensor a view of the source's memory, as the ops between them define it; no kernel runs.
struct View {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
};

// Makes an output use the input's memory (in-place). The input is not read after the launch that writes the output.
// What is in place (TensorDomain::inPlace) uses that of its base in the same way, an input or another one.
struct Reuse {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// Makes a slice that is stored into `whole`, which is in place, use its places there (analysis/stored_slices.h).
struct Place {
  const TensorView* tensor = nullptr;
  const TensorView* whole = nullptr;
  std::vector<PlaceStep> steps;  // from the whole to the slice
};

// Copies the output to the input's memory, which becomes the output's memory.
struct Copy {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// Makes an output use the buffer that the caller provided for it.
struct TakeOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // number of the fusion's output
};

// Copies the output to the buffer that the caller provided for it.
struct CopyToOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // number of the fusion's output
};

// torch.select: the tensor is the slice of the source at `index` (a loop's) along an axis, in the source's memory.
// wraps: slot index % numberOfStreams, for a source with slicedAxis; iterations that share a slot run on one stream.
struct HirAliasSelect {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
  size_t axis = 0;  // index into the source's axes()
  IntExpr index = nullptr;
  bool wraps = false;
};

// The tensor is part number `part`, from 0, of `parts` equal parts of the source along an axis, in the source's memory.
struct HirAliasShard {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
  size_t axis = 0;  // index into the source's axes()
  int64_t part = 0;
  int64_t parts = 1;
};

// --- work ---

// Evaluates scalar expressions, which are in topological order.
struct EvaluateScalars {
  std::vector<const Expr*> exprs;
};

// Launches a kernel with the arguments that it declares.
struct LaunchKernel {
  int kernel = -1;  // index in HostIrContainer::kernels
  std::vector<const TensorView*> tensors;
  std::vector<IntExpr> ints;  // symbols of the program's fusion; null for a stride, which is bound at the launch
  std::vector<const Val*> scalars;
};

// Runs a segment that no scheduler accepts as one kernel, through its own FusionExecutorCache, which segments it again.
struct RunSegment {
  int cache = 0;                   // index in the caches that the program runs with
  std::vector<const Val*> inputs;  // in the order of the cache's fusion
  std::vector<const TensorView*> outputs;
};

// Runs one expression, or several that are one body (analysis/body_slices.h), as a kernel of its own, so that there is
// no second arithmetic.
struct StandaloneOp {
  std::vector<const Expr*> exprs;  // none: a set between tensors that are not in the fusion's graph
  // What the expressions read, and what is stored of what they make, of the fusion's graph. Of one expression: all its
  // operands, literals and repeats too, and all its results.
  std::vector<const Val*> operands;
  std::vector<const TensorView*> results;
  // Computes a single slice along this axis of the first result; operands that have the axis are slices, too.
  std::optional<size_t> withoutAxis;
  // Computes one of `parts` equal parts along this axis of the first result; operands that have it are parts, too.
  struct Part {
    size_t axis = 0;
    int64_t parts = 1;
  };
  std::optional<Part> part;
  std::vector<const Val*> inputs;  // replace `operands`; `outputs` replace `results`
  std::vector<const TensorView*> outputs;
  bool preallocated = false;  // whether the outputs have memory; otherwise this node allocates it
  LaunchKernel launch;        // kernel is -1 until one is compiled
};

// --- streams ---

// A stream. With an index it is stream number index % numberOfStreams; without one it is the stream that
// GetCurrentStream returned.
struct Stream {
  int number = 0;  // dense in the program
  IntExpr index = nullptr;
};

struct GetCurrentStream {
  const Stream* stream = nullptr;
};

// Makes this the current stream, on which the following work is enqueued.
struct SetCurrentStream {
  const Stream* stream = nullptr;
};

// Makes the current stream wait for all work enqueued so far on this stream. The host does not block.
struct Synchronize {
  const Stream* stream = nullptr;
};

// --- several devices ---

// Starts a collective among the devices in `team`. Tensors are dense, and the axis along which the team splits or
// concatenates them is the slowest. A null tensor: this device sends or receives nothing. Until the Wait, the received
// tensor must not be read and the sent one must not be written.
struct Communication {
  CollectiveKind kind = CollectiveKind::Broadcast;
  std::vector<int> team;
  int root = 0;
  Reduction reduction = Reduction::Sum;
  const TensorView* send = nullptr;
  const TensorView* receive = nullptr;
};

struct HostExpr;

// Waits until this device's part of the communication is complete.
struct Wait {
  const HostExpr* communication = nullptr;
};

// --- nodes with bodies; the container stores the bodies ---

// A segment, whose inputs and outputs the run record shows. It has one body.
struct Segment {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<const Val*> inputs;  // literals excluded
  std::vector<const Val*> outputs;
  int kernel = -1;  // index in HostIrContainer::kernels; -1: none
  int cache = -1;   // RunSegment::cache; -1: none
};

// for (index = 0; index < size; ++index), where size is that of the tensor's axis. overStreams: size is at most
// numberOfStreams, so that there is one iteration per stream in use. It has one body.
struct ForLoop {
  IntExpr index = nullptr;  // a symbol that no input binds
  const TensorView* tensor = nullptr;
  size_t axis = 0;  // index into the tensor's axes()
  bool overStreams = false;
};

// It has two bodies: for a true and for a false condition.
struct IfThenElse {
  const Val* condition = nullptr;
};

using Node = std::variant<Allocate, Deallocate, View, Reuse, Place, Copy, TakeOutput, CopyToOutput, HirAliasSelect,
                          HirAliasShard, EvaluateScalars, LaunchKernel, RunSegment, StandaloneOp, GetCurrentStream,
                          SetCurrentStream, Synchronize, Communication, Wait, Segment, ForLoop, IfThenElse>;

// The number of bodies of a node: 0, 1 or 2.
size_t bodyCount(const Node& node);

// A node in a program, which owns it.
struct HostExpr {
  uint32_t id = 0;  // dense in the program, in order of creation
  Node node;
};

using Body = std::vector<HostExpr*>;

}  // namespace fuser::hir

#pragma once
// The nodes of host IR: what a host program does, one node a statement. The values that they name are those of the
// program's fusion; streams and loop indices are the program's own.

#include <optional>
#include <variant>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/communicate/collective.h"
#include "fuser/ir/fusion.h"

namespace fuser::hir {

// --- memory ---

// Memory for a tensor: row-major in its allocation order, stride 0 on broadcast axes, filled with poison.
// slicedAxis: of its non-reduction axes, the one along which there are only as many places as loops have streams (and
// no more than the axis has). Such a tensor is used through selects that wrap.
struct Allocate {
  const TensorView* tensor = nullptr;
  std::optional<size_t> slicedAxis = std::nullopt;
};

// The tensor is not read again.
struct Deallocate {
  const TensorView* tensor = nullptr;
};

// The tensor is in the source's memory, as the ops that make it of the source see it: no kernel runs.
struct View {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
};

// An output is written to the input's memory instead of its own: the input is not read after the launch that does.
struct Reuse {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// The output's elements are copied to the input's memory, where it is from then on.
struct Copy {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// An output is written to the memory that the caller gave for it.
struct TakeOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // number of the fusion's output
};

// The output's elements are copied to the memory that the caller gave for it.
struct CopyToOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // number of the fusion's output
};

// The tensor is the source at one place of an axis, in the source's memory. index: a loop's. wraps: it is place number
// index % numberOfStreams, of a source of which slices alone are allocated: turns that share one run on one stream.
struct HirAliasSelect {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
  size_t axis = 0;  // of the source's non-reduction axes
  IntExpr index = nullptr;
  bool wraps = false;
};

// The tensor is the part-th of equal parts of the source along an axis, in the source's memory.
struct HirAliasShard {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
  size_t axis = 0;  // of the source's non-reduction axes
  int64_t part = 0;
  int64_t parts = 1;
};

// --- work ---

// Scalar expressions, in topological order.
struct EvaluateScalars {
  std::vector<const Expr*> exprs;
};

// Arguments as the kernel declares them.
struct LaunchKernel {
  int kernel = -1;  // index in HostIrContainer::kernels
  std::vector<const TensorView*> tensors;
  std::vector<IntExpr> ints;  // symbols of the program's fusion; null: a stride, bound at the launch
  std::vector<const Val*> scalars;
};

// A segment that no scheduler takes as one kernel: it runs through a cache of its own, which segments it again.
struct RunSegment {
  int cache = 0;                   // which of the caches that the program is run with
  std::vector<const Val*> inputs;  // as the part that the cache is for has them
  std::vector<const TensorView*> outputs;
};

// One expression of the fusion, run as a kernel of its own: there is no second arithmetic.
struct StandaloneOp {
  const Expr* expr = nullptr;  // null: a set, of tensors that no expression of the fusion makes
  // Of the results' axes, the one of which this computes one place: operands that have it are seen at that place too.
  std::optional<size_t> withoutAxis;
  // Of the results' axes, the one of which this computes one of equal parts: so are the operands that have it.
  struct Part {
    size_t axis = 0;
    int64_t parts = 1;
  };
  std::optional<Part> part;
  std::vector<const Val*> inputs;  // what is in the operands' and in the results' places
  std::vector<const TensorView*> outputs;
  bool preallocated = false;  // the outputs' memory is there already; else this allocates it
  LaunchKernel launch;        // kernel -1 until the op has one
};

// --- streams ---

// A stream of work. index: it is number index % numberOfStreams of the program's streams; null: the stream that
// GetCurrentStream found.
struct Stream {
  int number = 0;  // dense in the program
  IntExpr index = nullptr;
};

struct GetCurrentStream {
  const Stream* stream = nullptr;
};

// What follows is enqueued on this stream.
struct SetCurrentStream {
  const Stream* stream = nullptr;
};

// The current stream waits for all work enqueued so far on the named one. The host does not block.
struct Synchronize {
  const Stream* stream = nullptr;
};

// --- several devices ---

// Starts a collective of the devices. Each tensor's memory is dense; the axis along which the team splits or joins it
// is the slowest there. Null: this device sends, or gets, nothing. Until the Wait, what is received does not exist, and
// what is sent stays as it is.
struct Communication {
  CollectiveKind kind = CollectiveKind::Broadcast;
  std::vector<int> team;
  int root = 0;
  Reduction reduction = Reduction::Sum;
  const TensorView* send = nullptr;
  const TensorView* receive = nullptr;
};

struct HostExpr;

// The communication is over, as far as this device takes part.
struct Wait {
  const HostExpr* communication = nullptr;
};

// --- nodes with bodies, which the container holds ---

// A segment, as a run's record shows it. One body: what it does.
struct Segment {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<const Val*> inputs;  // literals excluded
  std::vector<const Val*> outputs;
  int kernel = -1;  // index in HostIrContainer::kernels; -1: none
  int cache = -1;   // of RunSegment; -1: none
};

// index runs from 0 to the size of the tensor's axis; overStreams: or to numberOfStreams, where that is less, which is
// one turn for each of the streams that turns over the axis run on. One body.
struct ForLoop {
  IntExpr index = nullptr;  // a symbol that no input binds
  const TensorView* tensor = nullptr;
  size_t axis = 0;  // of the tensor's non-reduction axes
  bool overStreams = false;
};

// Two bodies: where the scalar is true, and where it is false.
struct IfThenElse {
  const Val* condition = nullptr;
};

using Node = std::variant<Allocate, Deallocate, View, Reuse, Copy, TakeOutput, CopyToOutput, HirAliasSelect,
                          HirAliasShard, EvaluateScalars, LaunchKernel, RunSegment, StandaloneOp, GetCurrentStream,
                          SetCurrentStream, Synchronize, Communication, Wait, Segment, ForLoop, IfThenElse>;

// How many bodies a node has.
size_t bodyCount(const Node& node);

// A node at its place in a program, which owns it.
struct HostExpr {
  uint32_t id = 0;  // dense in the program, in order of making
  Node node;
};

using Body = std::vector<HostExpr*>;

}  // namespace fuser::hir

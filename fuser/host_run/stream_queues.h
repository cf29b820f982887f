#pragma once
// StreamQueues: the streams of one run of a host program. Without a device, work waits in the queue of its stream and
// runs in an order that the synchronizations allow and `choose` selects. With a device, kernels are enqueued on its
// streams at once; before work of its own the host waits for the stream. Vector clocks detect races: two accesses of an
// element, at least one of them a write, that no path of synchronizations orders are a ViolationError, whichever order
// was chosen. (Lamport's happened-before, with Mattern's clocks; per element as in FastTrack, Flanagan and Freund,
// 2009.)

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/execute/stream_device.h"
#include "fuser/host_run/touched_elements.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

// Limits of a run on streams, because each iteration of a loop over streams is queued and each element that it accesses
// is recorded. Exceeding one is a UserError that states it (fuser/text/grammar.md#limits).
struct StreamLimits {
  size_t work = size_t{1} << 18;      // launches, copies and frees
  size_t elements = size_t{1} << 24;  // accessed and not freed
};

class StreamQueues {
 public:
  // Chooses which of `ready` streams does its next work: an index below `ready`. Must be deterministic.
  using Choose = std::function<size_t(size_t ready)>;

  // Stream 0 is current at first; loops use streams 1 to loopStreams. check: whether to detect races. device: has
  // streams 0 to loopStreams; may be null.
  StreamQueues(size_t loopStreams, bool check, Choose choose, DeviceStreams* device = nullptr,
               StreamLimits limits = {});

  struct Access {
    std::string name;  // of the tensor
    TensorRef memory;
    bool write = false;
  };

  // The stream of the loop iteration with this index.
  size_t ofIndex(int64_t index) const { return 1 + static_cast<size_t>(index) % (clocks_.size() - 1); }
  size_t current() const { return current_; }
  void setCurrent(size_t stream) { current_ = stream; }

  // Makes the current stream wait for all work enqueued so far on the stream `named`.
  void synchronize(size_t named);
  // Enqueues work on the current stream; messages contain `what`. A UserError past a limit. With a device, calls `work`
  // at once: it enqueues on the device, or waits for the stream first.
  void enqueue(const std::string& what, const std::vector<Access>& accesses, std::function<void()> work);
  // Frees memory on the current stream: its last access, which counts as a write.
  void enqueueFree(const std::string& what, const Access& access);

  // Runs, or waits for, what the current stream's next work would wait for: all that is ordered before it.
  void finishCurrent();
  // Runs, or waits for, all enqueued work. Afterwards the host has waited for every stream.
  void runAll();

 private:
  using Clock = std::vector<uint64_t>;  // by stream: the amount of its work that happens before
  struct Work {
    Clock after;  // the work that must happen first
    std::function<void()> run;
  };
  using Mark = TouchedElement::Mark;
  struct Touch {
    std::string what;
    size_t stream = 0;
    uint64_t time = 0;
  };
  bool isOrdered(Mark before) const {
    const Touch& touch = touches_[before];
    return before == 0 || touch.stream == current_ || clocks_[current_][touch.stream] >= touch.time;
  }
  // Runs waiting work until so much of each stream's is done. A CheckError if none is ready before that.
  void runUntil(const Clock& wanted);
  Mark recordTouch(const std::string& what);
  void touch(const Access& access, Mark now);
  void touchElement(const Access& access, uintptr_t address, TouchedElement& element, Mark now);
  [[noreturn]] void fail(const Access& access, Mark before, Mark now) const;

  const bool check_;
  Choose choose_;
  DeviceStreams* const device_;
  const StreamLimits limits_;
  size_t current_ = 0;
  std::vector<Clock> clocks_;               // by stream: what happens before its next work, its own work included
  std::vector<std::deque<Work>> waiting_;   // by stream
  Clock done_;                              // by stream: the amount of its work that is done
  std::vector<Touch> touches_;              // the enqueued work; entry 0 stands for none
  TouchedElements elements_;
  // Further reads of an element, unordered with TouchedElement::read; by address; for lookups only.
  std::unordered_map<uintptr_t, std::vector<Mark>> others_;
};

}  // namespace fuser

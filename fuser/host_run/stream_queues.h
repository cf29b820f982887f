#pragma once
// StreamQueues: the streams of one run of a host program. Without a device, work waits in the queue of its stream and
// is done in an order that the synchronisations allow, one that somebody else draws. With one, its streams get the
// kernels at once; for work of its own the host waits until the stream comes to it. Vector clocks say what is ordered:
// two accesses of an element, one of them a write, that no path of synchronisations orders are a ViolationError,
// whatever order is drawn. (Lamport's happened-before, with Mattern's clocks; per element as in FastTrack, Flanagan and
// Freund.)

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/execute/stream_device.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

// What a run on streams may keep: each turn of a loop over streams is work that waits, and each element that it touches
// is remembered. Past a limit is a UserError that says it (fuser/text/grammar.md#limits).
struct StreamLimits {
  size_t work = size_t{1} << 18;
  size_t elements = size_t{1} << 24;
};

class StreamQueues {
 public:
  // Of so many streams whose heads may run, which one's does: below the argument. Deterministic runs need one that is.
  using Choose = std::function<size_t(size_t ready)>;

  // Stream 0 is current; the streams of loops are 1 to loopStreams. check: whether accesses are. device: its streams 0
  // to loopStreams, or null.
  StreamQueues(size_t loopStreams, bool check, Choose choose, DeviceStreams* device = nullptr,
               StreamLimits limits = {});

  struct Access {
    std::string name;  // of the tensor
    TensorRef memory;
    bool write = false;
  };

  // The stream that a loop's turn of that index runs on.
  size_t ofIndex(int64_t index) const { return 1 + static_cast<size_t>(index) % (clocks_.size() - 1); }
  size_t current() const { return current_; }
  void setCurrent(size_t stream) { current_ = stream; }

  // The current stream waits for what is enqueued on the named one by now.
  void synchronize(size_t named);
  // On the current stream; `what` stands in messages. A UserError past a limit. With a device, the work is done at
  // once: it enqueues there, or waits for the stream first.
  void enqueue(const std::string& what, const std::vector<Access>& accesses, std::function<void()> work);
  // The memory is given back, on the current stream: an access as a write is, and the last one.
  void giveBack(const std::string& what, const Access& access);

  // Does, or waits for, all that is enqueued. The host waits for every stream.
  void runAll();

 private:
  using Clock = std::vector<uint64_t>;  // by stream: how much of its work is done before
  struct Work {
    Clock after;  // what must be done first
    std::function<void()> run;
  };
  // A piece of work as an element remembers it: its place in touches_; 0: none.
  using Mark = uint32_t;
  struct Touch {
    std::string what;
    size_t stream = 0;
    uint64_t time = 0;
  };
  struct Element {
    Mark write = 0;
    Mark read = 0;  // since the write; of two in order the later one, which stands for both
  };

  bool isOrdered(Mark before) const {
    const Touch& touch = touches_[before];
    return before == 0 || touch.stream == current_ || clocks_[current_][touch.stream] >= touch.time;
  }
  Mark noted(const std::string& what);
  void touch(const Access& access, Mark now);
  [[noreturn]] void fail(const Access& access, Mark before, Mark now) const;

  const bool check_;
  Choose choose_;
  DeviceStreams* const device_;
  const StreamLimits limits_;
  size_t current_ = 0;
  std::vector<Clock> clocks_;               // by stream: what its next work comes after, itself included
  std::vector<std::deque<Work>> waiting_;   // by stream
  Clock done_;                              // by stream: how much of its work is done
  std::vector<Touch> touches_;              // what was enqueued, behind one that stands for nothing
  std::unordered_map<uintptr_t, Element> elements_;  // by address; look-ups only
  // Reads of an element without an order among them, beside Element::read; by address; look-ups only.
  std::unordered_map<uintptr_t, std::vector<Mark>> others_;
};

}  // namespace fuser

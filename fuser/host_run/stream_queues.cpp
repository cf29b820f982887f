// Queues, clocks, and the order of accesses.

#include "fuser/host_run/stream_queues.h"

#include <algorithm>

#include "fuser/execute/engine.h"

namespace fuser {
namespace {

// The address of each element, once each: axes of stride 0 show one element.
template <class F>
void forEachAddress(const TensorRef& memory, F&& see) {
  if (numel(memory.sizes) == 0) return;
  const size_t rank = memory.sizes.size();
  const int64_t bytes = static_cast<int64_t>(dtypeSize(memory.dtype));
  Dims place(rank, 0);
  int64_t offset = 0;
  const auto base = reinterpret_cast<uintptr_t>(memory.data);
  while (true) {
    see(base + static_cast<uintptr_t>(offset * bytes));
    size_t axis = rank;
    while (axis > 0) {
      --axis;
      if (memory.strides[axis] != 0 && place[axis] + 1 < memory.sizes[axis]) {
        ++place[axis];
        offset += memory.strides[axis];
        break;
      }
      offset -= place[axis] * memory.strides[axis];
      place[axis] = 0;
      if (axis == 0) return;
    }
    if (rank == 0) return;
  }
}

}  // namespace

StreamQueues::StreamQueues(size_t loopStreams, bool check, Choose choose, DeviceStreams* device, StreamLimits limits)
    : check_(check),
      choose_(std::move(choose)),
      device_(device),
      limits_(limits),
      clocks_(loopStreams + 1, Clock(loopStreams + 1, 0)),
      waiting_(loopStreams + 1),
      done_(loopStreams + 1, 0),
      touches_(1) {
  FUSER_CHECK(loopStreams > 0, "loops need a stream");
}

void StreamQueues::synchronize(size_t named) {
  Clock& mine = clocks_[current_];
  for (size_t stream = 0; stream < mine.size(); ++stream) mine[stream] = std::max(mine[stream], clocks_[named][stream]);
  if (device_) device_->order(named, current_);
}

void StreamQueues::fail(const Access& access, Mark before, Mark now) const {
  const Touch &first = touches_[before], &second = touches_[now];
  throw ViolationError(concat("streams: ", first.what, " on stream ", first.stream, " and ", second.what, " on stream ",
                              second.stream, " touch %", access.name, " with no synchronization between them"));
}

StreamQueues::Mark StreamQueues::recordTouch(const std::string& what) {
  FUSER_USER_CHECK(touches_.size() <= limits_.work, "a run on streams has at most ", limits_.work,
                   " launches, copies and frees, and this one has more: an axis has too many places to run on streams");
  touches_.push_back({what, current_, clocks_[current_][current_] + 1});
  return static_cast<Mark>(touches_.size() - 1);
}

void StreamQueues::touch(const Access& access, Mark now) {
  if (!check_) return;
  const size_t bytes = dtypeSize(access.memory.dtype);
  forEachAddress(access.memory, [&](uintptr_t address) {
    TouchedElement& element = elements_.at(address, bytes);
    FUSER_USER_CHECK(elements_.count() <= limits_.elements, "a run on streams touches at most ", limits_.elements,
                     " elements, and this one more: %", access.name, " is too large");
    touchElement(access, address, element, now);
  });
}

void StreamQueues::touchElement(const Access& access, uintptr_t address, TouchedElement& element, Mark now) {
  if (!isOrdered(element.write)) fail(access, element.write, now);
  if (!access.write) {
    if (element.hasOtherReads) std::erase_if(others_[address], [&](Mark read) { return isOrdered(read); });
    if (isOrdered(element.read)) {
      element.read = now;
    } else {
      others_[address].push_back(now);
      element.hasOtherReads = true;
    }
    return;
  }
  if (!isOrdered(element.read)) fail(access, element.read, now);
  if (element.hasOtherReads) {
    for (Mark read : others_[address]) {
      if (!isOrdered(read)) fail(access, read, now);
    }
    others_.erase(address);
  }
  element = {now, 0, false};
}

void StreamQueues::enqueue(const std::string& what, const std::vector<Access>& accesses, std::function<void()> work) {
  const Mark now = recordTouch(what);
  for (const Access& access : accesses) touch(access, now);
  if (device_) {
    work();
    ++done_[current_];
  } else {
    waiting_[current_].push_back({clocks_[current_], std::move(work)});
  }
  ++clocks_[current_][current_];
}

void StreamQueues::enqueueFree(const std::string& what, const Access& access) {
  touch(access, recordTouch(what));
  if (!check_) return;
  forEachAddress(access.memory, [&](uintptr_t address) {
    if (elements_.erase(address)) others_.erase(address);
  });
}

void StreamQueues::runUntil(const Clock& wanted) {
  const auto isDone = [&](const Clock& work) {
    return std::equal(work.begin(), work.end(), done_.begin(),
                      [](uint64_t needed, uint64_t done) { return needed <= done; });
  };
  while (!isDone(wanted)) {
    std::vector<size_t> ready;
    for (size_t stream = 0; stream < waiting_.size(); ++stream) {
      if (waiting_[stream].empty()) continue;
      if (isDone(waiting_[stream].front().after)) ready.push_back(stream);
    }
    FUSER_CHECK(!ready.empty(), "work waits for work that never comes");
    const size_t stream = ready.at(choose_(ready.size()));
    waiting_[stream].front().run();
    waiting_[stream].pop_front();
    ++done_[stream];
  }
}

void StreamQueues::finishCurrent() {
  if (device_) {
    device_->finish(current_);
  } else {
    runUntil(clocks_[current_]);
  }
}

void StreamQueues::runAll() {
  for (size_t stream = 0; device_ && stream < clocks_.size(); ++stream) device_->finish(stream);
  Clock all;
  for (size_t stream = 0; stream < clocks_.size(); ++stream) all.push_back(clocks_[stream][stream]);
  runUntil(all);
  // The host has waited: what follows comes after all.
  for (Clock& clock : clocks_) clock = done_;
}

}  // namespace fuser

// Each stream has one event. Streams that a run returned are reused by later runs.

#include "fuser/execute/cuda_streams.h"

#include <mutex>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser {
namespace {

// A stream and its event. Each order() records the event again; a wait refers to the last record before the call.
struct Lane {
  const CudaDriver& driver;
  const CudaDriver::Stream stream;
  CudaDriver::Event event = nullptr;

  explicit Lane(const CudaDriver& d) : Lane(d, d.makeStream()) { event = d.makeEvent(); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    if (event) driver.destroy(event);
    driver.destroy(stream);
  }

 private:
  Lane(const CudaDriver& d, CudaDriver::Stream newStream) : driver(d), stream(newStream) {}
};

class CudaDevice : public StreamDevice {
 public:
  explicit CudaDevice(std::shared_ptr<const CudaDriver> driver) : driver_(std::move(driver)) {}

  std::byte* allocate(size_t bytes) override {
    const CudaDriver::Address address = driver_->allocateShared(bytes);
    FUSER_CHECK(address % 256 == 0, "the GPU gave memory at ", address, ", which is no multiple of 256");
    return reinterpret_cast<std::byte*>(address);
  }
  void free(std::byte* memory) override { driver_->free(reinterpret_cast<CudaDriver::Address>(memory)); }
  std::unique_ptr<DeviceStreams> makeStreams(size_t count) override;

  std::unique_ptr<Lane> acquire() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Lane>(*driver_);
    std::unique_ptr<Lane> lane = std::move(idle_.back());
    idle_.pop_back();
    return lane;
  }
  void giveBack(std::unique_ptr<Lane> lane) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }

 private:
  const std::shared_ptr<const CudaDriver> driver_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  // guarded by mutex_
};

class CudaStreams : public DeviceStreams {
 public:
  CudaStreams(CudaDevice& device, size_t count) : device_(device) {
    for (size_t i = 0; i < count; ++i) lanes_.push_back(device.acquire());
  }
  ~CudaStreams() override {
    for (std::unique_ptr<Lane>& lane : lanes_) {
      try {
        finish(*lane);
        device_.giveBack(std::move(lane));
      } catch (const std::exception&) {
        // A run that succeeds has finished all streams; otherwise an exception is in flight that says why it failed.
      }
    }
  }

  void* handle(size_t stream) const override { return lanes_.at(stream)->stream; }
  void order(size_t earlier, size_t later) override {
    if (earlier == later) return;
    const Lane& first = *lanes_.at(earlier);
    first.driver.record(first.event, first.stream);
    first.driver.wait(lanes_.at(later)->stream, first.event);
  }
  void finish(size_t stream) override { finish(*lanes_.at(stream)); }

 private:
  static void finish(const Lane& lane) {
    lane.driver.finish(lane.stream, "a kernel of the program (which one: option disable pass StreamParallelTypePass)");
  }

  CudaDevice& device_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

std::unique_ptr<DeviceStreams> CudaDevice::makeStreams(size_t count) {
  return std::make_unique<CudaStreams>(*this, count);
}

}  // namespace

std::shared_ptr<StreamDevice> makeCudaDevice(std::shared_ptr<const CudaDriver> driver) {
  return driver->hostAndKernelsShareMemory() ? std::make_shared<CudaDevice>(std::move(driver)) : nullptr;
}

}  // namespace fuser

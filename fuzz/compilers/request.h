#pragma once
// What a worker is asked (worker_process.h has the bytes).

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fuser::fuzz {

// The run index of a program that makes the data of all runs itself, and answers each.
inline constexpr uint32_t kAllRuns = std::numeric_limits<uint32_t>::max();

struct WorkerProgram {
  uint32_t run = kAllRuns;  // the index of the case's run
  std::string text;
  std::string data;  // as the format says; "": the text has it
};

// What the answer's text holds, where the worker can say it.
enum class WantedText : uint8_t {
  None,
  Switches,   // the switches whose work changes these programs, separated by commas; then nothing runs
  Decisions,  // what the target decided, a line each: its passes, fusions and kernels, without the names of values
};

struct WorkerRequest {
  std::vector<WorkerProgram> programs;
  std::string off;  // switches of the target that are off, separated by commas
  WantedText text = WantedText::None;
};

// The payload of the frame. following: requests that follow at once and may be compiled with it.
std::string payloadOf(uint64_t id, const WorkerRequest& request, uint32_t following);

}  // namespace fuser::fuzz

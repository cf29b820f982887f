#include "fuzz/isolate/short_stack.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

using Lines = std::vector<std::string>;
constexpr size_t kMostLines = 40;
constexpr size_t kLongestRun = 16;  // of lines that repeat

// The handler's frame, its inlined callers, and the frame through which the kernel called it.
void dropHandler(Lines& frames) {
  const auto isHandler = [](const std::string& line) { return line.find("writeStack") != std::string::npos; };
  const auto handler = std::find_if(frames.begin(), frames.end(), isHandler);
  if (handler == frames.end()) return;
  auto next = handler + 1;
  const bool isTrampoline = next != frames.end() && (next->find("__restore_rt") != std::string::npos ||
                                                     next->find("/libc.so") != std::string::npos);
  frames.erase(frames.begin(), isTrampoline ? next + 1 : next);
}

// How many lines from `at` on repeat at once, and how often; 0 lines: none do.
std::pair<size_t, size_t> runAt(const Lines& frames, size_t at) {
  for (size_t length = 1; length <= kLongestRun; ++length) {
    size_t end = at + length;
    while (end < frames.size() && frames[end] == frames[end - length]) ++end;
    const size_t times = (end - at) / length;
    if (times > 2) return {length, times};
  }
  return {0, 0};
}

}  // namespace

std::string shortStack(const std::string& detail) {
  std::istringstream in(detail);
  std::string first;
  std::getline(in, first);
  Lines frames, shown;
  for (std::string line; std::getline(in, line);) frames.push_back(line);
  dropHandler(frames);
  for (size_t i = 0; i < frames.size();) {
    const auto [length, times] = runAt(frames, i);
    for (size_t line = 0; line < std::max<size_t>(length, 1); ++line) shown.push_back(frames[i + line]);
    if (length > 0) {
      shown.push_back(concat("… the ", length == 1 ? "line" : concat(length, " lines"), " above, ", times, " times"));
    }
    i += std::max<size_t>(length * times, 1);
  }
  std::string text = first;
  for (size_t i = 0; i < std::min(shown.size(), kMostLines); ++i) text += "\n" + shown[i];
  if (shown.size() > kMostLines) text += concat("\n… ", shown.size() - kMostLines, " more lines");
  return text;
}

}  // namespace fuser::fuzz

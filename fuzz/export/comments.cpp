#include "fuzz/export/comments.h"

#include <algorithm>

#include "fuser/text/printer.h"

namespace fuser::fuzz {

std::string commented(const std::string& text, std::string_view mark) {
  std::string out(mark);
  for (const char c : text.substr(0, 400)) out += c >= ' ' && c < 127 ? c : ' ';
  return out + "\n";
}

std::string commentedLines(const std::string& text, std::string_view mark) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += commented("  " + text.substr(at, end - at), mark);
    at = end + 1;
  }
  return out;
}

std::string leftOutComment(const Case& testCase, std::string_view mark) {
  std::string lines = printOptions(testCase.options);
  if (testCase.schedule) lines += "schedule { … }\n";
  for (const auto& [segment, schedule] : testCase.segmentSchedules) {
    lines += concat("schedule segment ", segment, " { ... }\n");
  }
  const Fusion& fusion = *testCase.fusion;
  if (fusion.hasDevices()) lines += "mesh, shard: on one device all results are the same\n";
  if (fusion.hasStreams()) lines += "stream\n";
  if (lines.empty()) return "";
  return commented("Left out, because it concerns fuser's compiler alone:", mark) + commentedLines(lines, mark);
}

}  // namespace fuser::fuzz

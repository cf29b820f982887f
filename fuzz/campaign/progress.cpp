// Status as text, and the few escape sequences that redraw it in place.

#include "fuzz/campaign/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "fuser/support/diagnostic.h"

namespace fuser::fuzz {
namespace {

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

// Columns are counted as bytes: the texts are ASCII.
std::string fit(std::string text, size_t width) {
  if (text.size() > width) text = width > 3 ? text.substr(0, width - 3) + "..." : text.substr(0, width);
  return text;
}

std::string bar(double share, size_t width) {
  const size_t full = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::string colored(const std::string& text, const char* code, bool color) {
  return color ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

}  // namespace

std::string firstClause(const std::string& text) {
  constexpr size_t kColumns = 80;
  return fit(text.substr(0, std::min(text.find('\n'), text.find("; "))), kColumns);
}

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return format("%lld s", whole);
  if (whole < 3600) return format("%lld min %lld s", whole / 60, whole % 60);
  return format("%lld h %lld min", whole / 3600, whole / 60 % 60);
}

std::string activityOf(const Activity& activity) {
  const auto findings = [](size_t count) { return format("%zu finding%s", count, count == 1 ? "" : "s"); };
  std::vector<std::string> parts;
  if (activity.batches == 1) parts.push_back("compiling a sample");
  if (activity.batches > 1) parts.push_back(format("compiling %zu samples", activity.batches));
  if (activity.confirmations > 0) parts.push_back("running " + findings(activity.confirmations) + " again");
  if (activity.minimizations > 0) {
    std::string part = "minimising " + findings(activity.minimizations);
    if (activity.waiting > 0) part += format(", %zu wait", activity.waiting);
    parts.push_back(part + ", " + duration(activity.secondsEach) + " each at most");
  }
  if (parts.empty()) return "";
  std::string text = activity.casesDone ? "cases done" : "";
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string statusLine(const Status& status) {
  std::string line = format("%.0f s: %lld cases, %.1f/s, decided %.4f, rejected %.4f, findings %lld", status.seconds,
                            static_cast<long long>(status.cases), status.casesPerSecond, status.decidedShare,
                            status.rejectedShare, static_cast<long long>(status.findings));
  if (status.known > 0) line += format(", known %lld", static_cast<long long>(status.known));
  if (status.secondsLeft) line += ", " + duration(*status.secondsLeft) + " left";
  if (!status.activity.empty()) line += "; " + status.activity;
  return line;
}

std::vector<std::string> statusBlock(const Status& status, size_t width, bool color) {
  constexpr size_t kBuckets = 6;
  std::vector<std::string> lines;
  std::string first = format("%lld cases in ", static_cast<long long>(status.cases)) + duration(status.seconds) +
                      format(", %.1f cases/s", status.casesPerSecond);
  if (status.secondsLeft) first += ", " + duration(*status.secondsLeft) + " left";
  if (status.done && width >= first.size() + 14) {
    first = bar(*status.done, std::min<size_t>(width - first.size() - 4, 30)) + " " + first;
  }
  lines.push_back(fit(first, width));
  if (!status.activity.empty()) lines.push_back(fit(status.activity, width));
  lines.push_back(fit(format("decided %.2f%% of elements, %.2f%% of cases; rejected %.2f%%", 100 * status.decidedShare,
                             100 * status.decidedCaseShare, 100 * status.rejectedShare),
                      width));
  std::string found = format("findings %lld", static_cast<long long>(status.findings));
  if (status.known > 0) found += format(", known %lld", static_cast<long long>(status.known));
  lines.push_back(colored(fit(found, width), status.findings > 0 ? "31" : "32", color));
  std::vector<std::pair<std::string, int64_t>> buckets(status.buckets.begin(), status.buckets.end());
  std::stable_sort(buckets.begin(), buckets.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (size_t i = 0; i < std::min(buckets.size(), kBuckets); ++i) {
    // A bucket's name may quote what a file says.
    std::string name = withoutControls(buckets[i].first);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    lines.push_back(fit(format("%6lld  ", static_cast<long long>(buckets[i].second)) + name, width));
  }
  if (buckets.size() > kBuckets) lines.push_back(fit(format("        and %zu more", buckets.size() - kBuckets), width));
  return lines;
}

size_t StatusDisplay::width() const {
  winsize size{};
  if (ioctl(fileno(terminal_), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::max<size_t>(size.ws_col, 20) - 1;  // the last column makes some terminals wrap
}

void StatusDisplay::clear() {
  // To the block's first line, then all below away.
  if (drawn_ > 0) std::fprintf(terminal_, "\x1b[%zuA\r\x1b[J", drawn_);
  drawn_ = 0;
  std::fflush(terminal_);
}

void StatusDisplay::draw() {
  if (!last_) return;
  for (const std::string& line : statusBlock(*last_, width(), color_)) {
    std::fprintf(terminal_, "%s\n", line.c_str());
    ++drawn_;
  }
  std::fflush(terminal_);
}

void StatusDisplay::line(const std::string& text) {
  above([&] { std::fprintf(terminal_, "%s\n", withoutControls(text).c_str()); });
}

void StatusDisplay::above(const std::function<void()>& write) {
  clear();
  write();
  draw();
}

void StatusDisplay::show(const Status& status) {
  last_ = status;
  clear();
  draw();
}

}  // namespace fuser::fuzz

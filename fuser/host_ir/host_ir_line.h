#pragma once
// HostIrLine: a line of a host program's text, tokenized from left to right. Private to this folder.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fuser/support/check.h"

namespace fuser {

// A syntax error is a UserError with the line number.
class HostIrLine {
 public:
  HostIrLine(std::string_view text, size_t number) : rest_(text), number_(number) { skipSpace(); }

  bool atEnd() const { return rest_.empty(); }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    skipSpace();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail(concat("'", text, "' expected"));
  }
  // Reads a name: letters, digits, '_' and '.'.
  std::string word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
    std::string text(rest_.begin(), end);
    if (text.empty()) fail("a name expected");
    rest_.remove_prefix(text.size());
    skipSpace();
    return text;
  }
  int integer() {
    const std::string text = word();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail(concat("'", text, "' is not an integer"));
    return value;
  }
  // Reads up to `text` and drops it; returns what precedes it.
  std::string until(std::string_view text) {
    const size_t place = rest_.find(text);
    if (place == std::string_view::npos) fail(concat("'", text, "' expected"));
    const std::string before(rest_.substr(0, place));
    rest_.remove_prefix(place + text.size());
    skipSpace();
    return before;
  }
  // Reads a list "a, b" up to the closing text.
  template <class Entry>
  auto list(std::string_view close, Entry&& entry) {
    std::vector<std::invoke_result_t<Entry>> entries;
    while (!accept(close)) {
      if (!entries.empty()) expect(",");
      entries.push_back(entry());
    }
    return entries;
  }
  std::string_view rest() const { return rest_; }
  void end() const {
    if (!atEnd()) fail(concat("unexpected '", rest_, "' at the end of the line"));
  }
  [[noreturn]] void fail(const std::string& message) const {
    throwUserError(concat("host program, line ", number_, ": ", message));
  }

 private:
  void skipSpace() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\r')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
  size_t number_;
};

}  // namespace fuser

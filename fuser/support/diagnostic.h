#pragma once
// Located diagnostics: a UserError about a place in a text that somebody wrote.

#include <string>
#include <string_view>

#include "fuser/support/check.h"

namespace fuser {

// Both count from 1; columns count bytes. LF and CRLF end a line.
struct SourcePlace {
  size_t line = 1;
  size_t column = 1;
  bool operator==(const SourcePlace&) const = default;
};

SourcePlace placeOf(std::string_view text, size_t offset);

// For a terminal: control bytes other than line ends and tabs written as \x1b, so that no name of a file steers it.
std::string withoutControls(std::string_view text);

// what():
//   softmax.fusion:3:8: unknown op 'sofmax'
//     %y = sofmax(%x)
//          ^
// The line is printable ASCII whatever the text holds ('?' for other bytes), and cut around the caret when it is long.
class LocatedError : public UserError {
 public:
  LocatedError(std::string_view text, std::string fileName, size_t offset, std::string message);
  const std::string& fileName() const { return fileName_; }
  SourcePlace place() const { return place_; }
  const std::string& message() const { return message_; }

 private:
  std::string fileName_;
  SourcePlace place_;
  std::string message_;
};

}  // namespace fuser

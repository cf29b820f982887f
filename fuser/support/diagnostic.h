#pragma once
// Located diagnostics: a UserError that points at a line and column of an input file.

#include <string>
#include <string_view>

#include "fuser/support/check.h"

namespace fuser {

// A position in a text. Lines and columns count from 1; columns count bytes. LF and CRLF end a line.
struct SourcePlace {
  size_t line = 1;
  size_t column = 1;
  bool operator==(const SourcePlace&) const = default;
};

SourcePlace sourcePlaceAt(std::string_view text, size_t offset);

// Escapes control bytes other than '\n' and '\t' as "\x1b", so that no file name can send control codes to a terminal,
// and bytes that are not valid UTF-8 as "\xc0", so that the output is valid UTF-8.
std::string withoutControls(std::string_view text);

// An error with a source position, printed as a compiler does. what():
//   softmax.fusion:3:8: unknown op 'sofmax'
//     %y = sofmax(%x)
//          ^
// The quoted line is printable ASCII ('?' replaces other bytes); a long line is cut to a window around the caret.
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

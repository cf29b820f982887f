#pragma once
// The tokens of .fusion text.

#include <string_view>

#include "fuser/text/limits.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

inline constexpr TokenRules kTokenRules = {.punctuation = "()[]{},:=+-*",
                                           .pairs = {"->", "//"},
                                           .values = true,
                                           .strings = true,
                                           .comments = true,
                                           .maxBytes = kMaxFileBytes,
                                           .maxNameBytes = kMaxNameBytes,
                                           .errors = ErrorPlace::Caret};

// Whether the text consists of 1 to kMaxNameBytes letters, digits, '_' and '.'.
bool isName(std::string_view text);
// Whether the text is a name that does not start with a digit or '.'.
bool isIdentifier(std::string_view text);

}  // namespace fuser::text

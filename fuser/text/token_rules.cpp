#include "fuser/text/token_rules.h"

#include <algorithm>

namespace fuser::text {

bool isName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && std::all_of(text.begin(), text.end(), isNameByte);
}

bool isIdentifier(std::string_view text) { return isName(text) && isNameStart(text[0]); }

}  // namespace fuser::text

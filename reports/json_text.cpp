#include "reports/json_text.h"

#include <algorithm>

#include "fuser/support/check.h"
#include "fuser/support/diagnostic.h"

namespace reports {
namespace {

using nlohmann::json;

// Numbers of nlohmann's exceptions.
constexpr int kNoField = 403;
constexpr int kTooLarge = 406;

// `byte` counts from 1, and is one past the text where that ends too early.
std::string unexpectedAt(std::string_view text, size_t byte) {
  if (text.empty()) return "it is empty";
  if (byte == 0 || byte > text.size()) return "it ends too early";
  const unsigned char found = static_cast<unsigned char>(text[byte - 1]);
  const bool plain = found > 0x20 && found < 0x7f;
  constexpr const char* kHex = "0123456789abcdef";
  if (!plain) return std::string("unexpected byte 0x") + kHex[found >> 4] + kHex[found & 15];
  return std::string("unexpected '") + text[byte - 1] + "'";
}

}  // namespace

json parseJson(std::string_view text, const std::string& origin) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const size_t offset = error.byte == 0 ? 0 : std::min(error.byte - 1, text.size());
    const fuser::SourcePlace place = fuser::sourcePlaceAt(text, offset);
    fuser::throwUserError(fuser::concat(origin, ", line ", place.line, ", column ", place.column,
                                        ": is not JSON: ", unexpectedAt(text, error.byte)));
  } catch (const json::exception& error) {
    fuser::throwUserError(fuser::concat(origin, ": is not JSON that can be read: ", inOurWords(error)));
  }
}

std::string inOurWords(const json::exception& error) {
  if (const auto* damaged = dynamic_cast<const json::parse_error*>(&error))
    return fuser::concat("it is damaged, or ends too early, at byte ", damaged->byte);
  if (error.id == kNoField) {  // "… key 'bucket' not found"
    const std::string_view says = error.what();
    const size_t begin = says.find('\''), end = says.rfind('\'');
    return begin < end ? fuser::concat("it has no field ", says.substr(begin, end + 1 - begin)) : "a field is missing";
  }
  if (error.id == kTooLarge) return "a number is too large";
  return "a value is of another type than it should be";
}

}  // namespace reports

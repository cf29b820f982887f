#pragma once
// JSON from files and pipes, with our own error messages instead of the library's, which describe its tokens.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reports {

// `origin` is the file's name. A UserError for other text: "FILE, line 2, column 7: is not JSON: unexpected '}'".
nlohmann::json parseJson(std::string_view text, const std::string& origin);

// The error in invalid JSON, as a clause: "it has no field 'bucket'", "it ends too early".
std::string inOurWords(const nlohmann::json::exception& error);

}  // namespace reports

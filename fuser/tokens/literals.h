#pragma once
// Literals: the numbers, booleans and strings of every grammar.

#include <optional>
#include <string>
#include <string_view>

#include "fuser/tokens/token_reader.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// Reads the next token if it is an integer that fits i64; otherwise reads nothing.
std::optional<int64_t> acceptInteger(TokenReader& reader);

// Each of these is a UserError at a token that is not such a literal, or whose value does not fit the type.

int64_t readInteger(TokenReader& reader);
uint64_t readUnsigned(TokenReader& reader);
bool readBool(TokenReader& reader);
// Reads an integer or a floating literal.
double readNumber(TokenReader& reader);
// Whether the next token is a literal: 1, -1.5, nan, -inf, true.
bool atLiteral(const TokenReader& reader);
// f64 if it has '.', 'e', nan or inf; otherwise i64 or bool.
ScalarValue readLiteral(TokenReader& reader);

// The text of a String token. Escapes: \\ \" \n \r \t \xHH.
std::string unquote(const TokenReader& reader, const Token& token);
std::string quote(std::string_view text);

}  // namespace fuser

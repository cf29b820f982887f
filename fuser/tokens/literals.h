#pragma once
// Literals: the numbers, booleans and strings of every grammar.

#include <optional>
#include <string>
#include <string_view>

#include "fuser/tokens/token_reader.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// The integer that stands next, if one does that i64 holds; else nothing is read.
std::optional<int64_t> acceptInteger(TokenReader& reader);

// Each of these is a UserError at the token that is none, or that the type does not hold.

int64_t readInteger(TokenReader& reader);
uint64_t readUnsigned(TokenReader& reader);
bool readBool(TokenReader& reader);
// An integer or a floating literal.
double readNumber(TokenReader& reader);
// Whether a literal stands next: 1, -1.5, nan, -inf, true.
bool atLiteral(const TokenReader& reader);
// f64 where it has '.', 'e', nan or inf; else i64; or bool.
ScalarValue readLiteral(TokenReader& reader);

// The text of a String token. Escapes: \\ \" \n \r \t \xHH.
std::string unquote(const TokenReader& reader, const Token& token);
std::string quote(std::string_view text);

}  // namespace fuser

// Notes the calls of a text while it is read.

#include "fuser/text/written_calls.h"

#include <algorithm>

#include "fuser/text/fusion_parser.h"
#include "fuser/text/printer.h"

namespace fuser {

std::string WrittenCall::written() const {
  std::string text;
  for (const std::string& result : names) text += concat(text.empty() ? "" : ", ", result);
  return concat(text, " = ", name);
}

namespace text {
namespace {

// Whether a '-' or '+' behind this token is a sign.
bool precedesSign(std::string_view token) {
  for (std::string_view each : {"=", "[", "(", "{", ",", "+", "-", "*", "//"}) {
    if (token == each) return true;
  }
  return false;
}

bool isSpacedAround(std::string_view token) { return token == "=" || token == "*" || token == "//"; }

// "dim=-1,dtype = f32" as "dim = -1, dtype = f32"
std::string spaced(std::string_view before, std::string_view token) {
  const bool isSum = token == "+" || token == "-";
  if (token == ",") return ", ";
  if (isSpacedAround(token) || (isSum && !precedesSign(before))) return concat(" ", token, " ");
  return std::string(token);
}

}  // namespace

// What stands in the braces that begin at this token, if they do, and end before the one that comes now. Values are
// those that the call has got.
std::vector<WrittenCall::Piece> FusionParser::writtenBraces(const Token& start, NamedAttributes& named) {
  std::vector<WrittenCall::Piece> pieces;
  const auto given = [&](const Token& name) {
    const Val* val = values_.find(name.text)->second;
    const auto copy = onDevice_.find(val);
    if (copy == onDevice_.end()) return val->id();
    named.forEachOperand([&](const Val* operand) { val = operand == copy->second ? operand : val; });
    return val->id();
  };
  const Token end = reader_.peek();
  reader_.rewind(start);
  if (!reader_.accept("{")) return pieces;
  std::string_view before = "{";
  // The last one closes the braces.
  for (Token token = reader_.next(); reader_.peek().offset != end.offset; token = reader_.next()) {
    const bool isValue = token.kind == TokenKind::Value;
    if (isValue) {
      pieces.push_back({"", given(token)});
    } else if (pieces.empty() || pieces.back().value) {
      pieces.push_back({spaced(before, token.text), std::nullopt});
    } else {
      pieces.back().text += spaced(before, token.text);
    }
    before = isValue ? "%" : token.text;
  }
  return pieces;
}

// `braces`: where those of the call may begin; the token that comes now is behind them. Its ops are those from
// firstExpr on.
void FusionParser::noteCall(const std::vector<Token>& names, const Token& mnemonic, const Expansion& expansion,
                            const std::vector<Val*>& operands, const std::vector<Val*>& results, const Token& braces,
                            NamedAttributes& named, size_t firstExpr) {
  WrittenCall call;
  call.name = mnemonic.text;
  for (const Token& name : names) call.names.push_back(concat("%", name.text));
  for (const Val* result : results) call.results.push_back(result->id());
  for (const Val* operand : operands) call.operands.push_back(operand->id());
  call.attributes = writtenBraces(braces, named);
  if (expansion.traits & kReadsMemory) {
    const std::string key = concat(attributeText(AttributeName::storage_offset), " = ");
    const bool isGiven =
        std::any_of(call.attributes.begin(), call.attributes.end(),
                    [&](const WrittenCall::Piece& piece) { return piece.text.find(key) != piece.text.npos; });
    // The operand is the memory that the text's one views, whose first element may be another one.
    const int64_t offset = isGiven ? 0 : named.bound(AttributeName::storage_offset)->value;
    if (offset != 0) call.attributes.push_back({concat(", ", key, offset), std::nullopt});
  }
  if ((expansion.traits & kIsRandom) && !named.has(AttributeName::offset)) call.place = randomOps_ - 1;
  call.isRandom = (expansion.traits & kIsRandom) != 0;
  callOf_.resize(firstExpr, std::string::npos);
  callOf_.resize(fusion_->exprIdCount(), calls_->size());
  calls_->push_back(std::move(call));
}

// Once every value has its name.
void FusionParser::noteOps() {
  const ValueNames names(*fusion_);
  for (const Expr* expr : fusion_->exprs()) {
    if (expr->id() >= callOf_.size() || callOf_[expr->id()] == std::string::npos) continue;
    WrittenCall& call = calls_->at(callOf_[expr->id()]);
    for (const Val* output : expr->outputs()) call.made.push_back(output->id());
    call.ops.push_back(printExpr(expr, names));
  }
}

}  // namespace text
}  // namespace fuser

// One line of a fusion: `%result = op(operands) {attributes} : type`.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"

namespace fuser::text {
namespace {

std::vector<const OpInfo*> rowsOf(std::string_view mnemonic) {
  std::vector<const OpInfo*> rows;
  for (OpKind op : kAllOps) {
    if (opInfo(op).mnemonic == mnemonic) rows.push_back(&opInfo(op));
  }
  return rows;
}

// "rounding_mode = trunc" -> "rounding_mode"
std::string_view variantKey(std::string_view variant) { return variant.substr(0, variant.find(' ')); }

struct KeyRule {
  std::string_view key;
  bool needed;
};

std::vector<KeyRule> keysOf(const OpInfo& info) {
  switch (info.family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: {
      std::vector<KeyRule> keys;
      for (const NamedOperand& operand : namedOperands(info.kind)) {
        keys.push_back({operand.name, !operand.ifAbsent.has_value()});
      }
      return keys;
    }
    case Family::LoadStore: return {};
    case Family::Cast: return {{"dtype", true}};
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Permute: return {{"dims", true}};
    case Family::Expand: return {{"shape", true}};
    case Family::Factory: return {{"shape", true}, {"fill_value", true}, {"dtype", true}};
    case Family::Range: return {{"start", false}, {"end", true}, {"step", false}, {"dtype", true}};
    case Family::Size: return {{"dim", true}};
    case Family::Slice: return {{"dim", true}, {"start", false}, {"end", false}, {"step", false}};
    case Family::Pad: return {{"pad", true}, {"value", false}};
    case Family::Cat: return {{"dim", false}};
    case Family::Reshape: return {{"shape", true}};
    case Family::Repeat: return {{"repeats", true}};
    case Family::Item: return {};
    case Family::Reduction: return {{"dims", false}, {"keepdim", false}};
    case Family::Welford: return {{"dims", false}, {"correction", false}, {"keepdim", false}};
  }
  FUSER_CHECK(false, "bad Family");
}

constexpr size_t kMaxResults = 2;  // of any row

size_t operandsOf(const OpInfo& info) {
  if (info.family == Family::Factory || info.family == Family::Range) return 0;
  return isPointwise(info.kind) ? operandCount(info.kind) - namedOperands(info.kind).size() : 1;
}

// cat takes any number from operandsOf on.
size_t mostOperandsOf(const OpInfo& info) { return info.family == Family::Cat ? kMaxParameters : operandsOf(info); }

std::string takes(const OpInfo& info) {
  const size_t count = operandsOf(info), most = mostOperandsOf(info);
  return concat(info.mnemonic, " takes ", count, most > count ? concat(" to ", most) : "",
                most == 1 ? " operand" : " operands");
}

bool takesScalars(const OpInfo& info) { return isPointwise(info.kind) || info.family == Family::Cast; }

}  // namespace

void FusionParser::parseOp() {
  std::vector<Token> names;
  do {
    names.push_back(reader_.expect(TokenKind::Value, names.empty() ? "an op" : "a result"));
    checkNew(names.back());
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      if (names[i].text == names.back().text) reader_.fail(names.back(), "%", names.back().text, " stands twice");
    }
  } while (names.size() < kMaxResults && reader_.accept(","));
  const Token name = names.front();
  if (++opCount_ > kMaxOps) reader_.fail(name, "more than ", kMaxOps, " ops");
  reader_.expect("=");
  const Token mnemonic = reader_.expect(TokenKind::Identifier, "an op's name");
  const std::vector<const OpInfo*> rows = rowsOf(mnemonic.text);
  if (rows.empty()) reader_.fail(mnemonic, "unknown op '", mnemonic.text, "'");
  if (names.size() != rows[0]->results) {
    reader_.fail(name, mnemonic.text, " has ", rows[0]->results, rows[0]->results == 1 ? " result" : " results",
                 ", not ", names.size());
  }

  std::vector<Val*> operands;
  std::vector<Token> operandsAt;
  reader_.list("(", ")", kMaxListEntries, [&] {
    operandsAt.push_back(reader_.peek());
    if (operands.size() == mostOperandsOf(*rows[0])) {
      reader_.fail(operandsAt.back(), takes(*rows[0]));
    }
    operands.push_back(parseOperand());
    if (operands.back()->isScalar() && !takesScalars(*rows[0])) {
      reader_.fail(operandsAt.back(), mnemonic.text, " takes a tensor, not ", typeText(operands.back()));
    }
  });
  if (operands.size() < operandsOf(*rows[0])) {
    reader_.fail(mnemonic, takes(*rows[0]), ", not ", operands.size());
  }
  OpAttributes attributes = parseAttributes(mnemonic, rows);
  const std::optional<OpKind> op = opFromText(mnemonic.text, attributes.variant);
  if (!op) reader_.fail(attributes.keys.begin()->second, mnemonic.text, " has no variant '", attributes.variant, "'");

  for (const NamedOperand& named : namedOperands(*op)) {
    const auto given = attributes.named.find(named.name);
    operands.push_back(given != attributes.named.end() ? given->second : fusion_->newConstant(*named.ifAbsent));
  }
  for (const Token& each : names) attributes.names.emplace_back(each.text);
  const std::vector<Val*> results =
      reader_.located(mnemonic, [&] { return build(mnemonic, opInfo(*op), operands, attributes); });
  recordMeetings(results.front()->definition());
  if (reader_.accept(":")) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (i > 0) reader_.expect(",");
      checkResultType(results[i], parseType());
    }
  }
  for (size_t i = 0; i < results.size(); ++i) define(names[i], results[i]);
}

Val* FusionParser::parseOperand() {
  if (atLiteral(reader_)) return fusion_->newConstant(readLiteral(reader_));
  return lookUp(reader_.expect(TokenKind::Value, "an operand: %value or a literal"));
}

FusionParser::OpAttributes FusionParser::parseAttributes(const Token& mnemonic,
                                                         const std::vector<const OpInfo*>& rows) {
  OpAttributes attributes;
  std::vector<KeyRule> rules = keysOf(*rows[0]);
  for (const OpInfo* row : rows) {
    if (!row->variant.empty()) rules.push_back({variantKey(row->variant), false});
  }
  if (reader_.at("{")) {
    reader_.list("{", "}", kMaxListEntries, [&] {
      const Token key = reader_.expect(TokenKind::Identifier, "an attribute");
      const bool known =
          std::any_of(rules.begin(), rules.end(), [&](const KeyRule& rule) { return rule.key == key.text; });
      if (!known) reader_.fail(key, mnemonic.text, " takes no attribute '", key.text, "'");
      if (!attributes.keys.emplace(key.text, key).second) reader_.fail(key, "'", key.text, "' stands twice");
      reader_.expect("=");
      parseAttribute(key, *rows[0], attributes);
    });
  }
  for (const KeyRule& rule : rules) {
    if (rule.needed && !attributes.keys.count(rule.key)) {
      reader_.fail(mnemonic, mnemonic.text, " needs '", rule.key, "'");
    }
  }
  return attributes;
}

void FusionParser::parseAttribute(const Token& key, const OpInfo& info, OpAttributes& attributes) {
  for (const NamedOperand& named : namedOperands(info.kind)) {
    if (named.name != key.text) continue;
    const Token at = reader_.peek();
    Val* value = parseOperand();
    if (value->isTensor()) reader_.fail(at, key.text, " is a scalar, not ", typeText(value));
    attributes.named.emplace(key.text, value);
    return;
  }
  if (key.text == "dims") {
    attributes.dims = readIntegerList(reader_, kMaxRank);
  } else if (key.text == "dim") {
    attributes.dims = {readInteger(reader_)};
  } else if (key.text == "correction") {
    attributes.correction = readInteger(reader_);
  } else if (key.text == "keepdim") {
    attributes.keepdim = readBool(reader_);
  } else if (key.text == "dtype") {
    attributes.dtype = readDtype(reader_);
  } else if (key.text == "shape") {
    const bool open = info.kind == OpKind::Expand || info.kind == OpKind::Reshape;
    reader_.list("[", "]", kMaxRank, [&] { attributes.shape.push_back(open ? parseSizeEntry() : parseDim()); });
  } else if (key.text == "repeats") {
    reader_.list("[", "]", kMaxRank, [&] { attributes.shape.push_back(parseDim()); });
  } else if (key.text == "pad") {
    reader_.list("[", "]", 2 * kMaxRank, [&] { attributes.shape.push_back(parseBound()); });
  } else if (key.text == "start" || key.text == "end" || key.text == "step") {
    attributes.bounds[key.text == "start" ? 0 : key.text == "end" ? 1 : 2] = parseBound();
  } else if (key.text == "fill_value" || key.text == "value") {
    const Token at = reader_.peek();
    attributes.fillValue = parseOperand();
    if (attributes.fillValue->isTensor()) {
      reader_.fail(at, key.text, " is a scalar, not ", typeText(attributes.fillValue));
    }
  } else {  // what tells rows of one name apart
    attributes.variant = concat(key.text, " = ", reader_.expect(TokenKind::Identifier, "a name").text);
  }
}

// A dim that may be negative.
IntExpr FusionParser::parseBound() {
  const Token at = reader_.peek();
  const IntExpr bound = reader_.at("-") ? fusion_->ints().constant(readInteger(reader_)) : parseDim();
  if (bound->isConstant() && std::abs(static_cast<double>(bound->value)) > static_cast<double>(kMaxDimNumber)) {
    reader_.fail(at, "the numbers of a size are above ", static_cast<int64_t>(kMaxDimNumber));
  }
  return bound;
}

std::vector<Val*> FusionParser::build(const Token& mnemonic, const OpInfo& info, const std::vector<Val*>& operands,
                                      OpAttributes& attributes) {
  if (info.family != Family::Welford) return {buildOne(mnemonic, info, operands, attributes, attributes.names.front())};
  const std::vector<TensorView*> results =
      build::welford(*fusion_, info.kind, operands.at(0)->as<TensorView>(), attributes.dims, attributes.correction,
                     attributes.keepdim, attributes.names);
  return {results.begin(), results.end()};
}

Val* FusionParser::buildOne(const Token& mnemonic, const OpInfo& info, const std::vector<Val*>& operands,
                            OpAttributes& attributes, const std::string& name) {
  Fusion& fusion = *fusion_;
  const auto tensor = [&] { return operands.at(0)->as<TensorView>(); };
  const auto bound = [&](size_t i, int64_t ifAbsent) {
    return attributes.bounds[i] ? attributes.bounds[i] : fusion.ints().constant(ifAbsent);
  };
  switch (info.family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: return build::pointwise(fusion, info.kind, operands, name);
    case Family::Cast: return build::cast(fusion, operands[0], attributes.dtype, name);
    case Family::LoadStore:
      return info.kind == OpKind::Set ? build::set(fusion, tensor(), name) : build::segmentSet(fusion, tensor(), name);
    case Family::Broadcast: return build::unsqueeze(fusion, tensor(), attributes.dims, name);
    case Family::Squeeze: return build::squeeze(fusion, tensor(), attributes.dims, name);
    case Family::Permute: return build::permute(fusion, tensor(), attributes.dims, name);
    case Family::Expand: return build::expand(fusion, tensor(), attributes.shape, name);
    case Family::Factory: return build::full(fusion, attributes.shape, attributes.fillValue, attributes.dtype, name);
    case Family::Range: return build::arange(fusion, bound(0, 0), bound(1, 0), bound(2, 1), attributes.dtype, name);
    case Family::Slice:
      return build::slice(fusion, tensor(), attributes.dims.at(0), bound(0, 0), attributes.bounds[1], bound(2, 1),
                          name);
    case Family::Pad:
      if (!attributes.fillValue) attributes.fillValue = fusion.newConstant(0.0);
      return build::pad(fusion, tensor(), attributes.shape, attributes.fillValue, name);
    case Family::Cat:
      return build::cat(fusion, operands, attributes.dims.empty() ? 0 : attributes.dims[0], name);
    case Family::Reshape: return build::reshape(fusion, tensor(), attributes.shape, name);
    case Family::Repeat: return build::repeat(fusion, tensor(), attributes.shape, name);
    case Family::Size: return build::size(fusion, tensor(), attributes.dims.at(0), name);
    case Family::Item: return build::item(fusion, tensor(), name);
    case Family::Reduction:
      return build::reduction(fusion, info.kind, tensor(), attributes.dims, attributes.keepdim, name);
    case Family::Welford: break;
  }
  reader_.fail(mnemonic, "bad Family");
}

}  // namespace fuser::text

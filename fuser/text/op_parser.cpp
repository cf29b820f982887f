// Parses one line of a fusion: `%result = op(operands) {attributes} : type`.

#include <algorithm>
#include <cmath>
#include <set>

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/similar_name.h"
#include "fuser/text/expansions.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"
#include "fuser/text/other_names.h"
#include "fuser/text/parser.h"
#include "fuser/tokens/literals.h"

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

// PyTorch's word for an attribute, and this language's: the first is read as the second where an op has the second one
// alone.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"dim", "dims"},     {"axis", "dim"},      {"axis", "dims"},      {"size", "shape"},         {"size", "window"},
    {"step", "spacing"}, {"dimension", "dim"}, {"sorted", "ordered"}, {"unbiased", "correction"}};

std::string_view wordFor(std::string_view written, const std::vector<KeyRule>& rules) {
  const auto isKnown = [&](std::string_view word) {
    return std::any_of(rules.begin(), rules.end(), [&](const KeyRule& rule) { return rule.key == word; });
  };
  if (isKnown(written)) return written;
  for (const auto& [word, meant] : kOtherWords) {
    if (word == written && isKnown(meant)) return meant;
  }
  return {};
}

// The attributes of the row's family, then the named operands of a pointwise row.
std::vector<KeyRule> keysOf(const OpInfo& info) {
  std::vector<KeyRule> keys;
  for (const FamilyAttribute& attribute : familyAttributes(info.family)) {
    if (takesAttribute(info.kind, attribute)) keys.push_back({attribute.text(), !attribute.ifAbsent});
  }
  for (const NamedOperand& operand : namedOperands(info.kind)) {
    keys.push_back({operand.name, !operand.ifAbsent.has_value()});
  }
  return keys;
}

OperandCount operandCount(const OpInfo& info) {
  const auto [least, most] = operandsInParentheses(info.family);
  const size_t named = namedOperands(info.kind).size();
  return {least - named, most == kAnyNumber ? kMaxParameters : most - named};
}

std::string takes(std::string_view name, const OpInfo& info) {
  const auto [least, most] = operandCount(info);
  return concat(name, " takes ", least, most > least ? concat(" to ", most) : "", most == 1 ? " operand" : " operands");
}

// PyTorch's names that the language lacks, so that a program that uses one is told apart from one that misspells.
constexpr std::string_view kLacking =
    " conv1d conv2d conv3d conv_transpose2d fold unique nonzero masked_select einsum cdist svd qr cholesky inverse fft "
    "binary_cross_entropy kl_div huber_loss smooth_l1_loss multinomial randperm logspace linspace meshgrid tensordot ";

std::string unknownOp(std::string_view name) {
  if (kLacking.find(concat(" ", name, " ")) != kLacking.npos) {
    return concat("PyTorch's '", name, "' is not in the language yet; `fuser-opt --list-ops` lists what is");
  }
  std::vector<std::string_view> known;
  for (OpKind op : kAllOps) known.push_back(opInfo(op).mnemonic);
  for (std::string_view expansion : expansionNames()) known.push_back(expansion);
  for (std::string_view complex : namesOfComplexAlone()) known.push_back(complex);
  const std::string guess = didYouMean(name, known);
  return concat("unknown op '", name, "'", guess.empty() ? "; `fuser-opt --list-ops` lists them" : guess);
}

std::string attributesTaken(const std::vector<KeyRule>& rules) {
  std::vector<std::string_view> keys;  // two variants of an op have one key
  std::string text;
  for (const KeyRule& rule : rules) {
    if (std::find(keys.begin(), keys.end(), rule.key) != keys.end()) continue;
    text += concat(keys.empty() ? "" : ", ", rule.key);
    keys.push_back(rule.key);
  }
  return concat("it takes ", keys.empty() ? "none" : text);
}

// The attributes of the name's other forms than the one that is read: ", or dims, keepdim with 2 results".
std::string otherAttributes(std::string_view name, const Expansion* read) {
  std::string text;
  for (const Expansion* each : allExpansions()) {
    if (each->name != name || each == read) continue;
    std::string keys;
    for (const FamilyAttribute& attribute : readAttributes(each->attributes)) {
      keys += concat(keys.empty() ? "" : ", ", attribute.text());
    }
    if (keys.empty()) continue;
    text += concat(text.empty() ? "" : "; ", keys,
                   each->second    ? " with 2 results"
                   : each->several ? " with several results"
                                   : "");
  }
  return text.empty() ? "" : concat(", or ", text);
}

std::vector<Val*> expanded(Fusion& fusion, const Expansion& expansion, const std::vector<Val*>& operands,
                           const NamedAttributes& attributes, const std::vector<std::string>& names) {
  if (expansion.several) {
    const std::vector<TensorView*> results = expansion.several(fusion, operands, attributes, names);
    return {results.begin(), results.end()};
  }
  std::vector<Val*> results{expansion.build(fusion, operands, attributes, names.at(0))};
  if (expansion.second) results.push_back(expansion.second(fusion, operands, attributes, names.at(1)));
  return results;
}

}  // namespace

void FusionParser::parseOp() {
  std::vector<Token> names;
  std::set<std::string_view> given;
  do {
    names.push_back(reader_.expect(TokenKind::Value, names.empty() ? "an op" : "a result"));
    checkNew(names.back());
    if (!given.insert(names.back().text).second) reader_.fail(names.back(), "%", names.back().text, " is given twice");
  } while (names.size() < kMaxOps && reader_.accept(","));
  const Token name = names.front();
  if (++opCount_ > kMaxOps) reader_.fail(name, "more than ", kMaxOps, " ops");
  reader_.expect("=");
  if (reader_.at("if")) return parseBranch(names);
  Token mnemonic = reader_.expect(TokenKind::Identifier, "an op's name");
  mnemonic.text = nameFor(mnemonic.text);
  const ComplexAhead ahead = complexAhead(mnemonic);
  if (ahead.any) return parseComplexOp(names, mnemonic, ahead);
  std::vector<std::string> resultNames;
  for (const Token& each : names) resultNames.emplace_back(each.text);
  defineResults(names, readOp(names, mnemonic, resultNames));
}

namespace {

// As torch.cat does, of tensors of one dtype: vectors of no element, beside tensors of other ranks.
void leaveEmptyVectorsOut(std::vector<Val*>& operands) {
  const auto isVector = [](const Val* operand) { return operand->as<TensorView>()->rank() == 1; };
  const auto isEmpty = [&](const Val* operand) {
    return isVector(operand) && operand->as<TensorView>()->axes().front()->size()->isConstant(0);
  };
  const bool isOneDtype = std::all_of(operands.begin(), operands.end(), [&](const Val* operand) {
    return operand->dtype() == operands.front()->dtype();
  });
  if (!isOneDtype || std::all_of(operands.begin(), operands.end(), isVector)) return;
  operands.erase(std::remove_if(operands.begin(), operands.end(), isEmpty), operands.end());
}

}  // namespace

// The operands, the attributes, and what is built of them under these names.
std::vector<Val*> FusionParser::readOp(const std::vector<Token>& names, const Token& mnemonic,
                                       const std::vector<std::string>& resultNames) {
  const Expansion* expansion = findExpansion(mnemonic.text, names.size(), [&] { return attributesAhead(); });
  const std::vector<const OpInfo*> rows = expansion ? std::vector{&opInfo(expansion->operands)} : rowsOf(mnemonic.text);
  if (rows.empty()) reader_.fail(mnemonic, unknownOp(mnemonic.text));
  if (rows[0]->family == Family::Update) reader_.fail(mnemonic, "update is a statement: update %target = %source");
  const size_t resultCount = !expansion           ? rows[0]->results
                             : expansion->several ? names.size()
                             : expansion->second  ? 2
                                                  : 1;
  if (names.size() != resultCount) {
    reader_.fail(names[0], mnemonic.text, " has ", resultCount, resultCount == 1 ? " result" : " results", ", not ",
                 names.size());
  }

  std::vector<Val*> operands;
  std::vector<Token> operandsAt;
  reader_.list("(", ")", kMaxListEntries, [&] {
    operandsAt.push_back(reader_.peek());
    if (operands.size() == operandCount(*rows[0]).most) {
      reader_.fail(operandsAt.back(), takes(mnemonic.text, *rows[0]));
    }
    operands.push_back(parts_ ? parsePart(operands.size()) : parseOperand());
    if (operands.back()->isScalar() && !takesScalars(rows[0]->family)) {
      reader_.fail(operandsAt.back(), mnemonic.text, " takes a tensor, not ", typeText(operands.back()));
    }
  });
  if (operands.size() < operandCount(*rows[0]).least) {
    reader_.fail(mnemonic, takes(mnemonic.text, *rows[0]), ", not ", operands.size());
  }
  NamedAttributes named;
  OpAttributes attributes;
  const Token braces = reader_.peek();
  if (expansion) {
    named = parseNamedAttributes(mnemonic, *expansion);
    if (expansion->traits & kReadsMemory) operands[0] = memoryOfView(mnemonic, operands[0]->as<TensorView>(), named);
  } else {
    attributes = parseAttributes(mnemonic, rows);
  }
  const std::optional<OpKind> op = expansion ? expansion->operands : opFromText(mnemonic.text, attributes.variant);
  if (!op) reader_.fail(attributes.keys.begin()->second, mnemonic.text, " has no variant '", attributes.variant, "'");

  if (isPointwise(*op)) putOnDevice(operands, named);
  if (!expansion && *op == OpKind::Cat) leaveEmptyVectorsOut(operands);
  const std::vector<Val*> inParentheses = operands;
  addBracedOperands(opInfo(*op), attributes, operands);
  const size_t firstExpr = fusion_->exprIdCount();
  const std::vector<Val*> results = refusable([&] {
    return reader_.located(mnemonic, [&]() -> std::vector<Val*> {
      if (expansion) return expanded(*fusion_, *expansion, operands, named, resultNames);
      if (isPointwise(*op)) return {build::pointwise(*fusion_, *op, operands, resultNames.front())};
      return build::structural(*fusion_, *op, operands, attributes.values, resultNames, attributes.keepdim);
    });
  });
  spell(firstExpr, mnemonic, names, operands, expansion && (expansion->traits & kCountsFromEnd));
  if (expansion && calls_) noteCall(names, mnemonic, *expansion, inParentheses, results, braces, named, firstExpr);
  if (expansion && expansion->scatter) {
    copies_.add(*expansion, operands[0]->as<TensorView>(), named, results.front()->as<TensorView>());
  }
  recordMeetings(results.front()->definition());
  return results;
}

// What a tensor views, with the offset of its first element there, unless the text gives one.
TensorView* FusionParser::memoryOfView(const Token& mnemonic, TensorView* tensor, NamedAttributes& named) {
  if (copies_.copyOf(tensor)) {
    reader_.fail(mnemonic, mnemonic.text, " of %", tensor->name(),
                 ", whose elements PyTorch reads in the memory of another tensor: `set` makes a copy of its own");
  }
  auto* storage = const_cast<TensorView*>(storageOf(tensor));
  const Expr* maker = storage->definition();
  if (maker && memoryOf(maker) == Memory::Depends) {
    reader_.fail(mnemonic, mnemonic.text, ": whether %", storage->name(), " is a view of %", maker->input(0)->name(),
                 " or a copy depends on the run: make it a copy with set");
  }
  if (named.has(AttributeName::storage_offset)) return storage;
  const IntExpr offset = offsetOf(tensor);
  if (!offset || !offset->isConstant()) {
    reader_.fail(mnemonic, mnemonic.text, " of %", tensor->name(), ": where it begins in the memory of %",
                 storage->name(), " is no number here: give storage_offset");
  }
  named.set(AttributeName::storage_offset, Attributes().setBound(AttributeName::storage_offset, offset));
  return storage;
}

// The expressions from this one on are those of one statement. One alone is what the text says, unless it is another
// name's.
void FusionParser::spell(size_t firstExpr, const Token& mnemonic, const std::vector<Token>& names,
                         const std::vector<Val*>& operands, bool countsFromEnd) {
  std::vector<Expr*> made;
  for (auto expr = fusion_->liveExprs().rbegin(); expr != fusion_->liveExprs().rend(); ++expr) {
    if ((*expr)->id() < firstExpr) break;
    made.push_back(*expr);
  }
  const auto readsIndices = [](const Expr* expr) {
    return expr->family() == Family::Gather || expr->family() == Family::Scatter;
  };
  const bool isPlain = made.size() <= 1 && std::none_of(made.begin(), made.end(), readsIndices);
  if (isPlain) return;
  auto spelling = std::make_shared<Spelling>();
  for (const Token& name : names) spelling->result += concat(spelling->result.empty() ? "%" : ", %", name.text);
  spelling->result += concat(" = ", mnemonic.text);
  for (const Val* operand : operands) {
    if (operand->isTensor()) spelling->operands += concat(spelling->operands.empty() ? "%" : ", %", operand->name());
  }
  spelling->operands = concat("(", spelling->operands, ")");
  spelling->statement = opCount_;
  const bool isNumberOfSeveral = countsFromEnd && operands.size() > 3;  // index_put along several axes
  spelling->indices = isNumberOfSeveral ? Spelling::Indices::Several
                      : countsFromEnd   ? Spelling::Indices::FromEnd
                                        : Spelling::Indices::AsWritten;
  for (Expr* expr : made) expr->setSpelling(spelling);
}

// With the types that the text may have behind them: of none, or of all.
void FusionParser::defineResults(const std::vector<Token>& names, const std::vector<Val*>& results) {
  if (!results.empty() && reader_.accept(":")) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (i > 0) reader_.expect(",");
      checkResultType(results[i], parseType());
    }
  }
  for (size_t i = 0; i < results.size(); ++i) define(names[i], results[i]);
}

// Beside tensors on the device, one on the host is one of no axes there, as PyTorch promotes it: its element is read on
// the host, and fills it.
void FusionParser::putOnDevice(std::vector<Val*>& operands, NamedAttributes& named) {
  const auto isOnHost = [](const Val* val) { return val->isTensor() && val->as<TensorView>()->isCpuScalar(); };
  const bool hasTensor = std::any_of(operands.begin(), operands.end(),
                                     [&](const Val* operand) { return operand->isTensor() && !isOnHost(operand); });
  if (!hasTensor) return;
  const auto put = [&](Val*& operand) {
    if (isOnHost(operand)) operand = onDevice(operand->as<TensorView>());
  };
  for (Val*& operand : operands) put(operand);
  named.forEachOperand(put);
}

Val* FusionParser::onDevice(TensorView* host) {
  Val*& copy = onDevice_[host];
  if (!copy) {
    Val* element = build::item(*fusion_, host, host->name() + ".h");
    copy = build::full(*fusion_, {}, element, host->dtype(), host->name() + ".d");
  }
  return copy;
}

// The braces behind the operands that come now, which stay unread.
GivenAttributes FusionParser::attributesAhead() {
  GivenAttributes given;
  const Token start = reader_.peek();
  if (reader_.accept("(")) {
    const auto first = values_.find(reader_.peek().text);
    if (first != values_.end() && first->second->isTensor() && first->second->dtype() == DataType::UInt8) {
      given[kFirstIsBytes] = Given::Tensor;
    }
  }
  while (!reader_.at(")") && reader_.peek().kind != TokenKind::End) reader_.next();
  reader_.accept(")");
  size_t depth = reader_.accept("{") ? 1 : 0;
  for (Token token = reader_.peek(); depth > 0 && token.kind != TokenKind::End; token = reader_.peek()) {
    reader_.next();
    if (token.text == "{" || token.text == "[" || token.text == "(") ++depth;
    if (token.text == "}" || token.text == "]" || token.text == ")") --depth;
    if (depth != 1 || token.kind != TokenKind::Identifier || !reader_.accept("=")) continue;
    reader_.accept("-");
    const Token value = reader_.peek();
    const auto named = value.kind == TokenKind::Value ? values_.find(value.text) : values_.end();
    const bool isReal = value.kind == TokenKind::Number && value.text.find_first_of(".eE") != value.text.npos;
    given[token.text] = named != values_.end() && named->second->isTensor() ? Given::Tensor
                        : isReal                                            ? Given::Real
                                                                            : Given::Other;
  }
  reader_.rewind(start);
  return given;
}

Val* FusionParser::parseOperand() {
  if (atLiteral(reader_)) return fusion_->newConstant(readLiteral(reader_));
  return lookUp(reader_.expect(TokenKind::Value, "an operand: %value or a literal"));
}

// Calls parse(key) behind each "key =", once for each key; those that are needed are there.
void FusionParser::parseBraces(const Token& mnemonic, const std::vector<KeyRule>& rules, const Expansion* read,
                               const std::function<void(const Token& key)>& parse) {
  std::map<std::string_view, Token> keys;
  if (reader_.at("{")) {
    reader_.list("{", "}", kMaxListEntries, [&] {
      Token key = reader_.expect(TokenKind::Identifier, "an attribute");
      const std::string_view word = wordFor(key.text, rules);
      if (word.empty()) {
        reader_.fail(key, mnemonic.text, " takes no attribute '", key.text, "'; ", attributesTaken(rules),
                     otherAttributes(mnemonic.text, read));
      }
      const bool isFlag = key.text == "unbiased";
      key.text = word;
      if (!keys.emplace(key.text, key).second) reader_.fail(key, "'", key.text, "' is given twice");
      reader_.expect("=");
      if (isFlag && !reader_.at("true") && !reader_.at("false")) {
        reader_.fail(reader_.peek(), "unbiased is true or false");
      }
      parse(key);
    });
  }
  for (const KeyRule& rule : rules) {
    if (rule.needed && !keys.count(rule.key)) reader_.fail(mnemonic, mnemonic.text, " needs '", rule.key, "'");
  }
}

FusionParser::OpAttributes FusionParser::parseAttributes(const Token& mnemonic,
                                                         const std::vector<const OpInfo*>& rows) {
  OpAttributes attributes;
  std::vector<KeyRule> rules = keysOf(*rows[0]);
  for (const OpInfo* row : rows) {
    if (!row->variant.empty()) rules.push_back({variantKey(row->variant), false});
  }
  parseBraces(mnemonic, rules, nullptr, [&](const Token& key) {
    attributes.keys.emplace(key.text, key);
    parseAttribute(key, *rows[0], attributes);
  });
  return attributes;
}

NamedAttributes FusionParser::parseNamedAttributes(const Token& mnemonic, const Expansion& expansion) {
  const std::vector<FamilyAttribute> wanted = readAttributes(expansion.attributes);
  std::vector<KeyRule> rules;
  for (const FamilyAttribute& attribute : wanted) rules.push_back({attribute.text(), !attribute.ifAbsent});
  NamedAttributes values;
  parseBraces(mnemonic, rules, &expansion, [&](const Token& key) {
    const auto attribute = std::find_if(wanted.begin(), wanted.end(),
                                        [&](const FamilyAttribute& each) { return each.text() == key.text; });
    OpAttributes one;
    if (attribute->takesAny) return values.setOperand(attribute->name, parseOperand());
    parseFamilyAttribute(key, *attribute, one);
    if (attribute->kind == AttributeKind::Flag) return values.setFlag(attribute->name, one.keepdim);
    if (attribute->kind == AttributeKind::Word) return values.setWord(attribute->name, one.word);
    if (attribute->kind == AttributeKind::Counts) values.setFlag(attribute->name, one.isSingle);
    if (attribute->kind == AttributeKind::Operand) {
      return values.setOperand(attribute->name, one.operands.begin()->second);
    }
    values.set(attribute->name, std::move(one.values));
  });
  for (const FamilyAttribute& attribute : wanted) {
    const std::string_view text = attribute.ifAbsent.value_or("");
    const bool isNumber = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
    const bool isOperand = attribute.kind == AttributeKind::Operand || attribute.takesAny;
    if (!isOperand || values.hasOperand(attribute.name) || !isNumber) continue;
    const bool isReal = text.find('.') != text.npos;
    const ScalarValue literal = isReal ? attribute.defaultLiteral() : ScalarValue(attribute.defaultNumber());
    values.setOperand(attribute.name, fusion_->newConstant(literal));
  }
  if (expansion.traits & kIsRandom) addSeedAndOffset(mnemonic, values);
  return values;
}

// The run's seed, and the place among the random ops of the text, where it gives none.
void FusionParser::addSeedAndOffset(const Token& mnemonic, NamedAttributes& values) {
  const int64_t place = randomOps_++;
  if (!values.hasOperand(AttributeName::seed)) {
    values.setOperand(AttributeName::seed, fusion_->newConstant(ScalarValue(int64_t{rngSeed_})));
  }
  const IntExpr written =
      values.has(AttributeName::offset) ? values.bound(AttributeName::offset) : fusion_->ints().constant(place);
  Val* offset = written->isConstant()                               ? fusion_->newConstant(ScalarValue(written->value))
                : written->isSymbol() && fusion_->scalarOf(written) ? fusion_->scalarOf(written)
                                                                    : nullptr;
  if (!offset) reader_.fail(mnemonic, mnemonic.text, ": offset is an integer or an i64 scalar");
  values.setOperand(AttributeName::offset, offset);
}

void FusionParser::parseAttribute(const Token& key, const OpInfo& info, OpAttributes& attributes) {
  for (const NamedOperand& named : namedOperands(info.kind)) {
    if (named.name == key.text) return parseBracedOperand(key, attributes);
  }
  for (const FamilyAttribute& attribute : familyAttributes(info.family)) {
    if (attribute.text() == key.text) return parseFamilyAttribute(key, attribute, attributes);
  }
  // The attribute that selects among rows with one mnemonic.
  const std::string word = readWord();
  if (word != "none") attributes.variant = concat(key.text, " = ", word);  // PyTorch's word for the row without it
}

// A name, in quotes or not.
std::string FusionParser::readWord() {
  const bool isQuoted = reader_.peek().kind == TokenKind::String;
  return std::string(reader_.expect(isQuoted ? TokenKind::String : TokenKind::Identifier, "a name").text);
}

void FusionParser::parseFamilyAttribute(const Token& key, const FamilyAttribute& attribute, OpAttributes& attributes) {
  Attributes& values = attributes.values;
  const auto list = [&](size_t maxEntries, auto readEntry) {
    std::vector<IntExpr> entries;
    reader_.list("[", "]", maxEntries, [&] { entries.push_back(readEntry()); });
    values.setIntegers(attribute.name, std::move(entries));
  };
  switch (attribute.kind) {
    case AttributeKind::Axis: values.setAxis(attribute.name, readInteger(reader_)); return;
    case AttributeKind::Axes:
      values.setAxes(attribute.name,
                     reader_.at("[") ? readIntegerList(reader_, kMaxRank) : std::vector<int64_t>{readInteger(reader_)});
      return;
    case AttributeKind::Extents: return list(kMaxRank, [&] { return attribute.open ? parseSizeEntry() : parseDim(); });
    case AttributeKind::Extent: values.setBound(attribute.name, parseDim()); return;
    case AttributeKind::Counts:
      if (reader_.at("[")) return list(kMaxRank, [&] { return parseDim(); });
      attributes.isSingle = true;
      values.setIntegers(attribute.name, {parseDim()});
      return;
    case AttributeKind::Bounds: {
      const bool isEnd = attribute.name == AttributeName::ends;
      return list(2 * kMaxRank, [&] { return isEnd ? parseEnd() : parseBound(); });
    }
    case AttributeKind::Bound: {
      const bool isEnd = attribute.name == AttributeName::end && attribute.ifAbsent;  // of a slice
      values.setBound(attribute.name, isEnd ? parseEnd() : parseBound());
      return;
    }
    case AttributeKind::Dtype: values.setDtype(attribute.name, parts_ ? readPartDtype() : readDtype(reader_)); return;
    case AttributeKind::Number: {
      const bool isWord = reader_.at("true") || reader_.at("false");  // unbiased = false
      values.setNumber(attribute.name, isWord ? readBool(reader_) : readInteger(reader_));
      return;
    }
    case AttributeKind::Mark: values.setMark(attribute.name, readBool(reader_)); return;
    case AttributeKind::Flag: attributes.keepdim = readBool(reader_); return;
    case AttributeKind::Word: attributes.word = readWord(); return;
    case AttributeKind::Operand: return parseBracedOperand(key, attributes);
  }
}

void FusionParser::parseBracedOperand(const Token& key, OpAttributes& attributes) {
  const Token at = reader_.peek();
  Val* value = parseOperand();
  const bool fills = key.text == "value" || key.text == "fill_value";
  if (parts_ && parts_->isImaginary && fills) value = zeroLike(value);
  if (value->isTensor()) reader_.fail(at, key.text, " is a scalar, not ", typeText(value));
  attributes.operands.emplace(key.text, value);
}

// Appends the operands in braces, in the order of the row; an omitted one becomes a literal with its default.
void FusionParser::addBracedOperands(const OpInfo& info, const OpAttributes& attributes, std::vector<Val*>& operands) {
  const auto add = [&](std::string_view name, auto makeDefault) {
    const auto written = attributes.operands.find(name);
    operands.push_back(written != attributes.operands.end() ? written->second : makeDefault());
  };
  for (const NamedOperand& named : namedOperands(info.kind)) {
    add(named.name, [&] { return fusion_->newConstant(*named.ifAbsent); });
  }
  for (const FamilyAttribute& attribute : familyAttributes(info.family)) {
    if (attribute.kind != AttributeKind::Operand) continue;
    add(attribute.text(), [&] { return fusion_->newConstant(attribute.defaultLiteral()); });
  }
}

// Reads the end of a slice: beyond all sizes, as PyTorch writes an open end, it is the largest number of one.
IntExpr FusionParser::parseEnd() {
  const Token at = reader_.peek();
  constexpr auto kMost = static_cast<int64_t>(kMaxDimNumber);
  const bool isLong = at.kind == TokenKind::Number && at.text.size() > std::to_string(kMost).size();
  if (!isLong) return parseBound();
  return fusion_->ints().constant(std::min(readInteger(reader_), kMost));
}

// Reads a dim expression that may be negative.
IntExpr FusionParser::parseBound() {
  const Token at = reader_.peek();
  const IntExpr bound = reader_.at("-") ? fusion_->ints().constant(readInteger(reader_)) : parseDim();
  if (bound->isConstant() && std::abs(static_cast<double>(bound->value)) > static_cast<double>(kMaxDimNumber)) {
    reader_.fail(at, "the numbers of a size are above ", static_cast<int64_t>(kMaxDimNumber));
  }
  return bound;
}

}  // namespace fuser::text

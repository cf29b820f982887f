// `fusion name(parameters) { ops; return }`

#include "fuser/text/fusion_parser.h"

#include "fuser/ir/builder.h"
#include "fuser/ir/verify.h"
#include "fuser/text/limits.h"
#include "fuser/text/parser.h"
#include "fuser/text/token_rules.h"
#include "fuser/tokens/literals.h"

namespace fuser {
namespace text {

DataType readDtype(TokenReader& reader) {
  const Token token = reader.expect(TokenKind::Identifier, "a dtype");
  const std::optional<DataType> dtype = dtypeFromName(token.text);
  if (!dtype) {
    std::string known;
    for (DataType each : kAllDataTypes) known += concat(known.empty() ? "" : ", ", each);
    reader.fail(token, "unknown dtype '", token.text, "'; known: ", known);
  }
  return *dtype;
}

std::vector<int64_t> readIntegerList(TokenReader& reader, size_t maxEntries) {
  std::vector<int64_t> values;
  reader.list("[", "]", maxEntries, [&] { values.push_back(readInteger(reader)); });
  return values;
}

std::unique_ptr<Fusion> FusionParser::parse() {
  reader_.expect("fusion");
  std::string name;
  if (!reader_.at("(")) name = reader_.expect(TokenKind::Identifier, "the fusion's name or '('").text;
  fusion_ = std::make_unique<Fusion>(name);
  parseParameters();
  reader_.expect("{");
  while (!reader_.at("return")) parseStatement("an op, 'update', 'if' or 'return'");
  parseReturn();
  reader_.expect("}");
  checkAssumptions();
  checkViews();
  giveNames(*fusion_, values_);
  verify(*fusion_);
  if (calls_) noteOps();
  for (const Val* val : fusion_->usedVals()) named_.push_back(val);
  return std::move(fusion_);
}

void FusionParser::parseStatement(std::string_view expected) {
  const Token start = reader_.peek();
  const size_t before = fusion_->valCount();
  if (reader_.at("update")) {
    parseUpdate();
  } else if (reader_.at("if")) {
    parseBranch({});
  } else if (start.kind == TokenKind::Value) {
    parseOp();
  } else {
    reader_.failExpected(expected);
  }
  for (size_t id = before; id < fusion_->valCount(); ++id) {
    size_t& place = placeOf(fusion_->allVals()[id].get());
    if (place == std::string::npos) place = start.offset;
  }
}

size_t& FusionParser::placeOf(const Val* val) {
  if (placeOf_.size() <= val->id()) placeOf_.resize(val->id() + 1, std::string::npos);
  return placeOf_[val->id()];
}

std::vector<std::pair<size_t, std::string>> FusionParser::places() const {
  std::vector<std::pair<size_t, std::string>> places = statements_;
  for (const Val* val : named_) {
    const bool isPlaced = val->id() < placeOf_.size() && placeOf_[val->id()] != std::string::npos;
    if (isPlaced && !val->name().empty()) places.emplace_back(placeOf_[val->id()], concat("%", val->name()));
  }
  return places;
}

// Reads scalar parameters first, because a dim may name a scalar that follows the tensor. Inputs keep textual order.
void FusionParser::parseParameters() {
  const Token open = reader_.peek();
  if (!reader_.at("(")) reader_.failExpected("'('");
  collectScalarParameters();
  reader_.rewind(open);
  inParameters_ = true;
  reader_.list("(", ")", kMaxParameters, [&] {
    const Token name = reader_.expect(TokenKind::Value, "a parameter");
    reader_.expect(":");
    const auto scalar = values_.find(name.text);
    if (scalar != values_.end() && scalar->second->isScalar() && definedAt_.find(name.text)->second == name.offset) {
      readDtype(reader_);
      fusion_->addInput(scalar->second);
    } else {
      parseTensorParameter(name);
    }
  });
  inParameters_ = false;
  checkInputSymbols();
}

// The first reading: finds `%name : dtype` without brackets and reports only errors in those.
void FusionParser::collectScalarParameters() {
  size_t depth = 0;
  do {
    if (reader_.at("(") || reader_.at("[") || reader_.at("{")) ++depth;
    if (reader_.at(")") || reader_.at("]") || reader_.at("}")) --depth;
    const Token name = reader_.next();
    if (depth != 1 || name.kind != TokenKind::Value || !reader_.accept(":")) continue;
    const Token type = reader_.peek();
    const std::optional<DataType> dtype = dtypeFromName(type.text);
    if (type.kind != TokenKind::Identifier || !dtype) continue;
    reader_.next();
    if (reader_.at("[")) continue;
    // As in PyTorch, where a number is a Python number: it has no narrower dtype.
    const DataType wide = *dtype == DataType::Float   ? DataType::Double
                          : *dtype == DataType::Int32 ? DataType::Int64
                                                      : *dtype;
    if (wide != DataType::Double && wide != DataType::Int64 && wide != DataType::Bool) {
      reader_.fail(type, "a scalar is f64, f32, i64, i32 or bool, not ", *dtype);
    }
    checkNew(name);
    define(name, fusion_->newScalar(wide, std::string(name.text)));
  } while (depth != 0 && reader_.peek().kind != TokenKind::End);
}

void FusionParser::parseTensorParameter(const Token& name) {
  checkNew(name);
  Type type = parseType();
  if (type.isComplex) {
    if (!type.tensor) reader_.fail(type.start, "a complex scalar is a tensor of no axes: ", type.start.text, "[]");
    if (type.axes.size() == kMaxRank) reader_.fail(type.start, "a complex tensor has at most ", kMaxRank - 1, " axes");
    type.axes.push_back({IterType::Iteration, fusion_->ints().constant(2), nullptr});
    if (type.layout && type.layout->onHost) reader_.fail(type.layout->start, "a complex tensor lies on the device");
    if (type.layout) {
      type.layout->order.push_back(static_cast<int>(type.axes.size()) - 1);
      type.layout->contiguity.emplace_back(true);
    }
  }
  FUSER_CHECK(type.tensor, "scalars were read before");
  TensorDomain domain;
  for (const AxisType& axis : type.axes) {
    domain.logical.push_back(fusion_->newIterDomain(axis.type, axis.extent, axis.expandedExtent));
  }
  if (type.layout) {
    domain.allocationOrder = type.layout->order;
    domain.contiguity = type.layout->contiguity;
  }
  TensorView* tensor = fusion_->newTensor(type.dtype, std::move(domain), std::string(name.text));
  tensor->setCpuScalar(type.layout && type.layout->onHost);
  fusion_->addInput(tensor);
  if (type.isComplex) return defineComplexParameter(name, tensor);
  define(name, tensor);
}

// A symbol is bound only by a dim that is the symbol itself, not by an expression that contains it.
void FusionParser::checkInputSymbols() {
  for (const Val* input : fusion_->inputs()) {
    if (input->isScalar()) continue;
    for (const IterDomain* axis : input->as<TensorView>()->axes()) {
      if (axis->size()->isSymbol() && !fusion_->scalarOf(axis->size())) {
        boundSymbols_.insert(fusion_->ints().symbolOf(axis->size()).name);
      }
    }
  }
  for (const Token& symbol : usedSymbols_) {
    if (!boundSymbols_.count(symbol.text)) reader_.fail(symbol, "no input binds '", symbol.text, "'");
  }
}

void FusionParser::parseReturn() {
  reader_.expect("return");
  if (reader_.at("}")) return;
  do {
    const Token token = reader_.peek();
    const auto complex = token.kind == TokenKind::Value ? complexes_.find(token.text) : complexes_.end();
    if (complex == complexes_.end()) {
      fusion_->addOutput(parseOperand());
      continue;
    }
    reader_.next();
    fusion_->addOutput(wholeOf(complex->first, complex->second));
  } while (reader_.accept(","));
}

void FusionParser::checkNew(const Token& name) const {
  const auto found = definedAt_.find(name.text);
  if (found == definedAt_.end()) return;
  reader_.fail(name, "%", name.text, " is defined already, on line ", reader_.lineOf(found->second));
}

void FusionParser::define(const Token& name, Val* val) {
  values_.emplace(name.text, val);
  definedAt_.emplace(name.text, name.offset);
  placeOf(val) = name.offset;
}

Val* FusionParser::lookUp(const Token& name) {
  const auto found = values_.find(name.text);
  if (const auto complex = complexes_.find(name.text); complex != complexes_.end()) {
    reader_.fail(name, "%", name.text, " is ", typeText(complex->second),
                 ", and a real value stands here: ", "real, imag or view_as_real gives one");
  }
  if (found == values_.end()) reader_.fail(name, "unknown value %", name.text);
  if (found->second->isScalar()) return found->second;
  return found->second = copies_.latest(*fusion_, found->second->as<TensorView>(), std::string(name.text));
}

}  // namespace text

std::unique_ptr<Fusion> parseFusion(std::string_view text, const std::string& fileName) {
  TokenReader reader(text, fileName, text::kTokenRules);
  std::unique_ptr<Fusion> fusion = text::FusionParser(reader).parse();
  if (reader.peek().kind != TokenKind::End) reader.failExpected("the end of the text");
  return fusion;
}

}  // namespace fuser

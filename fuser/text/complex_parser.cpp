// Ops with complex operands or results: each becomes ops of the real and the imaginary parts. A name that does the same
// with each part is read once for each.

#include <algorithm>
#include <numeric>

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"
#include "fuser/text/printer.h"
#include "fuser/tokens/literals.h"

namespace fuser::text {

// The operands and the dtype of the op whose parenthesis comes now. Nothing is read.
FusionParser::ComplexAhead FusionParser::complexAhead(const Token& mnemonic) {
  ComplexAhead ahead;
  const Token start = reader_.peek();
  if (!reader_.accept("(")) return ahead;
  while (!reader_.at(")") && reader_.peek().kind != TokenKind::End) {
    ahead.operands.push_back(reader_.next());
    while (!reader_.at(",") && !reader_.at(")") && reader_.peek().kind != TokenKind::End) reader_.next();
    reader_.accept(",");
  }
  reader_.accept(")");
  if (reader_.accept("{")) {
    while (!reader_.at("}") && reader_.peek().kind != TokenKind::End) {
      const bool isDtype = reader_.next().text == "dtype" && reader_.accept("=");
      if (isDtype) ahead.dtype = reader_.peek().text;
    }
  }
  reader_.rewind(start);
  ahead.any = isOfComplexAlone(mnemonic.text) || partOfComplex(ahead.dtype);
  for (size_t i = 0; i < ahead.operands.size(); ++i) ahead.any |= ahead.isComplex(*this, i);
  return ahead;
}

void FusionParser::parseComplexOp(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead) {
  const std::string_view op = mnemonic.text;
  if (needsOrder(op)) {
    const auto isComplex = [this](const Token& token) { return complexes_.count(token.text) != 0; };
    const auto found = std::find_if(ahead.operands.begin(), ahead.operands.end(), isComplex);
    const std::string type =
        found == ahead.operands.end() ? std::string(ahead.dtype) : typeText(complexes_.find(found->text)->second);
    failAsPyTorch(mnemonic, concat(op, " of ", type, ": complex numbers have no order; PyTorch refuses it, too"));
  }
  if (op == "real" || op == "imag" || op == "conj" || op == "resolve_conj" || op == "view_as_real" ||
      op == "view_as_complex") {
    if (names.size() != 1) reader_.fail(names[1], op, " has 1 result, not ", names.size());
    return parsePartOf(names[0], mnemonic);
  }
  if (isBilinear(op)) return parseBilinear(names, mnemonic, ahead);
  if (const NameOfParts* rule = findNameOfParts(op)) return parseByParts(names, mnemonic, ahead, *rule);
  if (const ComplexFunction* function = findComplexFunction(op)) {
    if (names.size() != 1) reader_.fail(names[1], op, " has 1 result, not ", names.size());
    return parseComplexFunction(names[0], mnemonic, *function);
  }
  if (op == "size") {
    Parts parts;
    parts.part = {0};
    parts.isNumber = {true};
    return defineResults(names, readParts(names, mnemonic, "", parts));
  }
  if (partOfComplex(ahead.dtype)) reader_.fail(mnemonic, op, " has no dtype ", ahead.dtype, " in the language");
  reader_.fail(mnemonic, op, " of complex values is not in the language; real, imag and view_as_real give real ones");
}

// PyTorch refuses it when the op runs: a case may expect that.
void FusionParser::failAsPyTorch(const Token& token, const std::string& message) const {
  refusable([&] {
    reader_.fail(token, message);
    return 0;
  });
}

// --- names of parts ---

std::vector<Val*> FusionParser::readParts(const std::vector<Token>& names, const Token& mnemonic,
                                          std::string_view ending, Parts parts) {
  std::vector<std::string> resultNames;
  for (const Token& each : names) resultNames.push_back(concat(each.text, ending));
  parts_ = &parts;
  std::vector<Val*> results = readOp(names, mnemonic, resultNames);
  parts_ = nullptr;
  return results;
}

// One operand of an op whose parts are read.
Val* FusionParser::parsePart(size_t place) {
  const bool counts = place < parts_->isNumber.size() && parts_->isNumber[place];
  const Token token = reader_.peek();
  const auto complex = token.kind == TokenKind::Value ? complexes_.find(token.text) : complexes_.end();
  if (complex == complexes_.end()) {
    Val* real = parseOperand();
    return parts_->isImaginary && counts ? zeroLike(real) : real;
  }
  reader_.next();
  return partOf(complex->second, parts_->part.at(place), parts_->isRaw, complex->first);
}

// 0 of the dtype and the sizes of a real number.
Val* FusionParser::zeroLike(Val* number) {
  Val* zero = fusion_->newConstant(ScalarValue(int64_t{0})
                                       .castTo(isFloating(number->dtype())         ? DataType::Double
                                               : number->dtype() == DataType::Bool ? DataType::Bool
                                                                                   : DataType::Int64));
  if (number->isScalar()) return zero;
  return build::full(*fusion_, sizesOf(number->as<TensorView>()), zero, number->dtype(), number->name() + ".zero");
}

DataType FusionParser::readPartDtype() {
  const std::optional<DataType> part = partOfComplex(reader_.peek().text);
  if (part) reader_.next();
  return part ? *part : readDtype(reader_);
}

// The parts of what lies in memory are views of it, which are made when they are needed. What is a copy of a view is
// made again after an update.
Val* FusionParser::partOf(ComplexValue& value, size_t part, bool isRaw, const std::string& name) {
  if (!value.real) {
    const ComplexValue parts = partsOf(*fusion_, value.whole, name);
    value.real = parts.real;
    value.imaginary = parts.imaginary;
  }
  value.real = copies_.latest(*fusion_, value.real, name + ".re");
  value.imaginary = copies_.latest(*fusion_, value.imaginary, name + ".im");
  if (part == 0) return value.real;
  return isRaw ? value.imaginary : imaginaryOf(*fusion_, value, name + ".im");
}

// How the real parts of the operands are read. An error where a complex one is no number.
FusionParser::Parts FusionParser::realPartsOf(const ComplexAhead& ahead, const NameOfParts& rule) const {
  const size_t count = ahead.operands.size();
  Parts parts;
  parts.part.assign(count, 0);
  for (size_t i = 0; i < count; ++i) {
    const bool isNumber = rule.numbers == Numbers::All || (rule.numbers == Numbers::Behind ? i > 0 : i == 0) ||
                          (rule.numbers == Numbers::FirstAndLast && i + 1 == count) ||
                          (rule.numbers == Numbers::FirstAndThird && i == 2);
    if (ahead.isComplex(*this, i) && !isNumber && !rule.hasSizesAlone) {
      reader_.fail(ahead.operands[i], "an index or a condition is not complex");
    }
    parts.isNumber.push_back(isNumber);
  }
  return parts;
}

// Whether the op may read the memory of a conjugate in place of the conjugate, and give a conjugate itself.
bool FusionParser::isOfConjugate(const ComplexAhead& ahead, const Parts& parts) const {
  if (std::count(parts.isNumber.begin(), parts.isNumber.end(), true) != 1) return false;
  const auto number =
      static_cast<size_t>(std::find(parts.isNumber.begin(), parts.isNumber.end(), true) - parts.isNumber.begin());
  return ahead.isComplex(*this, number) && complexes_.find(ahead.operands[number].text)->second.isConjugate;
}

// What the dtype in the braces makes of the op: true where it drops the imaginary part, as PyTorch, which warns.
bool FusionParser::givesRealPart(const Token& mnemonic, const ComplexAhead& ahead) const {
  const std::string_view op = mnemonic.text;
  if (partOfComplex(ahead.dtype)) {
    if (op == "view") reader_.fail(mnemonic, "view gives no complex dtype in the language: view_as_complex does");
    return false;
  }
  if (ahead.dtype.empty()) return false;
  if (op == "cast" && ahead.dtype == "bool") reader_.fail(mnemonic, "complex values are cast to bool by ne with 0.0");
  if (op != "cast" && !op.ends_with("_like")) {
    reader_.fail(mnemonic, op, " of complex values has a complex dtype, not ", ahead.dtype);
  }
  return true;
}

void FusionParser::parseByParts(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead,
                                const NameOfParts& rule) {
  const size_t count = ahead.operands.size();
  const Token start = reader_.peek();
  Parts parts = realPartsOf(ahead, rule);
  if (rule.hasSizesAlone && count == 2 && !ahead.isComplex(*this, 0)) {
    return defineResults(names, readParts(names, mnemonic, "", parts));
  }
  const bool isFirst = rule.numbers != Numbers::All && rule.numbers != Numbers::Behind;
  if (isFirst && count > 0 && !ahead.isComplex(*this, 0) && !partOfComplex(ahead.dtype)) {
    reader_.fail(ahead.operands[0], mnemonic.text, " of a real tensor with complex operands: cast makes it complex");
  }
  if (givesRealPart(mnemonic, ahead)) return defineResults(names, readParts(names, mnemonic, "", parts));
  parts.isRaw = !mnemonic.text.ends_with("_like") && isOfConjugate(ahead, parts);
  const std::vector<Val*> real = readParts(names, mnemonic, ".re", parts);
  reader_.rewind(start);
  for (size_t i = 0; i < count; ++i) parts.part[i] = parts.isNumber[i] ? 1 : 0;
  parts.isImaginary = true;
  Token name = mnemonic;
  if (!rule.imaginary.empty()) name.text = rule.imaginary;
  definePairs(names, mnemonic, real, readParts(names, name, ".im", parts), parts.isRaw);
}

// `isRaw`: the imaginary parts are those of the conjugates of the results.
void FusionParser::definePairs(const std::vector<Token>& names, const Token& mnemonic, const std::vector<Val*>& real,
                               const std::vector<Val*>& imaginary, bool isRaw) {
  std::vector<ComplexValue> values;
  for (size_t i = 0; i < real.size(); ++i) {
    const DataType dtype = real[i]->dtype();
    if (!real[i]->isTensor() || (dtype != DataType::Float && dtype != DataType::Double)) {
      reader_.fail(mnemonic, mnemonic.text, " gives parts of ", dtype, ", which no complex dtype of the language has");
    }
    ComplexValue value{real[i]->as<TensorView>(), imaginary[i]->as<TensorView>(), isRaw};
    if (isRaw && storageOf(value.real) == value.real) {  // memory of its own holds the conjugate itself
      value.imaginary = imaginaryOf(*fusion_, value, concat(names[i].text, ".im.neg"));
      value.isConjugate = false;
    }
    values.push_back(value);
  }
  const bool hasTypes = reader_.accept(":");
  for (size_t i = 0; i < values.size(); ++i) {
    if (hasTypes && i > 0) reader_.expect(",");
    if (hasTypes) checkComplexType(values[i], parseType());
    defineComplex(names[i], values[i]);
  }
}

// (a + bi) (c + di) by four products of parts: ac - bd and ad + bc. Both are complex, as PyTorch has it.
void FusionParser::parseBilinear(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead) {
  if (ahead.operands.size() != 2 || !ahead.isComplex(*this, 0) || !ahead.isComplex(*this, 1)) {
    reader_.fail(mnemonic, mnemonic.text, " takes two complex tensors, or two real ones");
  }
  if (names.size() != 1) reader_.fail(names[1], mnemonic.text, " has 1 result, not ", names.size());
  const Token start = reader_.peek();
  const auto product = [&](size_t first, size_t second, std::string_view ending) {
    reader_.rewind(start);
    Parts parts;
    parts.part = {first, second};
    parts.isNumber = {true, true};
    return readParts(names, mnemonic, ending, parts)[0];
  };
  Val* ac = product(0, 0, ".ac");
  Val* bd = product(1, 1, ".bd");
  Val* ad = product(0, 1, ".ad");
  Val* bc = product(1, 0, ".bc");
  const std::string name(names[0].text);
  ComplexValue value{build::binary(*fusion_, OpKind::Sub, ac, bd, name + ".re")->as<TensorView>(),
                     build::binary(*fusion_, OpKind::Add, ad, bc, name + ".im")->as<TensorView>()};
  defineTyped(names[0], value);
}

// --- names with functions of their own ---

ComplexOperand FusionParser::parseComplexOperand() {
  const Token token = reader_.peek();
  const auto complex = token.kind == TokenKind::Value ? complexes_.find(token.text) : complexes_.end();
  if (complex == complexes_.end()) return {parseOperand(), nullptr};
  reader_.next();
  Val* real = partOf(complex->second, 0, false, complex->first);
  return {real, partOf(complex->second, 1, false, complex->first)->as<TensorView>()};
}

void FusionParser::parseComplexFunction(const Token& name, const Token& mnemonic, const ComplexFunction& function) {
  std::vector<ComplexOperand> operands;
  reader_.list("(", ")", kMaxListEntries, [&] { operands.push_back(parseComplexOperand()); });
  if (operands.size() != function.operands) {
    reader_.fail(mnemonic, mnemonic.text, " takes ", function.operands,
                 function.operands == 1 ? " operand" : " operands", ", not ", operands.size());
  }
  const Expansion attributes{function.name, OpKind::Set, function.attributes, nullptr};
  const NamedAttributes given = parseNamedAttributes(mnemonic, attributes);
  const size_t firstExpr = fusion_->exprIdCount();
  const ComplexResult result = refusable([&] {
    return reader_.located(mnemonic, [&] { return function.build(*fusion_, operands, given, std::string(name.text)); });
  });
  std::vector<Val*> tensors;
  for (const ComplexOperand& operand : operands) tensors.push_back(operand.real);
  spell(firstExpr, mnemonic, {name}, tensors, false);
  for (const Expr* expr : fusion_->liveExprs()) {
    if (expr->id() >= firstExpr) recordMeetings(expr);
  }
  if (result.real) return defineResults({name}, {result.real});
  defineTyped(name, result.value);
}

// real, imag, conj, resolve_conj, view_as_real, view_as_complex: views in PyTorch, and here.
void FusionParser::parsePartOf(const Token& name, const Token& mnemonic) {
  reader_.expect("(");
  const Token token = reader_.expect(TokenKind::Value, "a tensor");
  const auto found = complexes_.find(token.text);
  Val* real = found == complexes_.end() ? lookUp(token) : nullptr;
  reader_.expect(")");
  if (!real) return parsePartOfComplex(name, mnemonic, found->first, found->second);
  if (real->isScalar()) reader_.fail(token, mnemonic.text, " takes a tensor, not ", fuser::typeText(real));
  parsePartOfReal(name, mnemonic, real->as<TensorView>());
}

// A view of a tensor with a name of its own.
TensorView* FusionParser::sameAs(Val* tensor, const Token& name) {
  std::vector<int64_t> dims(tensor->as<TensorView>()->rank());
  std::iota(dims.begin(), dims.end(), 0);
  return build::permute(*fusion_, tensor->as<TensorView>(), dims, std::string(name.text));
}

void FusionParser::defineTyped(const Token& name, const ComplexValue& value) {
  if (reader_.accept(":")) checkComplexType(value, parseType());
  defineComplex(name, value);
}

void FusionParser::parsePartOfReal(const Token& name, const Token& mnemonic, TensorView* tensor) {
  const std::string_view op = mnemonic.text;
  if (op == "view_as_complex") {
    const bool isFloat = tensor->dtype() == DataType::Float || tensor->dtype() == DataType::Double;
    if (!isFloat || tensor->rank() == 0 || !sizesOf(tensor).back()->isConstant(2)) {
      reader_.fail(mnemonic, "view_as_complex takes a tensor of f32 or f64 whose last axis has the size 2, not ",
                   fuser::typeText(tensor));
    }
    return defineTyped(name, partsOf(*fusion_, tensor, std::string(name.text)));
  }
  if (op == "imag" || op == "view_as_real") {
    failAsPyTorch(mnemonic, concat(op, " takes a complex tensor, not ", fuser::typeText(tensor)));
  }
  defineResults({name}, {sameAs(tensor, name)});
}

// `valueName`: the value's in the text.
void FusionParser::parsePartOfComplex(const Token& name, const Token& mnemonic, const std::string& valueName,
                                      ComplexValue& value) {
  const std::string_view op = mnemonic.text;
  const std::string result(name.text);
  if (op == "view_as_complex")
    failAsPyTorch(mnemonic, concat("view_as_complex takes a real tensor, not ", typeText(value)));
  if (op == "view_as_real") return parseViewAsReal(name, mnemonic, valueName, value);
  if (op == "real") return defineResults({name}, {sameAs(partOf(value, 0, false, valueName), name)});
  if (op == "imag") {
    TensorView* part = sameAs(partOf(value, 1, false, valueName), name);
    if (value.isConjugate) copiedMemory_.push_back({storageOf(part), storageOf(value.imaginary)});
    return defineResults({name}, {part});
  }
  auto* a = partOf(value, 0, true, valueName)->as<TensorView>();
  auto* b = partOf(value, 1, true, valueName)->as<TensorView>();
  if (op == "conj") return defineTyped(name, {a, b, !value.isConjugate});
  if (!value.isConjugate) return defineTyped(name, value);  // the tensor itself
  defineTyped(name, {build::set(*fusion_, a, result + ".re"), imaginaryOf(*fusion_, value, result + ".im")});
}

// The memory of the value, where both parts have one; else a copy of them.
void FusionParser::parseViewAsReal(const Token& name, const Token& mnemonic, const std::string& valueName,
                                   ComplexValue& value) {
  if (value.isConjugate) {
    failAsPyTorch(mnemonic, concat("view_as_real takes no conjugate, and %", valueName,
                                   " is one: resolve_conj makes it a tensor of its own"));
  }
  if (value.whole) return defineResults({name}, {sameAs(wholeOf(valueName, value), name)});
  partOf(value, 0, false, valueName);
  TensorView* copy = joined(*fusion_, value, std::string(name.text));
  copiedMemory_.push_back({copy, storageOf(value.real)});
  copiedMemory_.push_back({copy, storageOf(value.imaginary)});
  defineResults({name}, {copy});
}

// --- definitions ---

void FusionParser::defineComplex(const Token& name, ComplexValue value) {
  complexes_.emplace(name.text, value);
  definedAt_.emplace(name.text, name.offset);
}

void FusionParser::defineComplexParameter(const Token& name, TensorView* whole) {
  defineComplex(name, {nullptr, nullptr, false, whole});
  placeOf(whole) = name.offset;
}

void FusionParser::checkComplexType(const ComplexValue& value, const Type& type) {
  if (!type.isComplex) {
    reader_.fail(type.start, "the op's result is ", typeText(value), "; the type written here differs");
  }
  if (type.layout) reader_.fail(type.layout->start, "the parts of a complex result have no layout");
  Type part = type;
  part.isComplex = false;
  checkResultType(value.real, part);
  checkResultType(value.imaginary, part);
}

// What an output of this name is.
TensorView* FusionParser::wholeOf(const std::string& name, ComplexValue& value) {
  if (value.whole) return value.whole = copies_.latest(*fusion_, value.whole, name);
  partOf(value, 0, false, name);
  value.whole = joined(*fusion_, value, name);
  value.isConjugate = false;
  return value.whole;
}

// What PyTorch makes a view of memory, and the parser a copy, shows no update, and takes none.
void FusionParser::checkCopiedMemory(const TensorView* target) const {
  const TensorView* written = storageOf(target);
  for (const auto& [copy, memory] : copiedMemory_) {
    FUSER_USER_CHECK(written != copy && written != memory, "update: %", copy->name(),
                     " is a copy of complex parts in %", memory->name(),
                     " here, and a view in PyTorch: make it a copy with set or resolve_conj");
  }
}

// `update %z = …` of a complex %z, a part at a time. False: it is another one.
bool FusionParser::parseComplexUpdate(const Token& keyword, const Token& name) {
  const auto found = complexes_.find(name.text);
  if (found == complexes_.end()) return false;
  reader_.expect("=");
  const Token sourceAt = reader_.peek();
  const ComplexOperand source = parseComplexOperand();
  ComplexValue& target = found->second;
  auto* first = partOf(target, 0, true, found->first)->as<TensorView>();
  auto* second = partOf(target, 1, true, found->first)->as<TensorView>();
  if (storageOf(first) != storageOf(second)) {
    reader_.fail(name,
                 "update writes to a complex value that lies in memory: an input, a view_as_complex or a view of "
                 "one; %",
                 name.text, " is a pair of parts");
  }
  const std::string written = concat("update %", name.text, source.real->isTensor() ? " = %" : " = ", sourceAt.text);
  statements_.emplace_back(keyword.offset, written);
  const std::string named = concat(name.text, ".f", opCount_);
  refusable([&] {
    return reader_.located(keyword, [&] {
      // The source is read whole before anything is written.
      Val* imaginary =
          source.isComplex() ? build::set(*fusion_, source.imaginary, named + ".im") : zeroLike(source.real);
      if (target.isConjugate) imaginary = build::unary(*fusion_, OpKind::Neg, imaginary, named + ".neg");
      const auto writePart = [&](TensorView* part, Val* number, const char* ending) {
        if (number->isScalar()) {
          number = build::full(*fusion_, sizesOf(part), number, part->dtype(), named + ending);
        }
        write(part, number->as<TensorView>());
      };
      writePart(first, source.real, ".re");
      writePart(partOf(target, 1, true, found->first)->as<TensorView>(), imaginary, ".im");
      return 0;
    });
  });
  return true;
}

}  // namespace fuser::text

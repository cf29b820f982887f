// Small fusions, parsed: what the parser says of them.

#include "fuzz/worlds/letter_types.h"

#include <algorithm>
#include <iterator>

#include "fuser/ir/fusion.h"
#include "fuser/ir/infer.h"
#include "fuser/support/check.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/worlds/world_case.h"

namespace fuser::fuzz {
namespace {

// On which letters are tried whose dtypes are asked for.
constexpr const char* kUsualShapes[] = {"[i0, i1]", "[i0, i1, i2]", "[i0, 1]", "[i0]", "[1, i0]", "[]"};

// Constants, so that the parser sees which sizes differ: those of two symbols might be equal. Primes, so that no sum or
// multiple of one is another.
std::string shapeOfConstants(int64_t rank) {
  constexpr int kSizes[] = {101, 211, 401, 809, 1601, 3203, 6421, 12853};
  std::string text = "[";
  for (int64_t i = 0; i < rank; ++i) text += concat(i == 0 ? "" : ", ", kSizes[i]);
  return text + "]";
}

// The type of the fusion's output: "f32[i0, (i1 + 2)]"; nullopt if the parser refuses it.
std::optional<std::string> typeOfOutput(const std::string& parameters, const std::string& lines,
                                        const std::string& output) {
  try {
    const auto fusion = parseFusion(concat("fusion f(", parameters, ") {\n", lines, "  return ", output, "\n}\n"));
    return typeText(fusion->outputs().at(0));
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
}

}  // namespace

LetterTypes::LetterTypes(std::span<const Letter> letters, int64_t rank)
    : letters_(letters), inputShape_(shapeOfConstants(rank)), usualDtypes_(letters.size()) {
  shapes_.push_back({inputShape_, 0, {}});
  shapeNumbers_[inputShape_] = 0;
  for (const Letter& letter : letters) {
    ruleOf_.push_back(rules_.try_emplace(letter.shapeRule, rules_.size()).first->second);
    size_t places = 1;
    for (size_t i = 0; i < letter.operands; ++i) places *= kMostDtypes;
    dtypeResults_.emplace_back(places, kUnasked);
  }
}

uint16_t LetterTypes::numberOf(DataType dtype) {
  const auto found = std::find(dtypes_.begin(), dtypes_.end(), dtype);
  if (found != dtypes_.end()) return static_cast<uint16_t>(found - dtypes_.begin());
  dtypes_.push_back(dtype);
  FUSER_CHECK(dtypes_.size() <= kMostDtypes, "too many dtypes for one world");
  return static_cast<uint16_t>(dtypes_.size() - 1);
}

TypeId LetterTypes::inputType(DataType dtype) { return {numberOf(dtype), 0}; }

std::optional<TypeId> LetterTypes::resultOf(size_t letter, std::span<const TypeId> operands) {
  size_t dtypePlace = 0;
  uint64_t shapeKey = ruleOf_[letter];
  for (const TypeId& type : operands) {
    dtypePlace = dtypePlace * kMostDtypes + type.dtype;
    shapeKey = shapeKey << 16 | type.shape;
  }
  const auto numbers = [&](uint16_t TypeId::*of) {
    Numbers all;
    for (const TypeId& type : operands) all.push_back(type.*of);
    return all;
  };
  uint16_t dtype = dtypeResults_[letter][dtypePlace];
  if (dtype == kUnasked) {
    dtype = askForDtype(letter, numbers(&TypeId::dtype)).value_or(kRefused);
    dtypeResults_[letter][dtypePlace] = dtype;
  }
  if (dtype == kRefused) return std::nullopt;
  auto shape = shapeResults_.find(shapeKey);
  if (shape == shapeResults_.end())
    shape = shapeResults_.emplace(shapeKey, askForShape(letter, numbers(&TypeId::shape))).first;
  if (!shape->second) return std::nullopt;
  return TypeId{dtype, *shape->second};
}

std::optional<uint16_t> LetterTypes::askForDtype(size_t letter, const Numbers& dtypes) {
  for (const char* shape : kUsualShapes) {
    std::string parameters;
    std::vector<std::string> names;
    for (size_t i = 0; i < dtypes.size(); ++i) {
      names.push_back(concat("%x", i));
      parameters += concat(i == 0 ? "" : ", ", names.back(), ": ", dtypeName(dtypes_[dtypes[i]]), shape);
    }
    const auto type = typeOfOutput(parameters, statementOf(letters_[letter], names, "%y"), "%y");
    if (!type) continue;
    const std::optional<DataType> dtype = dtypeFromName(type->substr(0, type->find('[')));
    FUSER_CHECK(dtype, "a type without a dtype: ", *type);
    return numberOf(*dtype);
  }
  return std::nullopt;
}

const LetterTypes::Numbers& LetterTypes::usualDtypes(size_t letter) {
  if (usualDtypes_[letter]) return *usualDtypes_[letter];
  for (const DataType dtype : {DataType::Float, DataType::BFloat16, DataType::Int32, DataType::Int64, DataType::Bool})
    numberOf(dtype);
  const size_t known = dtypes_.size();
  Numbers dtypes(letters_[letter].operands, 0);
  for (;;) {
    if (askForDtype(letter, dtypes)) break;
    size_t place = 0;
    while (place < dtypes.size() && ++dtypes[place] == known) dtypes[place++] = 0;
    FUSER_USER_CHECK(place < dtypes.size(), "the letter \"", letters_[letter].text,
                     "\" applies to no operands of one shape; see fuserfuzz enumerate --help");
  }
  usualDtypes_[letter] = dtypes;
  return *usualDtypes_[letter];
}

std::optional<uint16_t> LetterTypes::askForShape(size_t letter, const Numbers& shapes) {
  const Numbers& dtypes = usualDtypes(letter);
  std::string lines;
  int count = 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string value = valueOf(shapes[i], lines, count);
    names.push_back(concat("%v", count++));
    lines += concat("  ", names.back(), " = cast(", value, ") {dtype = ", dtypeName(dtypes_[dtypes[i]]), "}\n");
  }
  const auto type = typeOfOutput("%a: f32" + inputShape_, lines + statementOf(letters_[letter], names, "%y"), "%y");
  if (!type) return std::nullopt;
  const std::string shape = type->substr(type->find('['));
  const auto [number, isNewShape] = shapeNumbers_.try_emplace(shape, static_cast<uint16_t>(shapes_.size()));
  if (isNewShape) shapes_.push_back({shape, letter, shapes});
  FUSER_CHECK(shapes_.size() < 0xffff, "too many shapes for one world");
  return number->second;
}

std::string LetterTypes::valueOf(uint16_t number, std::string& lines, int& count) const {
  const Shape& shape = shapes_[number];
  if (shape.operands.empty()) return "%a";
  const Numbers& dtypes = *usualDtypes_[shape.letter];
  std::vector<std::string> names;
  for (size_t i = 0; i < shape.operands.size(); ++i) {
    const std::string value = valueOf(shape.operands[i], lines, count);
    names.push_back(concat("%v", count++));
    lines += concat("  ", names.back(), " = cast(", value, ") {dtype = ", dtypeName(dtypes_[dtypes[i]]), "}\n");
  }
  const std::string result = concat("%v", count++);
  lines += statementOf(letters_[shape.letter], names, result);
  return result;
}

}  // namespace fuser::fuzz

// The table of families.def, and the parser of its attributes column.

#include "fuser/ops/family.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fuser {
namespace {

constexpr FamilyInfo kFamilies[] = {
#define ATTRIBUTE(...)
#define FAMILY(name, operands, coordinates, elements, sizes, copies, host, integers, weight, since, attributes, \
               example)                                                                                         \
  {Family::name,                                                                                                \
   #name,                                                                                                       \
   FamilyOperands::operands,                                                                                    \
   Coordinates::coordinates,                                                                                    \
   Elements::elements,                                                                                          \
   ResultSize::sizes,                                                                                           \
   Copies::copies,                                                                                              \
   HostRuns::host,                                                                                              \
   KernelIntegers::integers,                                                                                    \
   weight,                                                                                                      \
   since,                                                                                                       \
   attributes,                                                                                                  \
   example},
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
};

struct AttributeRow {
  std::string_view text;
  AttributeKind kind;
  size_t slot;
};

constexpr AttributeRow kAttributes[] = {
#define ATTRIBUTE(name, kind, slot) {#name, AttributeKind::kind, slot},
#define FAMILY(...)
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
};

AttributeName nameFrom(std::string_view text) {
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    if (kAttributes[i].text == text) return static_cast<AttributeName>(i);
  }
  FUSER_CHECK(false, "families.def has no attribute '", text, "'");
}

template <class T>
T readDefault(const FamilyAttribute& attribute) {
  T number{};
  const std::string_view digits = attribute.ifAbsent.value_or("");
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  FUSER_CHECK(read.ec == std::errc(), "families.def: '", attribute.text(), " = ", digits, "' is not a number");
  return number;
}

// Removes the next word from the text and returns it; "" at the end.
std::string_view takeWord(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// "sorted dims = all"
FamilyAttribute readAttribute(std::string_view entry) {
  FamilyAttribute attribute{};
  const size_t equals = entry.find('=');
  if (equals != entry.npos) {
    std::string_view value = entry.substr(equals + 1);
    attribute.ifAbsent = takeWord(value);
  }
  std::string_view words = entry.substr(0, equals);
  for (std::string_view word = takeWord(words); !word.empty(); word = takeWord(words)) {
    if (word == "sorted") {
      attribute.sorted = true;
    } else if (word == "result") {
      attribute.ofResult = true;
    } else if (word == "open") {
      attribute.open = true;
    } else if (word == "leading") {
      attribute.leading = true;
    } else if (word == "text") {
      attribute.textOnly = true;
    } else if (word == "any") {
      attribute.takesAny = true;
    } else {
      attribute.name = nameFrom(word);
      attribute.kind = kindOf(attribute.name);
    }
  }
  return attribute;
}

}  // namespace

int64_t FamilyAttribute::defaultNumber() const { return readDefault<int64_t>(*this); }
ScalarValue FamilyAttribute::defaultLiteral() const { return ScalarValue(readDefault<double>(*this)); }

std::string_view attributeText(AttributeName name) { return kAttributes[static_cast<size_t>(name)].text; }
AttributeKind kindOf(AttributeName name) { return kAttributes[static_cast<size_t>(name)].kind; }
size_t slotOf(AttributeName name) { return kAttributes[static_cast<size_t>(name)].slot; }

const FamilyInfo& familyInfo(Family family) { return kFamilies[static_cast<size_t>(family)]; }

const std::vector<FamilyAttribute>& familyAttributes(Family family) {
  static const auto byFamily = [] {
    std::array<std::vector<FamilyAttribute>, std::size(kFamilies)> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = readAttributes(kFamilies[i].attributeList);
    return all;
  }();
  return byFamily[static_cast<size_t>(family)];
}

std::vector<FamilyAttribute> readAttributes(std::string_view list) {
  std::vector<FamilyAttribute> attributes;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    attributes.push_back(readAttribute(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return attributes;
}

std::optional<AttributeName> defaultName(const FamilyAttribute& attribute) {
  if (attribute.ifAbsent == "size") return std::nullopt;  // that of the axis `dim`
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    if (attribute.ifAbsent == kAttributes[i].text) return static_cast<AttributeName>(i);
  }
  return std::nullopt;
}

OperandCount operandsInParentheses(Family family) {
  switch (familyInfo(family).operands) {
    case FamilyOperands::None: return {0, 0};
    case FamilyOperands::One: return {1, 1};
    case FamilyOperands::Two: return {2, 2};
    case FamilyOperands::Three: return {3, 3};
    case FamilyOperands::Tensor: return {1, 1};
    case FamilyOperands::Tensors: return {1, kAnyNumber};
    case FamilyOperands::Into:
    case FamilyOperands::Pair:
    case FamilyOperands::Indexed: return {2, 2};
    case FamilyOperands::Scattered: return {3, 3};
  }
  FUSER_CHECK(false, "bad FamilyOperands");
}

bool takesScalars(Family family) {
  switch (familyInfo(family).operands) {
    case FamilyOperands::One:
    case FamilyOperands::Two:
    case FamilyOperands::Three: return true;
    case FamilyOperands::None:
    case FamilyOperands::Tensor:
    case FamilyOperands::Tensors:
    case FamilyOperands::Into:
    case FamilyOperands::Indexed:
    case FamilyOperands::Scattered:
    case FamilyOperands::Pair: return false;
  }
  FUSER_CHECK(false, "bad FamilyOperands");
}

}  // namespace fuser

#pragma once
// Family: ops that are alike but for their arithmetic, and what families.def says of each. See there for the columns.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuser/support/check.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

enum class Family : uint8_t {
#define ATTRIBUTE(...)
#define FAMILY(name, ...) name,
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
};

inline constexpr Family kAllFamilies[] = {
#define ATTRIBUTE(...)
#define FAMILY(name, ...) Family::name,
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
};

enum class AttributeName : uint8_t {
#define ATTRIBUTE(name, kind, slot) name,
#define FAMILY(...)
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
};

enum class AttributeKind : uint8_t {
  Axis, Axes, Extents, Extent, Counts, Bounds, Bound, Dtype, Number, Flag, Operand
};

std::string_view attributeText(AttributeName name);  // "dims"
AttributeKind kindOf(AttributeName name);
size_t slotOf(AttributeName name);

// One attribute of a family.
struct FamilyAttribute {
  AttributeName name;
  AttributeKind kind;
  std::optional<std::string_view> ifAbsent;  // "0", "all", …; none: it must be given
  bool sorted = false;
  bool ofResult = false;
  bool open = false;
  bool leading = false;
  bool textOnly = false;
  std::string_view text() const { return attributeText(name); }
  int64_t defaultNumber() const;       // of "0", "1"
  ScalarValue defaultLiteral() const;  // of "0.0": f64
};

enum class FamilyOperands : uint8_t { None, One, Two, Three, Tensor, Tensors };
enum class Coordinates : uint8_t { Elementwise, AxisMap, Reducing, Producing, HostScalar };
enum class Elements : uint8_t { Stay, Move };
enum class ResultSize : uint8_t { Same, Fewer, More, Other };
enum class Copies : uint8_t { Cheap, Dear };
enum class HostRuns : uint8_t { Alone, Kernel };
enum class KernelIntegers : uint8_t { None, Computed };

struct FamilyInfo {
  Family family;
  std::string_view name;  // the enum's
  FamilyOperands operands;
  Coordinates coordinates;
  Elements elements;
  ResultSize sizes;
  Copies copies;
  HostRuns host;
  KernelIntegers integers;
  double weight;
  int since;
  std::string_view attributeList;  // the column; read by familyAttributes
  std::string_view example;
};

const FamilyInfo& familyInfo(Family family);
// In the order of the text, each name once.
const std::vector<FamilyAttribute>& familyAttributes(Family family);
// The attribute whose value this one takes where it is left out; none where its default is something else.
std::optional<AttributeName> defaultName(const FamilyAttribute& attribute);
// Null where the family has none of this name.
const FamilyAttribute* findAttribute(Family family, AttributeName name);

// How many operands stand in the parentheses.
struct OperandCount {
  size_t least;
  size_t most;
};
inline constexpr size_t kAnyNumber = ~size_t{0};
OperandCount operandsInParentheses(Family family);
// Operands of these families may be scalars; else each is a tensor.
bool takesScalars(Family family);

// The version of the stream of random cases in which the newest family was first drawn.
inline constexpr int kNewestFamily = [] {
  int newest = 0;
  for (const int since : {
#define ATTRIBUTE(...)
#define FAMILY(name, operands, coordinates, elements, sizes, copies, host, integers, weight, since, ...) since,
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
       }) {
    newest = since > newest ? since : newest;
  }
  return newest;
}();

}  // namespace fuser

#pragma once
// Family: a group of ops that differ only in their arithmetic, and its row of families.def, which explains the columns.

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

inline constexpr size_t kAttributeNames = 0
#define ATTRIBUTE(name, kind, slot) +1
#define FAMILY(...)
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
    ;

enum class AttributeKind : uint8_t {
  Axis,
  Axes,
  Extents,
  Extent,
  Counts,
  Bounds,
  Bound,
  Dtype,
  Number,
  Mark,
  Flag,
  Word,
  Operand
};

std::string_view attributeText(AttributeName name);  // "dims"
AttributeKind kindOf(AttributeName name);
size_t slotOf(AttributeName name);  // the index of a Bound or Extent in Attributes::allIntegers()

// One attribute of a family.
struct FamilyAttribute {
  AttributeName name;
  AttributeKind kind;
  std::optional<std::string_view> ifAbsent;  // the default: "0", "all", …; nullopt: the attribute is required
  bool sorted = false;    // order has no meaning
  bool ofResult = false;  // axes of the result, not the operand
  bool open = false;      // a size may be -1
  bool leading = false;   // extra leading entries add axes in front
  bool textOnly = false;  // not part of the IR
  bool takesAny = false;  // read as an operand: a tensor, or any literal
  std::string_view text() const { return attributeText(name); }
  int64_t defaultNumber() const;       // ifAbsent as an integer; a CheckError for a word such as "all"
  ScalarValue defaultLiteral() const;  // ifAbsent as an f64
};

enum class FamilyOperands : uint8_t { None, One, Two, Three, Tensor, Tensors, Into, Indexed, Scattered, Pair };
enum class Coordinates : uint8_t { Elementwise, AxisMap, Reducing, Scanning, Producing, HostScalar };
enum class Elements : uint8_t { Stay, Move };
enum class ResultSize : uint8_t { Same, Fewer, More, Other };
enum class Copies : uint8_t { Cheap, Dear };
enum class HostRuns : uint8_t { Alone, Kernel };
enum class KernelIntegers : uint8_t { None, Computed };

struct FamilyInfo {
  Family family;
  std::string_view name;  // the enumerator: "Squeeze"
  FamilyOperands operands;
  Coordinates coordinates;
  Elements elements;
  ResultSize sizes;
  Copies copies;
  HostRuns host;
  KernelIntegers integers;
  double weight;
  int since;
  std::string_view attributeList;  // the text of the column; familyAttributes() parses it
  std::string_view example;
};

const FamilyInfo& familyInfo(Family family);
// The family's attributes in the order in which they print; no name repeats.
const std::vector<FamilyAttribute>& familyAttributes(Family family);
// The attributes of a list as the column of families.def has it: "sorted dims = all, text keepdim = false".
std::vector<FamilyAttribute> readAttributes(std::string_view list);
// The attribute whose value is this one's default; nullopt if the default is something else.
std::optional<AttributeName> defaultName(const FamilyAttribute& attribute);

// The minimum and maximum number of operands in the parentheses of the text form.
struct OperandCount {
  size_t least;
  size_t most;
};
inline constexpr size_t kAnyNumber = ~size_t{0};
OperandCount operandsInParentheses(Family family);
// Whether the operands may be scalars; otherwise each one is a tensor.
bool takesScalars(Family family);

// The largest `since` of all rows: the version of the random case stream that first drew the newest family.
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

#pragma once
// Attributes: the attributes of an op, by the names in fuser/ops/families.def. Reading an attribute that is not set is
// a CheckError.
//
//   Attributes().dim(1).start(low).end(high).step(two)        slice {dim = 1, start = …, end = …, step = 2}
//
// Axes are indices, from 0, into the operand's non-reduction axes, or the result's if the row says so; they are sorted
// when their order has no meaning. Sizes, counts and bounds belong to the fusion's arena. dtype equals the result's. A
// mark is set or not; reading one is no error.

#include <bitset>
#include <cstdint>
#include <vector>

#include "fuser/ops/family.h"
#include "fuser/types/dtype.h"
#include "fuser/types/int_expr.h"

namespace fuser {

class Attributes {
 public:
  // A getter and a setter for each ATTRIBUTE: dims(), dims({0, 2}), …
#define ACCESSORS(name, Type, get, set)                  \
  Type name() const { return get(AttributeName::name); } \
  Attributes& name(std::remove_cvref_t<Type> value) { return set(AttributeName::name, std::move(value)); }
#define ATTRIBUTE_Axes(name) ACCESSORS(name, const std::vector<int64_t>&, axes, setAxes)
#define ATTRIBUTE_Axis(name) ACCESSORS(name, int64_t, axis, setAxis)
#define ATTRIBUTE_Extents(name) ACCESSORS(name, const std::vector<IntExpr>&, integers, setIntegers)
#define ATTRIBUTE_Counts(name) ATTRIBUTE_Extents(name)
#define ATTRIBUTE_Bounds(name) ATTRIBUTE_Extents(name)
#define ATTRIBUTE_Bound(name) ACCESSORS(name, IntExpr, bound, setBound)
#define ATTRIBUTE_Extent(name) ATTRIBUTE_Bound(name)
#define ATTRIBUTE_Dtype(name) ACCESSORS(name, DataType, dtypeOf, setDtype)
#define ATTRIBUTE_Number(name) ACCESSORS(name, int64_t, number, setNumber)
#define ATTRIBUTE_Mark(name)                             \
  bool name() const { return has(AttributeName::name); } \
  Attributes& name(bool value) { return setMark(AttributeName::name, value); }
#define ATTRIBUTE_Flag(name)     // only in the text form
#define ATTRIBUTE_Word(name)     // only in the text form
#define ATTRIBUTE_Operand(name)  // an operand of the expression
#define ATTRIBUTE(name, kind, slot) ATTRIBUTE_##kind(name)
#define FAMILY(...)
#include "fuser/ops/families.def"
#undef FAMILY
#undef ATTRIBUTE
#undef ATTRIBUTE_Axes
#undef ATTRIBUTE_Axis
#undef ATTRIBUTE_Extents
#undef ATTRIBUTE_Counts
#undef ATTRIBUTE_Bounds
#undef ATTRIBUTE_Bound
#undef ATTRIBUTE_Extent
#undef ATTRIBUTE_Dtype
#undef ATTRIBUTE_Number
#undef ATTRIBUTE_Mark
#undef ATTRIBUTE_Flag
#undef ATTRIBUTE_Word
#undef ATTRIBUTE_Operand
#undef ACCESSORS

  bool has(AttributeName name) const { return set_.test(static_cast<size_t>(name)); }

  // The same for a name known only at run time; the function must match the attribute's kind.
  const std::vector<int64_t>& axes(AttributeName name) const { return checked(name).axes_; }
  int64_t axis(AttributeName name) const { return checked(name).axes_.at(0); }
  const std::vector<IntExpr>& integers(AttributeName name) const { return checked(name).integers_; }
  IntExpr bound(AttributeName name) const { return checked(name).integers_.at(slotOf(name)); }
  int64_t number(AttributeName name) const { return checked(name).number_; }
  DataType dtypeOf(AttributeName name) const { return checked(name).dtype_; }
  Attributes& setAxes(AttributeName name, std::vector<int64_t> value) {
    axes_ = std::move(value);
    return mark(name);
  }
  Attributes& setAxis(AttributeName name, int64_t value) { return setAxes(name, {value}); }
  Attributes& setIntegers(AttributeName name, std::vector<IntExpr> value) {
    integers_ = std::move(value);
    return mark(name);
  }
  Attributes& setBound(AttributeName name, IntExpr value) {
    if (integers_.size() <= slotOf(name)) integers_.resize(slotOf(name) + 1, nullptr);
    integers_[slotOf(name)] = value;
    return mark(name);
  }
  Attributes& setNumber(AttributeName name, int64_t value) {
    number_ = value;
    return mark(name);
  }
  Attributes& setMark(AttributeName name, bool value) {
    set_.set(static_cast<size_t>(name), value);
    return *this;
  }
  Attributes& setDtype(AttributeName name, DataType value) {
    dtype_ = value;
    return mark(name);
  }

  // All axes, and all sizes, counts and bounds, whatever their names; for clones, equality and rewrites of sizes.
  const std::vector<int64_t>& allAxes() const { return axes_; }
  const std::vector<IntExpr>& allIntegers() const { return integers_; }
  std::vector<IntExpr>& allIntegers() { return integers_; }

  bool operator==(const Attributes&) const = default;

 private:
  const Attributes& checked(AttributeName name) const {
    FUSER_CHECK(has(name), "attribute '", attributeText(name), "' is not set");
    return *this;
  }
  Attributes& mark(AttributeName name) {
    set_.set(static_cast<size_t>(name));
    return *this;
  }

  std::vector<int64_t> axes_;
  std::vector<IntExpr> integers_;
  int64_t number_ = 0;
  DataType dtype_ = DataType::Float;
  std::bitset<kAttributeNames> set_;
};

}  // namespace fuser

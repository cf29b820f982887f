// What families.def must hold to be read as one schema; a new row is checked here without being named.

#include "fuser/ops/family.h"

#include <gtest/gtest.h>

#include <map>

#include "fuser/ops/op_table.h"

namespace fuser {
namespace {

// Null where the family has none of this name.
const FamilyAttribute* findAttribute(Family family, AttributeName name) {
  for (const FamilyAttribute& attribute : familyAttributes(family)) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

bool isList(AttributeKind kind) {
  return kind == AttributeKind::Axes || kind == AttributeKind::Extents || kind == AttributeKind::Counts ||
         kind == AttributeKind::Bounds;
}

bool areAxes(AttributeKind kind) { return kind == AttributeKind::Axis || kind == AttributeKind::Axes; }

bool areIntegers(AttributeKind kind) {
  return (isList(kind) && !areAxes(kind)) || kind == AttributeKind::Bound ||
         kind == AttributeKind::Extent;
}

TEST(FamilyTableTest, AttributesOfAFamilyHaveDistinctSlots) {
  for (Family family : kAllFamilies) {
    std::map<std::string, int> places;
    size_t bounds = 0;
    for (const FamilyAttribute& attribute : familyAttributes(family)) {
      ++places[concat("name ", attribute.text())];
      if (areAxes(attribute.kind)) ++places["axes"];
      if (areIntegers(attribute.kind)) ++places[concat("integers ", slotOf(attribute.name))];
      if (attribute.kind == AttributeKind::Dtype) ++places["dtype"];
      if (attribute.kind == AttributeKind::Number) ++places["number"];
      if (attribute.kind == AttributeKind::Bound) {
        EXPECT_EQ(slotOf(attribute.name), bounds++) << attribute.text();
      }
    }
    for (const auto& [place, users] : places) EXPECT_EQ(users, 1) << familyInfo(family).name << ": " << place;
  }
}

TEST(FamilyTableTest, ModifiersFitTheAttributeKind) {
  for (Family family : kAllFamilies) {
    for (const FamilyAttribute& attribute : familyAttributes(family)) {
      const std::string where = concat(familyInfo(family).name, ": ", attribute.text());
      if (attribute.sorted) {
        EXPECT_EQ(attribute.kind, AttributeKind::Axes) << where;
      }
      if (attribute.ofResult) {
        EXPECT_TRUE(areAxes(attribute.kind)) << where;
      }
      if (attribute.open || attribute.leading) {
        EXPECT_EQ(attribute.kind, AttributeKind::Extents) << where;
      }
      EXPECT_EQ(attribute.textOnly, attribute.kind == AttributeKind::Flag) << where;
      if (attribute.ifAbsent == "all") {
        EXPECT_EQ(attribute.kind, AttributeKind::Axes) << where;
      }
      if (const std::optional<AttributeName> other = defaultName(attribute)) {
        EXPECT_TRUE(findAttribute(family, *other)) << where;
      }
      if (attribute.ifAbsent == "size") {
        EXPECT_TRUE(findAttribute(family, AttributeName::dim)) << where;
      }
    }
  }
}

TEST(FamilyTableTest, DefaultsCanBeRead) {
  for (Family family : kAllFamilies) {
    for (const FamilyAttribute& attribute : familyAttributes(family)) {
      if (!attribute.ifAbsent || attribute.ifAbsent == "all" || attribute.ifAbsent == "size" || attribute.textOnly ||
          defaultName(attribute)) {
        continue;
      }
      if (attribute.kind == AttributeKind::Mark) {
        EXPECT_EQ(attribute.ifAbsent, "false");
      } else if (attribute.kind == AttributeKind::Operand) {
        attribute.defaultLiteral();
      } else {
        attribute.defaultNumber();
      }
    }
  }
  EXPECT_EQ(findAttribute(Family::Range, AttributeName::step)->defaultNumber(), 1);
  EXPECT_EQ(findAttribute(Family::Pad, AttributeName::value)->defaultLiteral().as<double>(), 0.0);
  EXPECT_EQ(findAttribute(Family::Cast, AttributeName::dtype)->ifAbsent, std::nullopt);
}

TEST(FamilyTableTest, ColumnsOfARowAgree) {
  for (Family family : kAllFamilies) {
    const FamilyInfo& info = familyInfo(family);
    // Only what reads elements through the map of coordinates can move them.
    if (info.elements == Elements::Move) {
      EXPECT_EQ(info.coordinates, Coordinates::AxisMap) << info.name;
    }
    if (info.coordinates == Coordinates::Producing) {
      EXPECT_EQ(info.operands, FamilyOperands::None) << info.name;
    }
    if (info.coordinates == Coordinates::HostScalar) {
      EXPECT_EQ(info.host, HostRuns::Kernel) << info.name;
    }
    if (info.copies == Copies::Cheap) {
      EXPECT_EQ(info.elements, Elements::Stay) << info.name;
    }
    EXPECT_GE(info.weight, 0) << info.name;
    EXPECT_GE(info.since, 1) << info.name;
    EXPECT_TRUE(info.example.starts_with("%y = ")) << info.name;
  }
}

TEST(FamilyTableTest, EveryFamilyHasAnOp) {
  for (Family family : kAllFamilies) {
    const auto belongs = [&](OpKind op) { return opInfo(op).family == family; };
    EXPECT_TRUE(std::any_of(std::begin(kAllOps), std::end(kAllOps), belongs)) << familyInfo(family).name;
  }
}

}  // namespace
}  // namespace fuser

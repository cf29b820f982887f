#include "fuser/ir/attributes.h"

#include <gtest/gtest.h>

namespace fuser {
namespace {

TEST(AttributesTest, ReadingAnUnsetAttributeFails) {
  const Attributes attributes = Attributes().dims({0, 2});
  EXPECT_EQ(attributes.dims(), (std::vector<int64_t>{0, 2}));
  EXPECT_FALSE(attributes.has(AttributeName::dim));
  EXPECT_THROW(attributes.dim(), CheckError);
  EXPECT_THROW(attributes.dtype(), CheckError);
}

TEST(AttributesTest, BoundsDoNotDependOnTheOrderOfSetting) {
  IntExprArena ints;
  const Attributes attributes =
      Attributes().dim(1).step(ints.constant(3)).start(ints.constant(1)).end(ints.constant(2));
  EXPECT_EQ(attributes.start()->value, 1);
  EXPECT_EQ(attributes.end()->value, 2);
  EXPECT_EQ(attributes.step()->value, 3);
  EXPECT_EQ(attributes.allIntegers().size(), 3u);
  EXPECT_EQ(attributes, Attributes().dim(1).start(ints.constant(1)).end(ints.constant(2)).step(ints.constant(3)));
}

TEST(AttributesTest, SetAttributesArePartOfEquality) {
  EXPECT_FALSE(Attributes().dims({1}) == Attributes().dim(1));
  EXPECT_FALSE(Attributes().dtype(DataType::Float) == Attributes());
  EXPECT_EQ(Attributes(Attributes().dtype(DataType::Half)).dtype(), DataType::Half);
}

}  // namespace
}  // namespace fuser

// The rows of import.def name what there is.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/ops/op_table.h"

namespace fuser::fuzz {
namespace {

struct Row {
  std::string_view kind, first, second;
};
constexpr Row kRows[] = {
#define NAMED(aten, mnemonic) {"named", aten, mnemonic},
#define ARGUMENT(aten, attribute) {"argument", aten, attribute},
#define ABSENT(mnemonic, attribute, text) {"absent", mnemonic, attribute},
#define WRITTEN(aten, name) {"written", aten, ""},
#include "fuzz/import/import.def"
#undef NAMED
#undef ARGUMENT
#undef ABSENT
#undef WRITTEN
};

bool isMnemonic(std::string_view text) {
  return std::any_of(std::begin(kAllOps), std::end(kAllOps), [&](OpKind op) { return opInfo(op).mnemonic == text; });
}

bool isAttribute(std::string_view text) {
  return std::any_of(std::begin(kAllFamilies), std::end(kAllFamilies), [&](Family family) {
    const std::vector<FamilyAttribute>& attributes = familyAttributes(family);
    return std::any_of(attributes.begin(), attributes.end(), [&](const auto& each) { return each.text() == text; });
  });
}

TEST(ImportRowsTest, NameOpsAndAttributesThatThereAre) {
  for (const Row& row : kRows) {
    EXPECT_TRUE(row.kind != "named" || isMnemonic(row.second)) << row.second;
    EXPECT_TRUE(row.kind != "absent" || isMnemonic(row.first)) << row.first;
    EXPECT_TRUE((row.kind != "absent" && row.kind != "argument") || isAttribute(row.second)) << row.second;
  }
}

TEST(ImportRowsTest, AnOperatorHasOneRow) {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) {
    if (row.kind == "named" || row.kind == "written") names.push_back(row.first);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  EXPECT_TRUE(twice == names.end()) << *twice;
}

}  // namespace
}  // namespace fuser::fuzz

// corpus/models: as `fuserfuzz import` writes it. That each runs and agrees is shown by the replay of the whole corpus
// (tests/fuzz/campaign/campaign_test.cpp).

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/import/subgraph.h"
#include "tests/golden/golden_file.h"

namespace fuser::fuzz {
namespace {

TEST(ModelSeedsTest, AreFewCanonicalAndDistinct) {
  std::set<std::string> keys;
  size_t files = 0, bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/models")) {
    const std::string text = golden::readFile(entry.path().string());
    const Case testCase = parseCase(text, entry.path().string());
    EXPECT_EQ(printCase(testCase), text) << entry.path();
    EXPECT_TRUE(keys.insert(subgraphKey(testCase)).second) << entry.path() << " is equal to another one up to names";
    ++files;
    bytes += text.size();
  }
  EXPECT_GE(files, 100u);
  EXPECT_LE(files, 200u);
  EXPECT_LT(bytes, size_t{1} << 20);
}

}  // namespace
}  // namespace fuser::fuzz

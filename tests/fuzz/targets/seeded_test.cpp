// The bodies of the fuzz targets over their seed corpora and a few thousand inputs made from them, with a fixed seed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fuser/support/check.h"
#include "fuzz/targets/judged/end_to_end_target.h"
#include "fuzz/targets/seeded_loop.h"

namespace fuser::fuzz {
namespace {

TEST(SeededTest, ParserGivesACaseOrALocatedError) {
  EXPECT_GT(runSeeded(parseTarget, "corpus/fuzz/parse", makeText, 1, 20000), 20000u);
}

TEST(SeededTest, WhatParsesCompilesOrIsRejected) {
  EXPECT_GT(runSeeded(compileTarget, "corpus/fuzz/compile", makeText, 2, 5000), 5000u);
}

TEST(SeededTest, WhatTheGeneratorMakesOfBytesAgrees) {
  // A finding's text is in the failure; its file is not left in the tree.
  setenv("FUSERFUZZ_FINDINGS", std::filesystem::temp_directory_path().c_str(), 1);
  EXPECT_GT(runSeeded(endToEndTarget, "corpus/fuzz/end_to_end", makeStream, 3, 1500), 1500u);
}

// A loop that swallowed what its target throws would find nothing.
TEST(SeededTest, AFindingComesOutWithItsInput) {
  const auto target = [](Bytes input) { FUSER_CHECK(input.size() < 1500, "too long for this target"); };
  try {
    runSeeded(target, "corpus/fuzz/parse", makeText, 4, 3000);
    FAIL() << "nothing was found";
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what()).find("too long for this target"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("the target throws on"), std::string::npos);
  }
}

TEST(SeededTest, TheSameSeedMakesTheSameInputs) {
  const auto hashes = [] {
    std::vector<size_t> sizes;
    const auto target = [&](Bytes input) {
      size_t hash = input.size();
      for (uint8_t byte : input) hash = hash * 1099511628211u + byte;
      sizes.push_back(hash);
    };
    runSeeded(target, "corpus/fuzz/compile", makeText, 5, 200);
    return sizes;
  };
  EXPECT_EQ(hashes(), hashes());
}

TEST(SeededTest, TheCorporaAreSmall) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("corpus/fuzz")) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, std::uintmax_t{1} << 20);
}

}  // namespace
}  // namespace fuser::fuzz

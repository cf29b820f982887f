// What libFuzzer's hooks do with text.

#include "fuzz/targets/text_mutators.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

constexpr char kCase[] = "fusion f(%x: f32[i0, i1]) {\n  %y = exp(%x)\n  %z = sum(%y) {dims = [1]}\n  return %z\n}\n";
constexpr char kOther[] = "fusion g(%a: f32[n, m], %k: f64) {\n  %b = mul(%a, %k)\n  return %b\n}\n";

std::span<const uint8_t> bytesOf(const char* text) {
  return {reinterpret_cast<const uint8_t*>(text), std::strlen(text)};
}

size_t noBytes(uint8_t*, size_t size, size_t) { return size; }

TEST(TextMutatorsTest, ProgramsStayProgramsAndBytesAreTheFuzzersOwn) {
  int programs = 0, bytesCalled = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::vector<uint8_t> buffer(4096);
    std::memcpy(buffer.data(), kCase, sizeof kCase - 1);
    const auto bytes = [&](uint8_t* data, size_t size, size_t maxSize) {
      ++bytesCalled;
      return noBytes(data, size, maxSize);
    };
    const size_t size = mutateText(buffer.data(), sizeof kCase - 1, buffer.size(), seed, bytes);
    ASSERT_LE(size, buffer.size());
    const std::string text(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NO_THROW(parseCase(text, "mutated")) << text;
    programs += text != kCase;
  }
  EXPECT_GT(programs, 25);
  EXPECT_GT(bytesCalled, 25);
}

TEST(TextMutatorsTest, ResultsFitTheMaximumSize) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<uint8_t> buffer(sizeof kCase - 1);
    std::memcpy(buffer.data(), kCase, buffer.size());
    EXPECT_LE(mutateText(buffer.data(), buffer.size(), buffer.size(), seed, noBytes), buffer.size());
    std::vector<uint8_t> out(40);
    EXPECT_LE(crossOverTexts(bytesOf(kCase), bytesOf(kOther), out.data(), out.size(), seed), out.size());
  }
}

TEST(TextMutatorsTest, CrossoverCombinesTwoPrograms) {
  int withExpAndMul = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<uint8_t> out(8192);
    out.resize(crossOverTexts(bytesOf(kCase), bytesOf(kOther), out.data(), out.size(), seed));
    const std::string text(out.begin(), out.end());
    EXPECT_NO_THROW(parseCase(text, "crossed")) << text;
    withExpAndMul += text.find("exp(") != std::string::npos && text.find("mul(") != std::string::npos;
  }
  EXPECT_GT(withExpAndMul, 15);
}

TEST(TextMutatorsTest, CrossoverOfInvalidTextWorksOnBytes) {
  std::vector<uint8_t> out(100);
  for (unsigned seed = 0; seed < 20; ++seed) {
    EXPECT_LE(crossOverTexts(bytesOf("abc"), bytesOf(kOther), out.data(), out.size(), seed), out.size());
  }
}

}  // namespace
}  // namespace fuser::fuzz

// kStreamVersion says which cases a seed gives: whoever changes those, in the choices or anywhere in the generator,
// raises it, so that ledgers and reports of before and after are told apart.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "fuser/support/check.h"
#include "fuser/text/printer.h"
#include "fuzz/choices/choices.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

struct Pin {
  int version;
  uint64_t hash;  // of the first cases of seed 1
};
constexpr Pin kPin = {37, 0x3a249ea866f7f6e9};

// FNV-1a.
uint64_t hashOfFirstCases() {
  constexpr uint64_t kCases = 60;
  uint64_t hash = 0xcbf29ce484222325ull;
  for (uint64_t number = 0; number < kCases; ++number) {
    const std::string text = printCase(generateCase(1, number));
    // Behind the metadata, which name the version.
    for (unsigned char byte : text.substr(text.find("fusion "))) hash = (hash ^ byte) * 0x100000001b3ull;
  }
  return hash;
}

TEST(StreamVersionTest, ASeedGivesTheSameCasesAsLongAsTheVersionStays) {
  const uint64_t hash = hashOfFirstCases();
  char pin[60];
  std::snprintf(pin, sizeof pin, "{%d, 0x%016llx}", kStreamVersion, static_cast<unsigned long long>(hash));
  if (kStreamVersion == kPin.version) {
    EXPECT_EQ(hash, kPin.hash)
        << "seed 1 gives other cases than before: set kDrawsVersion in fuzz/generate/generate.h to "
        << kStreamVersion + 1 << " (or a new family's `since`), run this again, and put what it says then in place of "
        << "kPin";
  } else {
    ADD_FAILURE() << "kStreamVersion is " << kStreamVersion << ": put " << pin << " in place of kPin";
  }
}

}  // namespace
}  // namespace fuser::fuzz

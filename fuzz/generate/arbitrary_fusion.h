#pragma once
// RapidCheck generators: test cases and fusions as arguments of a property.
//
//   #include <rapidcheck/gtest.h>
//   #include "fuzz/generate/arbitrary_fusion.h"
//
//   RC_GTEST_PROP(MyPassTest, KeepsOutputs, (const fuser::fuzz::ArbitraryFusion& fusion)) {
//     RC_ASSERT(fusion->outputs().size() == …);
//   }
//
// A failing case shrinks by its choices (fewer and smaller ones give a smaller case) and prints as .fusion text, which
// fuser-opt and fuserfuzz replay. Link rapidcheck and fuzz_generate.

#include <rapidcheck.h>

#include <memory>
#include <ostream>
#include <vector>

#include "fuser/text/printer.h"
#include "fuzz/choices/shrink.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {

// A generated case: it verifies, its sizes bind, and it has at least one run. Copies share it, so edit a clone
// (cloneFusion).
class ArbitraryCase {
 public:
  explicit ArbitraryCase(Case testCase) : case_(std::make_shared<const Case>(std::move(testCase))) {}
  const Case& operator*() const { return *case_; }
  const Case* operator->() const { return case_.get(); }

 private:
  std::shared_ptr<const Case> case_;
};

// The fusion of a generated case, without its runs.
class ArbitraryFusion {
 public:
  explicit ArbitraryFusion(ArbitraryCase testCase) : case_(std::move(testCase)) {}
  const Fusion& operator*() const { return *case_->fusion; }
  const Fusion* operator->() const { return case_->fusion.get(); }

 private:
  ArbitraryCase case_;
};

inline std::ostream& operator<<(std::ostream& out, const ArbitraryCase& testCase) {
  return out << "\n" << printCase(*testCase);
}
inline std::ostream& operator<<(std::ostream& out, const ArbitraryFusion& fusion) {
  return out << "\n" << printFusion(*fusion);
}

// Streams of choices, with a length proportional to RapidCheck's size. The default size of 100 gives cases as large as
// a campaign's.
inline rc::Gen<std::vector<uint8_t>> arbitraryChoices() {
  constexpr int kBytesPerSize = 40;
  return [](const rc::Random& source, int size) {
    rc::Random random = source;
    std::vector<uint8_t> bytes(static_cast<size_t>(size * kBytesPerSize));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
    return rc::shrinkable::shrinkRecur(std::move(bytes), [](const std::vector<uint8_t>& stream) {
      return rc::seq::map(rc::seq::fromContainer(smallerStreams(stream)),
                          [stream](const StreamEdit& edit) { return applyEdit(stream, edit); });
    });
  };
}

// Without updates: all stages behind the functional form see none.
inline rc::Gen<ArbitraryCase> arbitraryCase(GeneratorOptions options = {}) {
  if (options.only.count(OpKind::Update) == 0) options.exclude.insert(OpKind::Update);
  return rc::gen::map(arbitraryChoices(), [options](const std::vector<uint8_t>& bytes) {
    Choices choices{std::span<const uint8_t>(bytes)};
    return ArbitraryCase(generate(choices, options));
  });
}

inline rc::Gen<ArbitraryFusion> arbitraryFusion(const GeneratorOptions& options = {}) {
  return rc::gen::map(arbitraryCase(options), [](const ArbitraryCase& testCase) { return ArbitraryFusion(testCase); });
}

}  // namespace fuser::fuzz

namespace rc {

template <>
struct Arbitrary<fuser::fuzz::ArbitraryCase> {
  static Gen<fuser::fuzz::ArbitraryCase> arbitrary() { return fuser::fuzz::arbitraryCase(); }
};

template <>
struct Arbitrary<fuser::fuzz::ArbitraryFusion> {
  static Gen<fuser::fuzz::ArbitraryFusion> arbitrary() { return fuser::fuzz::arbitraryFusion(); }
};

}  // namespace rc

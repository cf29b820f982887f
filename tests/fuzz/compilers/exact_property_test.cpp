// What exact mode calls exact is the same in every order and precision: cases with exact data, computed in f64, with
// the terms of their sums in the opposite order, and with other contraction, have the same numbers.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/exact_numbers.h"
#include "fuzz/generate/arbitrary_fusion.h"
#include "fuzz/judge/f64_twin.h"
#include "fuzz/views/views.h"
#include "tests/fuzz/compilers/run_values.h"
#include "tests/properties/check_property.h"

namespace fuser::fuzz {
namespace {

constexpr int kCases = 400;

// Half of them steered to exact results; the others have whole numbers that any dtype holds, and become inexact at many
// places, which must be seen.
ArbitraryCase drawCase() {
  GeneratorOptions options;
  options.exactData = *rc::gen::arbitrary<bool>();
  options.only = exactOps();
  options.maxExpressions = 20;
  const ArbitraryCase drawn = *arbitraryCase(options);
  if (options.exactData) return drawn;
  Case testCase = cloneCase(*drawn);
  for (Run& run : testCase.runs) {
    for (RunInput& input : run.inputs) {
      TensorInput* tensor = std::get_if<TensorInput>(&input.value);
      if (!tensor || !isFloating(tensor->dtype) || tensor->recipe.kind == RecipeKind::Values) continue;
      tensor->recipe.kind = RecipeKind::Integers;
      tensor->recipe.peak.reset();
      tensor->recipe.low = -100;
      tensor->recipe.high = 101;
    }
  }
  return ArbitraryCase(std::move(testCase));
}

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Whether an input of few bits has other numbers in the other case, where its recipe gives what they do not hold.
bool hasOtherInputs(const Case& testCase, const RunValues& values, const Case& other, const RunValues& others) {
  for (size_t i = 0; i < testCase.fusion->inputs().size(); ++i) {
    const Val *input = testCase.fusion->inputs()[i], *twin = other.fusion->inputs()[i];
    if (!isStored(input->dtype())) continue;
    const Numbers numbers = numbersOf(*values.values[input->id()]), right = numbersOf(*others.values[twin->id()]);
    for (size_t place = 0; place < numbers.elements.size(); ++place) {
      if (!isSame(numbers.elements[place], right.elements.at(place))) return true;
    }
  }
  return false;
}

// The first exact output of some run that has other numbers in the other case; "".
std::string differenceOf(const Case& testCase, const Case& other) {
  for (size_t run = 0; run < testCase.runs.size(); ++run) {
    const RunValues values = valuesOf(testCase, testCase.runs[run]), others = valuesOf(other, other.runs[run]);
    if (hasOtherInputs(testCase, values, other, others)) continue;
    const Exactness exactness = exactnessOf(*testCase.fusion, values.values);
    for (size_t i = 0; i < testCase.fusion->outputs().size(); ++i) {
      const Val *output = testCase.fusion->outputs()[i], *twin = other.fusion->outputs()[i];
      if (!exactness.of(*output).empty() || !values.values[output->id()]) continue;
      const Numbers numbers = numbersOf(*values.values[output->id()]), right = numbersOf(*others.values[twin->id()]);
      for (size_t place = 0; place < numbers.elements.size(); ++place) {
        if (!isSame(numbers.elements[place], right.elements.at(place)))
          return concat("run ", run, " %", output->name(), " at ", place, ": ", numbers.elements[place], " and ",
                        right.elements[place]);
      }
    }
  }
  return "";
}

// LibTorch refuses some programs.
bool runs(const Case& testCase) {
  try {
    for (const Run& run : testCase.runs) valuesOf(testCase, run);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void checkTwin(const char* what, const std::function<std::optional<Case>(const Case&)>& twinOf) {
  int compared = 0;
  const auto property = [&] {
    const ArbitraryCase testCase = drawCase();
    if (!runs(*testCase)) return;
    const std::optional<Case> twin = twinOf(*testCase);
    if (!twin || !runs(*twin)) return;
    ++compared;
    const std::string difference = differenceOf(*testCase, *twin);
    if (!difference.empty()) RC_FAIL(concat(difference, printCase(*testCase)));
  };
  checkProperty(kCases, property);
  EXPECT_GT(compared, kCases / 20) << what;
}

TEST(ExactPropertyTest, NoPrecisionChangesAnExactValue) {
  checkTwin("in f64", [](const Case& testCase) -> std::optional<Case> {
    try {
      return f64TwinOf(testCase);
    } catch (const UserError&) {
      return std::nullopt;
    }
  });
}

const View& viewNamed(std::string_view name) {
  for (const View& view : allViews()) {
    if (view.name == name) return view;
  }
  FUSER_CHECK(false, "no view is called ", name);
}

TEST(ExactPropertyTest, NoOrderOfTermsChangesAnExactValue) {
  checkTwin("with terms flipped", [](const Case& testCase) { return viewOf(viewNamed("terms flipped"), testCase, 1); });
}

TEST(ExactPropertyTest, NoScaleOfAnInputChangesAnExactValue) {
  checkTwin("with an input scaled",
            [](const Case& testCase) { return viewOf(viewNamed("inputs scaled"), testCase, 1); });
}

}  // namespace
}  // namespace fuser::fuzz

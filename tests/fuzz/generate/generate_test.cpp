// The generator: every case verifies and binds, in any seed and from any bytes; what it reaches; what it stays away
// from. FUSER_FULL=1 runs the properties over 10^5 cases instead of 2000.

#include "fuzz/generate/generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "fuser/case/recipe_data.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/policy.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

uint64_t caseCount() { return inFull() ? 100000 : 2000; }

const RunInput& inputOf(const ::fuser::Run& run, size_t i) { return run.inputs.at(i); }

ExpressionEvaluator bind(const Case& testCase, const ::fuser::Run& run) {
  ExpressionEvaluator evaluator(*testCase.fusion);
  EXPECT_EQ(run.inputs.size(), testCase.fusion->inputs().size());
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Val* input = testCase.fusion->inputs()[i];
    EXPECT_EQ(inputOf(run, i).name, input->name());
    if (input->isScalar()) {
      evaluator.bindScalar(input, std::get<ScalarValue>(inputOf(run, i).value));
      continue;
    }
    const TensorInput& tensor = std::get<TensorInput>(inputOf(run, i).value);
    EXPECT_EQ(tensor.dtype, input->dtype());
    evaluator.bindSizes(input->as<TensorView>(), tensor.sizes);
    if (input->as<TensorView>()->isCpuScalar()) evaluator.bindElement(input->as<TensorView>(), hostElement(tensor));
  }
  evaluator.checkInputSizes();
  return evaluator;
}

void checkText(const Case& testCase) {
  const std::string text = printCase(testCase);
  const Case again = parseCase(text, "generated");
  EXPECT_EQ(firstDifference(*testCase.fusion, *again.fusion), "") << text;
  EXPECT_EQ(printCase(again), text);
}

// Verifies, prints and parses, binds, fits its sizes, gives data; elements of the largest run.
int64_t checkCase(const Case& testCase, const GeneratorOptions& options) {
  verify(*testCase.fusion);
  checkText(testCase);
  EXPECT_FALSE(testCase.fusion->outputs().empty());
  EXPECT_FALSE(testCase.runs.empty());
  int64_t largest = 0;
  for (const ::fuser::Run& run : testCase.runs) {
    ExpressionEvaluator evaluator = bind(testCase, run);
    checkShapes(*testCase.fusion, evaluator);
    EXPECT_EQ(materialize(testCase, run).inputs.size(), run.inputs.size());
    for (const Val* val : testCase.fusion->usedVals()) {
      if (!val->isTensor()) continue;
      const int64_t elements = checkedNumel(evaluator.sizes(val->as<TensorView>())).value();
      EXPECT_LE(elements, options.maxElements) << "%" << val->name();
      largest = std::max(largest, elements);
    }
  }
  return largest;
}

// Of many terms one could be lost at either end unseen, if the extreme lay anywhere.
TEST(GenerateTest, ExtremesLieAtEitherEndOfWhatIsReducedAndInTheTail) {
  constexpr uint64_t kCases = 4000;
  std::map<int64_t, int> places;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case testCase = generateCase(1, number);
    for (const RunInput& input : testCase.runs.front().inputs) {
      const auto* tensor = std::get_if<TensorInput>(&input.value);
      if (tensor && tensor->recipe.peak) ++places[std::max<int64_t>(tensor->recipe.peak->index, -2)];
    }
  }
  for (int64_t place : {0, -1, -2}) EXPECT_GT(places[place], 15) << place;
}

TEST(GenerateTest, EveryCaseVerifiesAndBinds) {
  const GeneratorOptions options;
  std::vector<int64_t> elements;
  std::vector<size_t> expressions;
  for (uint64_t number = 0; number < caseCount(); ++number) {
    try {
      const Case testCase = generateCase(1, number, options);
      SCOPED_TRACE(number);
      elements.push_back(checkCase(testCase, options));
      expressions.push_back(testCase.fusion->exprs().size());
    } catch (const std::exception& error) {
      ADD_FAILURE() << "case " << number << ": " << error.what();
    }
    if (HasFailure()) return;
  }
  std::sort(elements.begin(), elements.end());
  std::sort(expressions.begin(), expressions.end());
  EXPECT_GE(elements[elements.size() / 2], 512);
  const size_t median = expressions[expressions.size() / 2];
  EXPECT_GE(median, 9u);
  EXPECT_LE(median, 16u);
  std::printf("median elements %ld, expressions %zu (p90 %zu, max %zu)\n", elements[elements.size() / 2], median,
              expressions[expressions.size() * 9 / 10], expressions.back());
}

RC_GTEST_PROP(GenerateTest, BytesGiveValidCases, (const std::vector<uint8_t>& bytes, uint8_t repeat)) {
  std::vector<uint8_t> stream;
  for (int i = 0; i <= repeat % 16; ++i) stream.insert(stream.end(), bytes.begin(), bytes.end());
  Choices choices{std::span<const uint8_t>(stream)};
  checkCase(generate(choices), {});
}

TEST(GenerateTest, EmptyBytesGiveASmallCase) {
  Choices choices{std::span<const uint8_t>()};
  const Case testCase = generate(choices);
  checkCase(testCase, {});
  EXPECT_LE(testCase.fusion->exprs().size(), 4u);
}

TEST(GenerateTest, CaseDependsOnSeedAndNumberAlone) {
  const Case first = generateCase(5, 17);
  const Case again = generateCase(5, 17);
  EXPECT_EQ(firstDifference(*first.fusion, *again.fusion), "");
  int equal = 0;
  for (uint64_t number = 0; number < 50; ++number) {
    equal += sameFusion(*generateCase(5, number).fusion, *generateCase(6, number).fusion);
  }
  EXPECT_LE(equal, 2);
}

bool isComputedScalar(const Val* val) { return val->isScalar() && val->definition(); }

TEST(GenerateTest, AnOpThatNobodyElseHasIsDrawnWhereItIsNamed) {
  GeneratorOptions favouring;
  favouring.favour = {OpKind::Fma};
  GeneratorOptions alone;
  alone.only = {OpKind::Fma, OpKind::Neg};
  for (const GeneratorOptions& options : {favouring, alone}) {
    int drawn = 0;
    for (uint64_t number = 0; number < 50; ++number) {
      const Case testCase = generateCase(1, number, options);
      for (const Expr* expr : testCase.fusion->exprs()) drawn += expr->op() == OpKind::Fma;
    }
    EXPECT_GE(drawn, 50);
  }
}

// What must occur, and in what share of the cases at least.
TEST(GenerateTest, ReachesEveryOpDtypeAndShape) {
  std::map<OpKind, int> ops;
  std::map<DataType, int> dtypes;
  std::map<std::string, int> seen;
  constexpr int kCases = 1500;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case testCase = generateCase(3, number);
    std::map<std::string, bool> here;
    for (const Expr* expr : testCase.fusion->exprs()) {
      ++ops[expr->op()];
      here["scalar op"] |= expr->isScalarExpr() && expr->family() != Family::Size;
      const std::vector<Val*>& operands = expr->inputs();
      here["computed scalar operand"] |=
          !expr->isScalarExpr() && std::any_of(operands.begin(), operands.end(), isComputedScalar);
      const std::vector<Val*> named = Fusion::extentScalars(expr);
      here["extent names a scalar"] |= !named.empty();
      const bool computed = std::any_of(named.begin(), named.end(), [](const Val* val) {
        return isComputedScalar(val) && val->definition()->family() != Family::Size;
      });
      here["extent names a computed scalar"] |= computed;
      here["bound names a scalar"] |= expr->family() == Family::Range && !named.empty();
      const bool slices = expr->family() == Family::Slice, pads = expr->family() == Family::Pad;
      here["slice names a scalar"] |= slices && !named.empty();
      here["pad names a scalar"] |= pads && !named.empty();
      here["either, computed"] |= (slices || pads) && computed;
      here["computed fill value"] |= expr->family() == Family::Factory && isComputedScalar(operands.at(0));
      here["size of an intermediate"] |= expr->family() == Family::Size && operands.at(0)->definition();
      here["dead code"] |= expr->output()->uses().empty() && !expr->output()->isFusionOutput();
      here["used twice"] |= expr->output()->uses().size() > 1;
    }
    bool tensorInput = false;
    for (const Val* val : testCase.fusion->usedVals()) {
      if (!val->isTensor()) continue;
      ++dtypes[val->dtype()];
      const TensorView* tensor = val->as<TensorView>();
      tensorInput |= val->isFusionInput();
      here["rank 0"] |= tensor->rank() == 0;
      here["rank above 4"] |= tensor->rank() > 4;
      here["input is output"] |= val->isFusionInput() && val->isFusionOutput();
      if (!val->isFusionInput()) continue;
      here["unused input"] |= val->uses().empty() && !val->isFusionOutput();
      for (const IterDomain* axis : tensor->axes()) {
        here["expanded input"] |= axis->isExpanded();
        here["broadcast input"] |= axis->isBroadcast() && !axis->isExpanded();
        here["constant extent"] |= axis->isIteration() && axis->extent()->isConstant();
      }
      const std::vector<int>& order = tensor->domain().allocationOrder;
      here["permuted input"] |= !std::is_sorted(order.begin(), order.end());
    }
    here["no tensor input"] = !tensorInput;
    std::vector<Val*> outputs = testCase.fusion->outputs();
    here["scalar output"] = std::any_of(outputs.begin(), outputs.end(), [](Val* val) { return val->isScalar(); });
    std::sort(outputs.begin(), outputs.end());
    here["repeated output"] = std::adjacent_find(outputs.begin(), outputs.end()) != outputs.end();
    here["two runs"] = testCase.runs.size() == 2;
    for (const ::fuser::Run& run : testCase.runs) {
      for (const RunInput& input : run.inputs) {
        const TensorInput* tensor = std::get_if<TensorInput>(&input.value);
        if (!tensor) continue;
        here["strides"] |= tensor->strides.has_value();
        here["offset"] |= tensor->offset != 0;
        here["special data"] |= tensor->recipe.kind == RecipeKind::Special;
        here["empty"] |= numel(tensor->sizes) == 0;
        for (int64_t size : tensor->sizes) here["size around a warp"] |= size >= 31 && size <= 33;
      }
    }
    for (const auto& [name, is] : here) seen[name] += is;
  }
  for (OpKind op : kAllOps) EXPECT_GE(ops[op], isDrawnUnasked(op) ? 20 : 0) << opName(op);
  for (DataType dtype : kAllDataTypes) EXPECT_GE(dtypes[dtype], isStored(dtype) ? 80 : 300) << dtype;
  for (const auto& [name, count] : seen) {
    EXPECT_GE(count, kCases / 150) << name;
    std::printf("%-24s %5.1f %%\n", name.c_str(), 100.0 * count / kCases);
  }
  EXPECT_EQ(seen.size(), 29u);
}

TEST(GenerateTest, AvoidsUndefinedDivision) {
  for (uint64_t number = 0; number < 1500; ++number) {
    const Case testCase = generateCase(4, number);
    for (const Expr* expr : testCase.fusion->exprs()) {
      const bool division = expr->op() == OpKind::TruncDiv || expr->op() == OpKind::FloorDiv ||
                            expr->op() == OpKind::Fmod || expr->op() == OpKind::Remainder;
      if (!division || isFloating(expr->output()->dtype())) continue;
      const Val* divisor = expr->input(1);
      if (divisor->isScalar() && divisor->as<Scalar>()->isConstant()) {
        EXPECT_NE(divisor->as<Scalar>()->constant()->as<int64_t>(), 0) << "case " << number;
        EXPECT_NE(divisor->as<Scalar>()->constant()->as<int64_t>(), -1) << "case " << number;
      }
    }
  }
}

TEST(GenerateTest, OnlyAndExcludeChooseTheOps) {
  GeneratorOptions only;
  only.only = {OpKind::Add, OpKind::Sum};
  GeneratorOptions exclude;
  exclude.exclude = {OpKind::Mul, OpKind::Exp, OpKind::Where};
  for (uint64_t number = 0; number < 300; ++number) {
    const Case restricted = generateCase(2, number, only), without = generateCase(2, number, exclude);
    for (const Expr* expr : restricted.fusion->exprs()) {
      const bool inserted = expr->op() == OpKind::Cast || expr->op() == OpKind::Unsqueeze;
      EXPECT_TRUE(inserted || only.only.count(expr->op())) << opName(expr->op());
    }
    for (const Expr* expr : without.fusion->exprs()) {
      EXPECT_FALSE(exclude.exclude.count(expr->op())) << opName(expr->op());
    }
  }
}

TEST(GenerateTest, SeldomDtypesAreSeldom) {
  const auto tensorsOf = [](DataType dtype, const GeneratorOptions& options) {
    int count = 0;
    for (uint64_t number = 0; number < 150; ++number) {
      const Case testCase = generateCase(7, number, options);
      for (const Val* val : testCase.fusion->usedVals()) count += !val->isScalar() && val->dtype() == dtype ? 1 : 0;
    }
    return count;
  };
  GeneratorOptions seldom;
  seldom.seldom = {DataType::Double, DataType::BFloat16};
  for (const DataType dtype : seldom.seldom) {
    const int count = tensorsOf(dtype, seldom);
    EXPECT_GT(count, 0) << dtypeName(dtype);
    EXPECT_LT(5 * count, tensorsOf(dtype, {})) << dtypeName(dtype);
  }
}

TEST(GenerateTest, KeepsToItsBudget) {
  GeneratorOptions options;
  options.medianElements = 64;
  options.maxElements = 500;
  for (uint64_t number = 0; number < 300; ++number) {
    EXPECT_LE(checkCase(generateCase(9, number, options), options), 500);
  }
}

// Of 400 policies.
double shareWith(const GeneratorOptions& options, double Policy::*rate) {
  int with = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choices choices(seed, 0);
    if (drawPolicy(choices, options).*rate > 0) ++with;
  }
  return with / 400.0;
}

TEST(GenerateTest, HalfOfTheCasesHaveWhatIsFavoured) {
  GeneratorOptions options;
  EXPECT_LT(shareWith(options, &Policy::products), 0.15);
  EXPECT_LT(shareWith(options, &Policy::composites), 0.15);
  options.favourProducts = options.favourNames = true;
  EXPECT_NEAR(shareWith(options, &Policy::products), 0.5, 0.1);
  EXPECT_NEAR(shareWith(options, &Policy::composites), 0.5, 0.1);
}

TEST(GenerateTest, HalfOfTheDrawsAreOfWhatIsFavoured) {
  GeneratorOptions options;
  options.favour = {OpKind::Cumsum, OpKind::Unfold};
  options.exclude = {OpKind::Unfold};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices(seed, 0);
    const std::vector<double> weights = drawPolicy(choices, options).opWeights;
    const double favoured = weights[static_cast<size_t>(OpKind::Cumsum)];
    EXPECT_EQ(weights[static_cast<size_t>(OpKind::Unfold)], 0);
    EXPECT_NEAR(favoured / std::accumulate(weights.begin(), weights.end(), 0.0), 0.5, 1e-9);
  }
}

}  // namespace
}  // namespace fuser::fuzz

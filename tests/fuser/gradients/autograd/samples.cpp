#include "tests/fuser/gradients/autograd/samples.h"

#include <algorithm>
#include <regex>
#include <set>

#include "fuser/gradients/derivative.h"
#include "fuser/support/check.h"
#include "fuser/text/parser.h"

namespace fuser::gradients {
namespace {

// Whether some draws have NaN, infinities and extremes. None for relu6, hardtanh, hardshrink and softshrink, where
// LibTorch's own results differ from element to element (derivatives.def); for hardswish and the exponential units,
// whose kernels give NaN's gradient as NaN or as that of the result, as the processor has it, and so for logit at zeros
// of both signs; nor for products and var_mean, which overflow in another order.
bool takesSpecial(const Fusion& fusion) {
  static const std::set<OpKind> kOrdinary = {
      OpKind::Relu6, OpKind::Hardtanh, OpKind::Hardshrink, OpKind::Softshrink, OpKind::Hardswish, OpKind::Selu,
      OpKind::Elu,   OpKind::Celu,     OpKind::Logit,      OpKind::Prod,       OpKind::Cumprod,   OpKind::VarMean};
  return std::none_of(fusion.exprs().begin(), fusion.exprs().end(),
                      [](const Expr* expr) { return kOrdinary.count(expr->op()) != 0; });
}

constexpr const char* kMatrix = "%x: f64[i0, i1]";

const std::vector<Sample>& structuralSamples() {
  static const std::vector<Sample> kSamples = {
      {"HardshrinkTies", kMatrix, "%y = hardshrink(%x) {lambd = 1.0}"},
      {"SoftshrinkTies", kMatrix, "%y = softshrink(%x) {lambd = 1.0}"},
      {"EluOfAnAlpha", kMatrix, "%y = elu(%x) {alpha = 0.75}"},
      {"CeluOfAnAlpha", kMatrix, "%y = celu(%x) {alpha = 0.75}"},
      {"LeakyReluOfASlope", kMatrix, "%y = leaky_relu(%x) {negative_slope = 0.3}"},
      {"SoftplusOfBeta", kMatrix, "%y = softplus(%x) {beta = 2.0, threshold = 1.0}"},
      {"ThresholdTies", kMatrix, "%y = threshold(%x) {threshold = 1.0, value = 7.0}"},
      {"HardtanhTies", kMatrix, "%y = hardtanh(%x) {min_val = -1.0, max_val = 1.0}"},
      {"ClampTies", kMatrix, "%y = clamp(%x) {min = -1.0, max = 1.0}"},
      {"ClampCrossed", kMatrix, "%y = clamp(%x) {min = 1.0, max = -1.0}"},
      {"ClampMinTies", kMatrix, "%y = clamp_min(%x) {min = 1.0}"},
      {"ClampMaxTies", kMatrix, "%y = clamp_max(%x) {max = 1.0}"},
      {"HardswishTies", kMatrix, "%t = mul(%x, 1.5) %y = hardswish(%t)"},
      {"HardsigmoidTies", kMatrix, "%t = mul(%x, 1.5) %y = hardsigmoid(%t)"},
      {"Relu6Ties", kMatrix, "%t = mul(%x, 3.0) %y = relu6(%t)"},
      {"PowOfAnInteger", kMatrix, "%y = pow(%x, 3)"},
      {"PowOfZero", kMatrix, "%y = pow(%x, 0)"},
      {"PowOfABase", kMatrix, "%y = pow(2, %x)"},
      {"PowOfTheBaseZero", kMatrix, "%y = pow(0.0, %x)"},
      {"LgammaBelowZero", kMatrix, "%t = mul(%x, 7.3) %y = lgamma(%t)"},
      {"Cast", kMatrix, "%a = cast(%x) {dtype = i64} %b = mul(%x, %a) %y = cast(%b) {dtype = f64}"},
      {"CastThroughF32", "%x: f64[i0, i1]",
       "%a = mul(%x, 0.0) %b = cast(%a) {dtype = f32} %y = cast(%b) {dtype = f64}"},
      {"Set", kMatrix, "%s = set(%x) %y = segment_set(%s)"},
      {"Views", kMatrix,
       "%a = unsqueeze(%x) {dims = [1]} %b = expand(%a) {shape = [i0, 3, i1]} %c = permute(%b) {dims = [2, 0, 1]} "
       "%d = flip(%c) {dims = [0, 2]} %e = unsqueeze(%d) {dims = [0, 4]} %y = squeeze(%e) {dims = [0]}"},
      {"Slice", kMatrix, "%y = slice(%x) {dim = 1, start = 1, end = -1, step = 2}"},
      {"SliceOfNothing", kMatrix, "%y = slice(%x) {dim = 0, start = 4, end = 2}"},
      {"Pad", kMatrix, "%y = pad(%x) {pad = [1, 2, 0, 1], value = 3.0}"},
      {"PadRemoves", kMatrix, "%y = pad(%x) {pad = [-1, 1, 2, 0]}"},
      {"Cat", "%x: f64[i0, i1], %z: f64[i0, 2]", "%y = cat(%x, %z, %x) {dim = 1}"},
      {"Reshape", kMatrix, "%y = reshape(%x) {shape = [(i0 * i1)]}"},
      {"Repeat", kMatrix, "%y = repeat(%x) {repeats = [2, 3, 2]}"},
      {"RepeatOfOne", "%x: f64[i0, 1, i1]", "%y = repeat(%x) {repeats = [2, 3, 1]}"},
      {"Select", kMatrix, "%y = select(%x) {dim = 1, index = -1}"},
      {"SliceScatter", "%x: f64[i0, i1], %z: f64[i0, 1]",
       "%y = slice_scatter(%x, %z) {dim = 1, start = 0, end = 1, step = 1}"},
      {"Unfold", kMatrix, "%p = pad(%x) {pad = [2, 2, 0, 0]} %y = unfold(%p) {dim = 1, window = 3, spacing = 2}"},
      {"UnfoldOverlaps", kMatrix, "%p = pad(%x) {pad = [0, 0, 2, 2]} %y = unfold(%p) {dim = 0, window = 4}"},
      {"Gather", "%x: f64[5, i1], %i: i64[i0, i1]", "%y = gather(%x, %i) {dim = 0}", "%y", 5},
      {"Scatter", "%x: f64[5, i1], %i: i64[i0, i1], %z: f64[i0, i1]",
       "%a = arange() {end = i0, dtype = i64} %b = unsqueeze(%a) {dims = [1]} %c = mul(%i, 0) %j = add(%c, %b) "
       "%y = scatter(%x, %j, %z) {dim = 0}",
       "%y", 5},
      {"ScatterOfEqualIndices", "%x: f64[5, i1], %i: i64[i0, i1], %z: f64[i0, i1]",
       "%y = scatter(%x, %i, %z) {dim = 0}", "%y", 5},
      {"ScatterAdd", "%x: f64[5, i1], %i: i64[i0, i1], %z: f64[i0, i1]", "%y = scatter_add(%x, %i, %z) {dim = 0}", "%y",
       5},
      {"Cond", "%x: f64[i0, i1], %z: f64[i0, i1], %c: bool",
       "%y = if %c { %a = log(%x) %b = mul(%a, %z) yield %b } else { %d = mul(%z, %z) yield %d }"},
      {"CondInACond", "%x: f64[i0, i1], %z: f64[i0, i1], %c: bool, %d: bool",
       "%e = exp(%x) %y = if %c { %a = if %d { %s = sqrt(%e) yield %s } else { yield %z } yield %a } "
       "else { %m = mul(%e, %z) yield %m }"},
      {"Sum", kMatrix, "%y = sum(%x) {dims = [0]}"},
      {"SumOfAll", kMatrix, "%y = sum(%x)"},
      {"Mean", kMatrix, "%y = mean(%x) {dims = [1], keepdim = true}"},
      {"Prod", kMatrix, "%y = prod(%x) {dims = [1]}"},
      {"ProdOfAll", kMatrix, "%y = prod(%x)"},
      {"ProdOfIntegers", kMatrix,
       "%a = round(%x) %b = add(%a, %x) %c = sub(%b, %x) %d = add(%c, 0.0) %y = prod(%d) {dims = [0]}"},
      {"Amax", kMatrix, "%y = amax(%x) {dims = [1]}"},
      {"Amin", kMatrix, "%y = amin(%x) {dims = [0, 1]}"},
      {"AmaxToTheFirst", kMatrix, "%y = amax(%x) {dims = [1], first_of_ties = true}"},
      {"AminToTheFirstOfAll", kMatrix, "%y = amin(%x) {dims = [0, 1], first_of_ties = true}"},
      {"Var", kMatrix, "%y = var(%x) {dims = [0, 1]}"},
      {"VarOfACorrection", kMatrix, "%y = var(%x) {dims = [1], correction = 3}"},
      {"VarMean", kMatrix, "%y, %m = var_mean(%x) {dims = [1], correction = 0}", "%y, %m"},
      {"MeanOfVarMean", kMatrix, "%v, %y = var_mean(%x) {dims = [0]}"},
      {"Cumsum", kMatrix, "%y = cumsum(%x) {dim = 1}"},
      {"Cumprod", kMatrix, "%y = cumprod(%x) {dim = 1}"},
      {"CumprodOfTheFirstAxis", kMatrix, "%y = cumprod(%x) {dim = 0}"},
      {"Cummax", kMatrix, "%y = cummax(%x) {dim = 1}"},
      {"Cummin", kMatrix, "%y = cummin(%x) {dim = 0}"},
      {"SizesThatMeet", "%x: f64[i0, i1], %z: f64[i2, i1]", "%y = mul(%x, %z)"},
      {"SizesThatMeetOfEightAxes", "%x: f64[i0, 1, 1, i1, 1, 1, 1, 2], %z: f64[i2, 1, 1, i1, 1, 1, 1, 1]",
       "%y = mul(%x, %z)"},
      {"RepeatOfEightAxes", "%x: f64[i0, 1, 1, i1, 1, 1, 1, 2]",
       "%y = repeat(%x) {repeats = [2, 3, 1, 2, 1, 1, 1, 1]}"},
      {"Softmax", kMatrix, "%y = softmax(%x) {dim = 1}"},
      {"LogSoftmax", kMatrix, "%y = log_softmax(%x) {dim = 0}"},
      {"LayerNorm", "%x: f64[i0, i1], %w: f64[i1], %b: f64[i1]",
       "%y = layer_norm(%x, %w, %b) {normalized_shape = [i1]}"},
      {"Matmul", "%x: f64[i0, i1], %z: f64[i1, i0]", "%y = matmul(%x, %z)"},
      {"MaxPool", "%x: f64[i0, i1]",
       "%p = pad(%x) {pad = [2, 2, 0, 0]} %y = max_pool1d(%p) {kernel_size = [3], stride = [2]}"},
      {"AvgPool", "%x: f64[i0, i1]",
       "%p = pad(%x) {pad = [2, 2, 0, 0]} %y = avg_pool1d(%p) {kernel_size = [3], stride = [1]}"},
      {"Sort", kMatrix, "%y, %p = sort(%x) {dim = 1}"},
      {"MeanSquare", "%x: f64[i0, i1], %z: f64[i0, i1]", "%y = mse_loss(%x, %z)"},
  };
  return kSamples;
}

void addPointwise(const OpInfo& info, std::vector<Sample>& samples) {
  const std::string name(info.name), mnemonic(info.mnemonic);
  const size_t named = namedOperands(info.kind).size(), count = operandCount(info.kind) - named;
  std::string braces(info.variant);
  for (const NamedOperand& operand : namedOperands(info.kind)) {
    if (operand.ifAbsent) continue;
    const bool isLeast = operand.name == "min" || operand.name == "threshold";
    braces += concat(braces.empty() ? "" : ", ", operand.name, " = ", isLeast ? "-0.5" : "0.5");
  }
  if (!braces.empty()) braces = " {" + braces + "}";
  const auto add = [&](const char* ending, const std::string& inputs, const std::string& operands) {
    samples.push_back({name + ending, inputs, "%y = " + mnemonic + "(" + operands + ")" + braces});
  };
  const std::string two = "%x: f64[i0, i1], %z: f64[i0, i1]", three = two + ", %w: f64[i0, i1]";
  if (count == 1) add("", kMatrix, "%x");
  if (count == 2) {
    add("", two, "%x, %z");
    add("OfARow", "%x: f64[i0, i1], %z: f64[i1]", "%x, %z");
    add("OfANumber", kMatrix, "%x, -1.5");
    add("OfANumberBefore", kMatrix, "1.5, %x");
  }
  if (count == 3 && takesCondition(info.kind, 0)) {
    add("", two + ", %c: bool[i0, i1]", "%c, %x, %z");
    add("OfANumber", "%x: f64[i1], %c: bool[i0, i1]", "%c, %x, 0.5");
  } else if (count == 3) {
    add("", three, "%x, %z, %w");
    add("OfAColumn", "%x: f64[i0, 1], %z: f64[i0, i1], %w: f64[i1]", "%x, %z, %w");
  }
}

// The data of an input in the draw of that number, of the sizes that its type has in a run.
std::string dataOf(const std::string& name, const std::string& type, int64_t rows, int64_t columns, int draw, int seed,
                   int64_t highest, bool special) {
  if (type == "bool") return concat("%", name, " = ", draw % 2 == 0 ? "true" : "false", " ");
  std::string sizes = std::regex_replace(type, std::regex("i0|i2"), std::to_string(rows));
  sizes = std::regex_replace(sizes, std::regex("i1"), std::to_string(columns));
  std::string recipe;
  switch (draw % (special ? 4 : 3)) {
    case 0: recipe = concat("normal(seed = ", seed, ")"); break;
    case 1: recipe = concat("integers(seed = ", seed, ", low = -2, high = 3)"); break;
    case 2: recipe = concat("uniform(seed = ", seed, ", low = -0.9, high = 0.9)"); break;
    case 3: recipe = concat("special(seed = ", seed, ")"); break;
  }
  if (type[0] == 'b') recipe = concat("integers(seed = ", seed, ", low = 0, high = 2)");
  if (type[0] == 'i') recipe = concat("integers(seed = ", seed, ", low = 0, high = ", highest, ")");
  return concat("%", name, " = ", recipe, " : ", sizes, " ");
}

}  // namespace

std::vector<Sample> allSamples() {
  std::vector<Sample> samples;
  for (OpKind op : kAllOps) {
    if (!derivativeOf(op)->formulas.empty()) addPointwise(opInfo(op), samples);
  }
  samples.insert(samples.end(), structuralSamples().begin(), structuralSamples().end());
  return samples;
}

std::vector<std::string> casesOf(const Sample& sample) {
  static const std::regex kInput("%(\\w+): (\\w+(\\[[^\\]]*\\])?)");
  const std::string fusion =
      concat("fusion f(", sample.inputs, ") {\n", sample.lines, "\nreturn ", sample.outputs, "\n}\n");
  const bool special = takesSpecial(*parseFusion(fusion));
  std::vector<std::string> texts;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 4}, {1, 7}, {4, 1}}) {
    std::string text = fusion;
    for (int draw = 0; draw < 20; ++draw) {
      text += "run { ";
      int seed = 100 * draw;
      for (auto input = std::sregex_iterator(sample.inputs.begin(), sample.inputs.end(), kInput);
           input != std::sregex_iterator(); ++input) {
        text += dataOf((*input)[1], (*input)[2], rows, columns, draw, ++seed, sample.highest, special);
      }
      text += "}\n";
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace fuser::gradients

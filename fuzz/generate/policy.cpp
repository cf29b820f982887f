// How a case's policy is drawn.

#include "fuzz/generate/policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fuser/ops/op_table.h"
#include "fuzz/generate/exact_draws.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kFamilies = std::size(kAllFamilies);

// Several updates of one memory in one case say more than one in each case.
void drawUpdates(Choices& choices, const GeneratorOptions& options, Policy& policy) {
  double& weight = policy.opWeights[static_cast<size_t>(OpKind::Update)];
  // Asked for by a short list of ops, it is in each case.
  const bool asked = options.only.size() < std::size(kAllOps) / 4 && options.only.count(OpKind::Update) != 0;
  const bool has = policy.allowed[static_cast<size_t>(OpKind::Update)] && (asked || choices.chance(0.12));
  weight = has ? std::max(weight, 1.0) * 3 : 0;
}

// Several of them, too. What decides it is a number that is drawn for something else, in another way for each op, so
// that no draw more is made.
void drawIndexing(const GeneratorOptions& options, double drawn, Policy& policy) {
  constexpr double kWeight = 3;
  const auto draw = [&](OpKind op, double factor, double share) {
    const bool asked = options.only.size() < std::size(kAllOps) / 4 && options.only.count(op) != 0;
    const bool has = policy.allowed[static_cast<size_t>(op)] && (asked || std::fmod(drawn * factor, 1) < share);
    policy.opWeights[static_cast<size_t>(op)] = has ? kWeight : 0;
  };
  draw(OpKind::Gather, 1024, 0.12);
  draw(OpKind::Scatter, 733, 0.05);
  draw(OpKind::ScatterAdd, 877, 0.07);
  draw(OpKind::Select, 611, 0.12);
  draw(OpKind::Unfold, 457, 0.1);
  draw(OpKind::Cumsum, 541, 0.06);
  draw(OpKind::Cumprod, 389, 0.05);
  draw(OpKind::Cummax, 827, 0.05);
  draw(OpKind::Cummin, 967, 0.05);
}

// What decides it is a number that is drawn for something else, as above; the smallest one stands for none.
void drawProducts(const GeneratorOptions& options, double drawn, Policy& policy) {
  constexpr double kShare = 0.08, kFavoured = 0.5;
  constexpr int64_t kElements = int64_t{1} << 15;  // pairs of two sides of tiles, or of few places and many terms
  if (!options.composites || std::fmod(drawn * 1201, 1) <= 1 - (options.favourProducts ? kFavoured : kShare)) return;
  policy.products = 0.25;
  policy.tensorCap = std::max(policy.tensorCap, std::min(kElements, options.maxElements / 2));
}

// As above; several names in one case. What is made of pairs is large.
void drawComposites(const GeneratorOptions& options, double drawn, Policy& policy) {
  constexpr double kShare = 0.08, kFavoured = 0.5;
  constexpr int64_t kElements = int64_t{1} << 13;
  if (!options.composites || std::fmod(drawn * 1409, 1) <= 1 - (options.favourNames ? kFavoured : kShare)) return;
  policy.composites = 0.2;
  policy.tensorCap = std::max(policy.tensorCap, std::min(kElements, options.maxElements / 2));
}

void favour(const GeneratorOptions& options, Policy& policy) {
  std::vector<size_t> favoured;
  double others = 0;
  for (OpKind op : kAllOps) {
    const auto index = static_cast<size_t>(op);
    if (options.favour.count(op) == 0) others += policy.opWeights[index];
    if (options.favour.count(op) != 0 && policy.allowed[index]) favoured.push_back(index);
  }
  for (size_t index : favoured) policy.opWeights[index] = std::max(others, 1.0) / static_cast<double>(favoured.size());
}

void drawOps(Choices& choices, const GeneratorOptions& options, Policy& policy) {
  const size_t count = std::size(kAllOps);
  policy.allowed.assign(count, true);
  policy.opWeights.assign(count, 0);
  std::array<double, kFamilies> rows{};
  for (OpKind op : kAllOps) {
    const bool isMeant =
        options.only.empty() ? isDrawnUnasked(op) || options.favour.count(op) : options.only.count(op) != 0;
    const bool allowed = isMeant && !options.exclude.count(op);
    policy.allowed[static_cast<size_t>(op)] = allowed;
    if (allowed) rows[static_cast<size_t>(opInfo(op).family)] += 1;
  }
  constexpr double kFavour[] = {1, 0.2, 1, 3};
  std::array<double, kFamilies> favour{};
  for (double& factor : favour) factor = options.swarm ? choices.pick(kFavour) : 1;
  constexpr double kShares[] = {1, 0.6, 0.3, 0.15};
  const double share = options.swarm ? choices.pick(kShares) : 1;
  for (OpKind op : kAllOps) {
    const size_t index = static_cast<size_t>(op);
    if (!policy.allowed[index] || familyInfo(opInfo(op).family).weight == 0 || !choices.chance(share)) continue;
    const size_t family = static_cast<size_t>(opInfo(op).family);
    policy.opWeights[index] = familyInfo(opInfo(op).family).weight * favour[family] / rows[family] *
                              (options.swarm ? static_cast<double>(choices.integer(1, 4)) : 1);
  }
  drawUpdates(choices, options, policy);
  double total = 0;
  for (double weight : policy.opWeights) total += weight;
  if (total > 0) return;
  // None was drawn: all that are allowed.
  for (size_t i = 0; i < count; ++i) policy.opWeights[i] = policy.allowed[i] ? 1 : 0;
}

void drawDtypes(Choices& choices, const GeneratorOptions& options, Policy& policy) {
  constexpr double kUsual[] = {/*f64*/ 0.6,    /*f32*/ 3,   /*f16*/ 1,  /*bf16*/ 2,
                               /*i64*/ 0.8,    /*i32*/ 0.6, /*i8*/ 0.4, /*bool*/ 0.4,
                               /*i16*/ 0.2,    /*u8*/ 0.2,  /*u16*/ 0,  /*u32*/ 0,
                               /*f8e4m3fn*/ 0, /*f8e5m2*/ 0};
  static_assert(std::size(kUsual) == std::size(kAllDataTypes), "a weight for each dtype");
  policy.dtypeWeights.assign(std::begin(kUsual), std::end(kUsual));
  if (!options.swarm || choices.chance(0.3)) return;
  const double share = choices.chance(0.5) ? 0.5 : 0.25;
  for (double& weight : policy.dtypeWeights) {
    if (weight > 0) weight = choices.chance(share) ? weight + 0.5 : 0;
  }
  const bool none =
      std::all_of(policy.dtypeWeights.begin(), policy.dtypeWeights.end(), [](double w) { return w == 0; });
  if (none) policy.dtypeWeights[static_cast<size_t>(DataType::Float)] = 1;
}

// f32 joins the dtypes of the case: an op may take only such as are seldom.
void drawSeldom(const GeneratorOptions& options, Policy& policy) {
  if (options.seldom.empty()) return;
  policy.dtypeWeights[static_cast<size_t>(DataType::Float)] += 1;
  for (const DataType dtype : options.seldom) policy.dtypeWeights[static_cast<size_t>(dtype)] /= 50;
  if (options.seldom.contains(DataType::BFloat16)) policy.narrowToHalf = 1;
  if (options.seldom.contains(DataType::Double)) policy.scalarOps /= 50;  // host scalars are f64 mostly
}

size_t drawRank(Choices& choices) {
  constexpr double kRanks[] = {/*0*/ 0.04, 0.2, 0.36, 0.22, 0.1, /*5…8*/ 0.02, 0.02, 0.02, 0.02};
  return choices.weighted(kRanks);
}

MainShape drawMainShape(Choices& choices, const GeneratorOptions& options) {
  // log2 of the elements: two dice, so that the middle is common and both ends occur. Large cases cost in proportion to
  // their size and show little that smaller ones do not, so that the upper end is drawn a quarter as far as the lower
  // one.
  const double median = std::log2(static_cast<double>(std::max<int64_t>(options.medianElements, 2)));
  const double dice = choices.real(0, 1) + choices.real(0, 1) - 1;
  const double bits = median * (dice < 0 ? 1 + dice : 1 + dice / 4);
  MainShape shape;
  shape.elements = std::clamp<int64_t>(std::llround(std::exp2(bits)), 1, std::max<int64_t>(options.maxElements / 2, 1));
  shape.rank = drawRank(choices);
  shape.constant = choices.chance(0.3) ? 0.5 : 0;
  shape.empty = choices.chance(0.08) ? 0.3 : 0;
  shape.one = choices.chance(0.15) ? 0.4 : 0.02;
  return shape;
}

// Ends of vectors, and of warps.
int64_t drawLastSize(Choices& choices, int64_t limit) {
  constexpr int64_t kSizes[] = {15, 16, 17, 31, 32, 33};
  return std::min(choices.pick(kSizes), limit);
}

// A long row, or column, to reduce: at sizes where schedules change their way, and one beyond.
void drawLongRow(Choices& choices, const GeneratorOptions& options, Policy& policy) {
  constexpr int64_t kLengths[] = {4096, 4097, 16384, 16385, 65536};
  std::vector<int64_t> lengths;
  for (int64_t length : kLengths) {
    if (length <= options.maxElements) lengths.push_back(length);
  }
  if (lengths.empty()) return;
  const int64_t length = choices.pick(lengths),
                rows = choices.integer(1, std::min<int64_t>(options.maxElements / length, 3));
  const bool constant = choices.chance(0.3);
  policy.axes = {MainAxis{{length, constant ? length : length - choices.integer(0, 1)}, constant}};
  if (rows > 1 || choices.chance(0.5)) {
    const auto at = policy.axes.begin() + (choices.chance(0.25) ? 1 : 0);
    policy.axes.insert(at, MainAxis{{rows, rows}, choices.chance(0.5)});
  }
  policy.tensorCap = std::max(policy.tensorCap, length * rows);
  for (OpKind op : kAllOps) {
    double& weight = policy.opWeights[static_cast<size_t>(op)];
    if (isReduction(op) && policy.opAllowed(op)) weight = std::max(weight, 0.5) * 3;
  }
}

// Few ops, of those that move elements, write to memory and read at indices: what they do to each other shows best
// alone.
void drawTiny(Choices& choices, Policy& policy) {
  const auto weightOf = [](OpKind op) -> double {
    switch (opInfo(op).family) {
      case Family::Broadcast:
      case Family::Squeeze:
      case Family::Expand:
      case Family::Permute:
      case Family::Slice:
      case Family::Pad:
      case Family::Cat:
      case Family::Reshape:
      case Family::Repeat:
      case Family::Flip:
      case Family::SliceScatter:
      case Family::ExtremeIndex:
      case Family::Branch: return 1;
      case Family::Gather:
      case Family::Scatter:
      case Family::Update: return 3;
      case Family::Unary:
      case Family::Binary:
      case Family::Ternary:
      case Family::Cast:
      case Family::Bitcast:
      case Family::LoadStore:
      case Family::Factory:
      case Family::Range:
      case Family::Eye:
      case Family::Size:
      case Family::Item:
      case Family::Select:
      case Family::Unfold:
      case Family::Scan:
      case Family::Reduction:
      case Family::Welford: return 0;
    }
    FUSER_CHECK(false, "bad Family");
  };
  std::vector<double> weights;
  for (OpKind op : kAllOps) weights.push_back(policy.opAllowed(op) ? weightOf(op) : 0);
  if (std::accumulate(weights.begin(), weights.end(), 0.0) == 0) return;
  policy.opWeights = weights;
  policy.expressions = static_cast<int>(choices.integer(2, 5));
}

// Mostly off, sometimes strong.
double drawRate(Choices& choices, double present, double rate) { return choices.chance(present) ? rate : 0; }

}  // namespace

void drawAxes(Choices& choices, const GeneratorOptions& options, const MainShape& shape, Policy& policy) {
  policy.tensorCap =
      std::min(std::max<int64_t>(options.maxElements / 2, 1), std::max<int64_t>(shape.elements * 8, 256));
  policy.caseElements = options.maxCaseElements;
  std::vector<size_t> order;
  for (size_t i = 0; i < shape.rank; ++i) order.push_back(i);
  choices.shuffle(order);
  policy.axes.assign(shape.rank, {});
  Sizes rest{shape.elements, shape.elements};
  for (size_t place = 0; place < shape.rank; ++place) {
    MainAxis& axis = policy.axes[order[place]];
    axis.constant = choices.chance(shape.constant);
    const bool last = place + 1 == shape.rank;
    for (size_t run = 0; run < kRuns; ++run) {
      int64_t& size = axis.sizes[run];
      if (run > 0 && (axis.constant || (axis.sizes[0] <= rest[run] && choices.chance(0.4)))) {
        size = axis.sizes[0];
      } else if (choices.chance(shape.empty)) {
        size = 0;
      } else if (choices.chance(shape.one)) {
        size = 1;
      } else if (order[place] + 1 == shape.rank && rest[run] >= 15 && choices.chance(0.12)) {
        size = drawLastSize(choices, rest[run]);
      } else if (last && choices.chance(0.7)) {
        size = rest[run];
      } else {
        // Leave something for the axes that follow.
        const double share = 1.0 / static_cast<double>(shape.rank - place);
        const int64_t limit = std::llround(std::pow(static_cast<double>(rest[run]), last ? 1.0 : (share + 1) / 2));
        size = drawSize(choices, std::max<int64_t>(limit, 1));
      }
      // Known to the program mostly: it is the number 0 that passes look for.
      if (run == 0 && size == 0 && choices.chance(0.6)) axis.constant = true;
      rest[run] = std::max<int64_t>(rest[run] / std::max<int64_t>(size, 1), 1);
    }
  }
}

int64_t drawSize(Choices& choices, int64_t limit) {
  constexpr double kKinds[] = {0.2, 0.6, 0.2};
  const size_t kind = choices.weighted(kKinds);
  if (kind == 0) return choices.integer(1, std::min<int64_t>(limit, 9));
  if (kind == 2)
    return std::clamp<int64_t>(std::llround(std::exp2(choices.real(0, std::log2(limit) + 0.01))), 1, limit);
  // One below, at, one above: vector widths, a warp, blocks, a page of blocks.
  constexpr int64_t kBoundaries[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
  std::vector<int64_t> sizes;
  for (int64_t boundary : kBoundaries) {
    for (int64_t delta : {0, -1, 1}) {
      const int64_t size = boundary + delta;
      if (size <= limit && size * 8 >= limit) sizes.push_back(size);
    }
  }
  return sizes.empty() ? limit : choices.pick(sizes);
}

Policy drawPolicy(Choices& choices, const GeneratorOptions& options) {
  Policy policy;
  drawOps(choices, options, policy);
  drawDtypes(choices, options, policy);
  drawAxes(choices, options, drawMainShape(choices, options), policy);
  policy.runs = choices.chance(0.5) ? 2 : 1;
  const double size = choices.real(0, 1);  // median 12, sometimes long
  drawIndexing(options, size, policy);
  drawProducts(options, size, policy);
  drawComposites(options, size, policy);
  policy.expressions =
      static_cast<int>(std::min<double>(1 + 20 * size + 36 * std::pow(size, 6), options.maxExpressions));
  if (!options.exactData && choices.chance(0.015)) drawLongRow(choices, options, policy);
  if (choices.chance(0.03)) drawTiny(choices, policy);
  policy.steered = !choices.chance(0.04);
  policy.special = drawRate(choices, 0.08, 0.7);
  // Special values are to meet the ops that choose among them.
  for (OpKind op : kAllOps) {
    const OpInfo& info = opInfo(op);
    const bool chooses = info.rule == IntervalRule::Select || info.expression.find('?') != std::string_view::npos;
    if (policy.special > 0 && chooses) policy.opWeights[static_cast<size_t>(op)] *= 8;
  }
  policy.inputs = !policy.opAllowed(OpKind::Full) || !choices.chance(0.02);
  if (!policy.inputs) {
    for (MainAxis& axis : policy.axes) axis.sizes[1] = axis.sizes[0];  // nothing tells the runs apart
  }
  policy.oddElement = options.exactData ? 0 : drawRate(choices, 0.1, 0.4);
  policy.reuse = choices.real(0.1, 0.9);
  policy.newInput = choices.real(0.05, 0.4);
  policy.scalarOperand = choices.real(0, 0.4);
  policy.scalarOps = drawRate(choices, 0.3, 0.25);
  policy.sameDtype = choices.chance(0.5) ? 0.9 : 0.4;
  policy.segmentSet = drawRate(choices, 0.25, 0.15);
  policy.broadcastAxis = drawRate(choices, 0.5, 0.25);
  policy.expandedAxis = drawRate(choices, 0.2, 0.25);
  policy.permuted = drawRate(choices, 0.25, 0.6);
  policy.strided = drawRate(choices, 0.25, 0.6);
  policy.offset = drawRate(choices, 0.25, 0.6);
  policy.overwritten = drawRate(choices, 0.15, 0.6);
  policy.squeezeBack = drawRate(choices, 0.3, 0.6);
  policy.givenLayout = drawRate(choices, 0.15, 0.4);
  policy.keepdim = choices.real(0, 1);
  policy.meetsOperand = drawRate(choices, 0.4, 0.8);
  policy.narrowCast = drawRate(choices, 0.5, 0.8);
  policy.stored = options.exactData ? 0 : drawRate(choices, 0.12, 0.4);
  policy.scalarExtent = drawRate(choices, 0.4, 0.5);
  policy.manySymbols = choices.real(0, 0.5);
  policy.deadCode = drawRate(choices, 0.15, 0.4);
  policy.extraOutput = drawRate(choices, 0.4, 0.25);
  policy.repeatedOutput = drawRate(choices, 0.06, 0.5);
  policy.inputOutput = drawRate(choices, 0.06, 0.7);
  policy.scalarOutput = choices.real(0, 0.6);
  policy.onesMeet = drawRate(choices, 0.2, 0.4);
  policy.random = options.exactData ? 0 : drawRate(choices, 0.06, 0.15);
  // The word that they are made of is drawn with them mostly.
  double& word = policy.opWeights[static_cast<size_t>(OpKind::Philox)];
  if (std::accumulate(policy.opWeights.begin(), policy.opWeights.end(), 0.0) > word) {
    word *= options.exactData ? 0 : 0.3;
  }
  if (options.exactData) drawExactly(choices, options, policy);
  favour(options, policy);
  drawSeldom(options, policy);
  return policy;
}

}  // namespace fuser::fuzz

// Windows of the last axes, and planes of another size: names that the text makes of other ops
// (fuser/text/expanded_windows.cpp, expanded_resizing.cpp).

#include <algorithm>
#include <cmath>

#include "fuser/text/expansions.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

enum class Window : uint8_t { Maximum, Mean, Any, Columns };

struct WindowName : ComposedName {
  Window kind;
  size_t axes;  // 0: 1 or 2
};
constexpr WindowName kWindowNames[] = {
    {{"max_pool1d", "%y, %z = max_pool1d(%x) {kernel_size = 2, dilation = 2, padding = 1}", true}, Window::Maximum, 1},
    {{"max_pool2d", "%y, %z = max_pool2d(%x) {kernel_size = 2, dilation = 2, padding = 1}", true}, Window::Maximum, 2},
    {{"avg_pool1d", "%y = avg_pool1d(%x) {kernel_size = 2, ceil_mode = true, padding = 1, count_include_pad = false}",
      false},
     Window::Mean,
     1},
    {{"avg_pool2d", "%y = avg_pool2d(%x) {kernel_size = 2, ceil_mode = true, padding = 1, count_include_pad = false}",
      false},
     Window::Mean,
     2},
    {{"max_pool3d", "%y, %z = max_pool3d(%x) {kernel_size = 2, dilation = 2, padding = 1}", true}, Window::Maximum, 3},
    {{"avg_pool3d",
      "%u = unsqueeze(%x) {dims = [0]}\n"
      "%y = avg_pool3d(%u) {kernel_size = 2, ceil_mode = true, padding = 1, count_include_pad = false}",
      false},
     Window::Mean,
     3},
    {{"max_pool", "%y, %z = max_pool(%x) {kernel_size = [2], dilation = 2, padding = 1}", true}, Window::Maximum, 0},
    {{"avg_pool", "%y = avg_pool(%x) {kernel_size = [2], ceil_mode = true, padding = 1, count_include_pad = false}",
      false},
     Window::Mean,
     0},
    {{"reduce_window",
      "%a = reduce_window(%x) {kernel_size = [2], dilation = 2, padding = 1, reduction = amin}\n"
      "%y = reduce_window(%x) {kernel_size = [2], reduction = sum}",
      true},
     Window::Any,
     0},
    {{"unfold", "%y = unfold(%x) {kernel_size = [2, 2], padding = 1, dilation = 2}", true}, Window::Columns, 2},
};

struct WindowPlan {
  int64_t places, step, padding, dilation;

  int64_t span() const { return (places - 1) * dilation + 1; }
  // At most so many windows, the last one of which may lie partly outside.
  int64_t most(int64_t size) const { return (size + 2 * padding - span()) / step + 2; }
};

// It lies in `least` elements.
WindowPlan drawWindow(Choices& choices, int64_t least, bool mayDilate) {
  constexpr int64_t kMostPlaces = 4, kMostSteps = 3;
  WindowPlan plan{choices.integer(1, std::min(least, kMostPlaces)), choices.integer(1, kMostSteps), 0, 1};
  if (mayDilate && (plan.places - 1) * 2 < least && choices.chance(0.3)) plan.dilation = 2;
  if (choices.chance(0.4)) plan.padding = choices.integer(0, plan.places / 2);
  return plan;
}

bool mayHaveWindows(const TensorValue& value, const WindowName& drawn) {
  const size_t rank = value.tensor->rank(), axes = std::max<size_t>(drawn.axes, 1);
  if (!isPlain(value) || value.tensor->dtype() == DataType::Bool) return false;
  if (drawn.kind == Window::Mean && !isFloating(value.tensor->dtype())) return false;
  if (drawn.kind == Window::Columns) return rank == 3 || rank == 4;
  return rank >= axes && rank <= axes + 2;
}

Estimate estimateOf(const WindowName& drawn, std::string_view word, const TensorValue& value, double places) {
  const Estimate padded = hull(value.estimate, {0, 0, value.estimate.certain, false});
  if (drawn.kind == Window::Maximum) return value.estimate;
  if (drawn.kind != Window::Any || word != "sum") return padded;
  return {padded.low * places, padded.high * places, padded.certain, false};
}

bool drawWindowName(Workspace& work, const WindowName& drawn) {
  Choices& choices = work.choices;
  IntExprArena& ints = work.fusion->ints();
  const int64_t found = drawTensor(work, [&](const TensorValue& value) { return mayHaveWindows(value, drawn); });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const size_t rank = value.tensor->rank();
  const size_t axes = drawn.axes > 0 ? drawn.axes : std::min<size_t>(rank, choices.chance(0.5) ? 1 : 2);
  std::array<Dims, kRuns> all = value.sizes;
  std::vector<IntExpr> kernel, stride, padding, dilation;
  double places = 1;
  for (size_t axis = rank - axes; axis < rank; ++axis) {
    const Sizes along = sizesAlong(value, axis);
    const WindowPlan plan = drawWindow(choices, std::min(along[0], along[1]), drawn.kind != Window::Mean);
    for (size_t run = 0; run < kRuns; ++run) {
      all[run][axis] = plan.most(along[run]);
      all[run].push_back(plan.span());
    }
    places *= static_cast<double>(plan.places);
    kernel.push_back(ints.constant(plan.places));
    stride.push_back(ints.constant(plan.step));
    padding.push_back(ints.constant(plan.padding));
    dilation.push_back(ints.constant(plan.dilation));
  }
  if (rank + axes > kMaxRank || !work.affordable(all)) return false;
  text::NamedAttributes attributes;
  attributes.set(AttributeName::kernel_size, Attributes().kernel_size(kernel));
  if (choices.chance(0.7)) attributes.set(AttributeName::stride, Attributes().stride(stride));
  attributes.set(AttributeName::padding, Attributes().padding(padding));
  attributes.set(AttributeName::dilation, Attributes().dilation(dilation));
  const bool isPool = drawn.kind == Window::Maximum || drawn.kind == Window::Mean;
  attributes.setFlag(AttributeName::ceil_mode, isPool && choices.chance(0.3));
  attributes.setFlag(AttributeName::count_include_pad, choices.chance(0.5));
  constexpr std::string_view kWords[] = {"sum", "amax", "amin"};
  const std::string_view word = choices.pick(kWords);
  attributes.setWord(AttributeName::reduction, word);
  const Estimate estimate = estimateOf(drawn, word, value, places);
  const bool adds = drawn.kind == Window::Any && word == "sum";
  if (adds && !isSane(estimate, value.tensor->dtype())) return false;
  const text::Expansion* expansion = text::findExpansion(drawn.name, 1, [] {
    return text::GivenAttributes{{"kernel_size", text::Given::Other}};
  });
  work.composed.emplace_back(drawn.name);
  if (!expansion->several) {
    TensorView* result = expansion->build(*work.fusion, {value.tensor}, attributes, work.freshName());
    work.keep(result, convertEstimate(estimate, result->dtype(), result->dtype()));
    return true;
  }
  std::vector<std::string> names{work.freshName()};
  if (choices.chance(0.5)) names.push_back(work.freshName());
  const std::vector<TensorView*> results = expansion->several(*work.fusion, {value.tensor}, attributes, names);
  work.keep(results[0], estimate);
  if (results.size() > 1) work.keep(results[1], {0, static_cast<double>(numel(value.sizes[0])), false, false});
  return true;
}

constexpr ComposedName kResized = {"interpolate",
                                   "%a = interpolate(%x) {size = [3], mode = linear}\n"
                                   "%y = interpolate(%x) {scale_factor = 0.5}",
                                   true};

bool drawResized(Workspace& work) {
  constexpr std::string_view kLinear[] = {"linear", "bilinear", "trilinear"};
  constexpr double kScales[] = {0.5, 1.5, 2};
  constexpr int64_t kMost = 40;
  Choices& choices = work.choices;
  IntExprArena& ints = work.fusion->ints();
  const int64_t found = drawTensor(work, [](const TensorValue& value) {
    return isPlain(value) && isFloating(value.tensor->dtype()) && value.tensor->rank() >= 3 &&
           value.tensor->rank() <= 5;
  });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const size_t axes = value.tensor->rank() - 2;
  const bool isLinear = !work.options.exactData && choices.chance(0.5), isScaled = choices.chance(0.4);
  const double scale = choices.pick(kScales);
  std::array<Dims, kRuns> all = value.sizes;
  std::vector<IntExpr> sizes;
  for (size_t axis = 2; axis < value.tensor->rank(); ++axis) {
    const Sizes along = sizesAlong(value, axis);
    const int64_t size = choices.integer(1, std::min(2 * std::min(along[0], along[1]) + 1, kMost));
    sizes.push_back(ints.constant(size));
    for (size_t run = 0; run < kRuns; ++run) {
      all[run][axis] = isScaled ? static_cast<int64_t>(std::floor(static_cast<double>(along[run]) * scale)) : size;
      if (all[run][axis] == 0) return false;
    }
  }
  if (!work.affordable(all)) return false;
  text::NamedAttributes attributes;
  if (isScaled) {
    attributes.setOperand(AttributeName::scale_factor, work.fusion->newConstant(ScalarValue(scale)));
  } else {
    attributes.set(AttributeName::size, Attributes().size(sizes));
  }
  attributes.setWord(AttributeName::mode, isLinear ? kLinear[axes - 1] : "nearest");
  attributes.setFlag(AttributeName::align_corners, isLinear && choices.chance(0.4));
  work.composed.emplace_back(kResized.name);
  work.keep(text::findExpansion(kResized.name)->build(*work.fusion, {value.tensor}, attributes, work.freshName()),
            value.estimate);
  return true;
}

}  // namespace

bool drawWindows(Workspace& work) {
  if (work.choices.chance(0.25)) return mayDraw(work, kResized) && drawResized(work);
  const WindowName& drawn = work.choices.pick(kWindowNames);
  return mayDraw(work, drawn) && drawWindowName(work, drawn);
}

}  // namespace fuser::fuzz

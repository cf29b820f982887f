// Windows: reductions of what `unfold` gives of the last axes, and resizing.

#include <algorithm>
#include <limits>

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

// Along one axis: the window's places, how far apart they and the windows are, the elements from its first place to its
// last, and what is added on either side.
struct Window {
  size_t axis;
  IntExpr places, step, dilation, span, low, high;
};

// The windows along the last axes of a tensor.
class Windows {
 public:
  Windows(std::string_view op, Fusion& fusion, TensorView* tensor, const NamedAttributes& attributes, size_t axes,
          const std::string& name)
      : fusion_(fusion), ints_(fusion.ints()), name_(name), tensor_(tensor) {
    FUSER_USER_CHECK(tensor->rank() >= axes, op, " of ", typeText(tensor), ": it has no ", axes, " axes for windows");
    FUSER_USER_CHECK(tensor->rank() + axes <= kMaxRank, op, " of ", typeText(tensor), " with ", axes,
                     " axes of windows: more than ", kMaxRank, " axes");
    const std::vector<IntExpr> sizes = sizesOf(tensor),
                               kernel = listOf(op, attributes, AttributeName::kernel_size, axes, 1);
    const std::vector<IntExpr> steps =
        attributes.has(AttributeName::stride) ? listOf(op, attributes, AttributeName::stride, axes, 1) : kernel;
    const std::vector<IntExpr> paddings = listOf(op, attributes, AttributeName::padding, axes, 0);
    const std::vector<IntExpr> dilations = listOf(op, attributes, AttributeName::dilation, axes, 1);
    const bool ceil = attributes.flagOr(AttributeName::ceil_mode, false);
    for (size_t i = 0; i < axes; ++i) {
      const size_t axis = tensor->rank() - axes + i;
      windows_.push_back(windowOf(axis, sizes[axis], kernel[i], steps[i], paddings[i], dilations[i], ceil));
    }
  }

  // All windows of a tensor that has these axes last, padded with this value: their places are new last axes.
  TensorView* of(TensorView* tensor, Val* padding, std::string_view ending) {
    return taken(padded(tensor, padding, ending, false), ending);
  }
  // The same, where the padding that was asked for is there already, and only what the last windows lack is added.
  TensorView* ofPadded(TensorView* tensor, Val* padding, std::string_view ending) {
    return taken(padded(tensor, padding, ending, true), ending);
  }
  // Over the axes of the places; `mark`: the attributes of the reduction beside its dims.
  TensorView* reduced(OpKind op, TensorView* windows, std::string_view ending, Attributes mark = {}) {
    std::vector<int64_t> dims;
    for (size_t i = 0; i < windows_.size(); ++i)
      dims.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(windows_.size()));
    return build::structuralTensor(fusion_, op, {windows}, mark.dims(std::move(dims)), concat(name_, ending));
  }
  const std::vector<Window>& each() const { return windows_; }
  std::string named(std::string_view ending) const { return concat(name_, ending); }
  // The sizes along the axes of the windows; with the padding on both sides.
  std::vector<IntExpr> sizes(bool withPadding) const {
    std::vector<IntExpr> result;
    for (const Window& window : windows_) {
      const IntExpr size = sizesOf(tensor_)[window.axis];
      result.push_back(withPadding ? ints_.add(size, ints_.mul(window.low, ints_.constant(2))) : size);
    }
    return result;
  }

 private:
  // One number for all axes, or one for each.
  std::vector<IntExpr> listOf(std::string_view op, const NamedAttributes& attributes, AttributeName name, size_t axes,
                              int64_t otherwise) {
    std::vector<IntExpr> list(axes, ints_.constant(otherwise));
    if (!attributes.has(name)) return list;
    const std::vector<IntExpr>& given = attributes.integers(name);
    FUSER_USER_CHECK(given.size() == 1 || given.size() == axes, op, ": ", attributeText(name), " has ", given.size(),
                     " numbers for ", axes, axes == 1 ? " axis" : " axes");
    for (size_t i = 0; i < axes; ++i) list[i] = given.size() == 1 ? given[0] : given[i];
    const int64_t least = name == AttributeName::padding ? 0 : 1;
    for (IntExpr number : list) {
      FUSER_USER_CHECK(number->range.high >= least, op, ": ", attributeText(name), " is at least ", least);
    }
    return list;
  }

  // As PyTorch counts: rounded up, the last window still starts inside the tensor or its padding before it.
  Window windowOf(size_t axis, IntExpr size, IntExpr places, IntExpr step, IntExpr padding, IntExpr dilation,
                  bool ceil) {
    const IntExpr one = ints_.constant(1), span = ints_.add(ints_.mul(dilation, ints_.sub(places, one)), one);
    const IntExpr whole = ints_.add(size, ints_.mul(padding, ints_.constant(2)));
    if (!ceil) return {axis, places, step, dilation, span, padding, padding};
    const IntExpr roundedUp = ints_.ceilDiv(ints_.sub(whole, span), step);
    const IntExpr starting = ints_.floorDiv(ints_.sub(ints_.add(size, padding), one), step);
    const IntExpr last = ints_.min(roundedUp, starting);
    const IntExpr reach = ints_.add(ints_.mul(last, step), span);
    return {axis, places, step, dilation, span, padding, ints_.sub(reach, ints_.add(size, padding))};
  }

  TensorView* padded(TensorView* tensor, Val* value, std::string_view ending, bool hasPadding) {
    std::vector<IntExpr> pads;
    bool isNone = true;
    for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
      pads.push_back(hasPadding ? ints_.constant(0) : window->low);
      pads.push_back(hasPadding ? ints_.sub(window->high, window->low) : window->high);
      isNone = isNone && pads[pads.size() - 2]->isConstant(0) && pads.back()->isConstant(0);
    }
    return isNone ? tensor : build::pad(fusion_, tensor, pads, value, concat(name_, ending, ".padded"));
  }

  TensorView* taken(TensorView* tensor, std::string_view ending) {
    const size_t before = tensor->rank() - windows_.size();
    for (size_t i = 0; i < windows_.size(); ++i) {
      const Window& window = windows_[i];
      const auto dim = static_cast<int64_t>(before + i);
      tensor = build::structuralTensor(fusion_, OpKind::Unfold, {tensor},
                                       Attributes().dim(dim).window(window.span).spacing(window.step),
                                       concat(name_, ending, ".windows", i));
      if (window.dilation->isConstant(1)) continue;
      tensor = build::slice(fusion_, tensor, static_cast<int64_t>(tensor->rank()) - 1, ints_.constant(0), window.span,
                            window.dilation, concat(name_, ending, ".places", i));
    }
    return tensor;
  }

  Fusion& fusion_;
  IntExprArena& ints_;
  const std::string& name_;
  TensorView* tensor_;
  std::vector<Window> windows_;
};

// How many axes the windows have: as the name says, as the list has numbers, or all but those of samples and channels.
size_t windowAxes(const TensorView* tensor, const NamedAttributes& attributes, size_t ofName) {
  if (ofName > 0) return ofName;
  if (!attributes.flagOr(AttributeName::kernel_size, false))
    return attributes.integers(AttributeName::kernel_size).size();
  return tensor->rank() > 2 ? tensor->rank() - 2 : tensor->rank();
}

// What changes no result of the reduction.
Val* neutralOf(Fusion& fusion, OpKind op, DataType dtype) {
  const Identity identity = reductionIdentity(op, dtype);
  return fusion.newConstant(isFloating(dtype) ? ScalarValue(identity.floating) : ScalarValue(identity.integer));
}

// PyTorch's pools take no more padding than half of a window.
void checkPadding(std::string_view op, const Windows& windows) {
  for (const Window& window : windows.each()) {
    const bool isKnown = window.low->isConstant() && window.span->isConstant();
    FUSER_USER_CHECK(!isKnown || 2 * window.low->value <= window.span->value, op, ": a padding of ", window.low->value,
                     " is more than half of a window of ", window.span->value, " places");
  }
}

// The place of each element in its plane, row by row.
TensorView* placesOf(Fusion& fusion, const Windows& windows) {
  const std::vector<IntExpr> sizes = windows.sizes(false);
  IntExpr count = fusion.ints().constant(1);
  for (IntExpr size : sizes) count = fusion.ints().mul(count, size);
  TensorView* line = countsAlong(fusion, 0, count, 0, 1, windows.named(".line"));
  return sizes.size() == 1 ? line : build::reshape(fusion, line, sizes, windows.named(".plane"));
}

// The first place of a greatest element; of NaN the last.
TensorView* placesOfMaxima(Fusion& fusion, Windows& windows, TensorView* elements, TensorView* maxima,
                           const std::string& name) {
  const auto integer = [&](int64_t number) { return fusion.newConstant(ScalarValue(number)); };
  Val *outside = integer(-1), *beyond = integer(std::numeric_limits<int64_t>::max());
  TensorView* places = windows.of(placesOf(fusion, windows), outside, ".index");
  std::vector<int64_t> last;
  for (size_t i = 0; i < windows.each().size(); ++i) last.push_back(static_cast<int64_t>(maxima->rank() + i));
  TensorView* greatest = build::unsqueeze(fusion, maxima, last, name + ".greatest");
  Val* isGreatest = build::binary(fusion, OpKind::Eq, elements, greatest, name + ".equal");
  Val* isInside = build::binary(fusion, OpKind::Ge, places, integer(0), name + ".inside");
  Val* counts = build::binary(fusion, OpKind::LogicalAnd, isGreatest, isInside, name + ".counts");
  const bool isReal = isFloating(elements->dtype());
  TensorView* found = build::where(fusion, counts, places, beyond, name + ".found")->as<TensorView>();
  TensorView* first = windows.reduced(OpKind::Amin, found, isReal ? "" : ".first");
  if (!isReal) return first;
  Val* isNan = build::unary(fusion, OpKind::IsNan, elements, name + ".nan");
  TensorView* nans = build::where(fusion, isNan, places, outside, name + ".nans")->as<TensorView>();
  TensorView* lastNan = windows.reduced(OpKind::Amax, nans, ".last_nan");
  Val* has = build::binary(fusion, OpKind::Ge, lastNan, integer(0), name + ".any_nan");
  return build::where(fusion, has, lastNan, first, name)->as<TensorView>();
}

std::vector<TensorView*> maxima(std::string_view op, size_t ofName, Fusion& fusion, const std::vector<Val*>& operands,
                                const NamedAttributes& attributes, const std::vector<std::string>& names) {
  FUSER_USER_CHECK(names.size() <= 2, op, " has 1 or 2 results, not ", names.size());
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(tensor->dtype() != DataType::Bool, op, " takes no bool");
  Windows windows(op, fusion, tensor, attributes, windowAxes(tensor, attributes, ofName), names[0]);
  checkPadding(op, windows);
  TensorView* elements = windows.of(tensor, neutralOf(fusion, OpKind::Amax, tensor->dtype()), ".each");
  TensorView* values = windows.reduced(OpKind::Amax, elements, "", Attributes().first_of_ties(true));
  if (names.size() == 1) return {values};
  return {values, placesOfMaxima(fusion, windows, elements, values, names[1])};
}

TensorView* averages(std::string_view op, size_t ofName, Fusion& fusion, const std::vector<Val*>& operands,
                     const NamedAttributes& attributes, const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), op, " takes floats, not ", typeText(tensor));
  Composite make(fusion, name, tensor->dtype());
  Windows windows(op, fusion, tensor, attributes, windowAxes(tensor, attributes, ofName), name);
  checkPadding(op, windows);
  TensorView* each = windows.of(make.wide(tensor), make.real(0), ".each");
  TensorView* sum = windows.reduced(OpKind::Sum, each, ".sum");
  if (attributes.has(AttributeName::divisor_override)) {
    const int64_t divisor = attributes.number(AttributeName::divisor_override);
    FUSER_USER_CHECK(divisor != 0, op, ": divisor_override is 0");
    return make.rounded(make.op(OpKind::Div, sum, make.real(static_cast<double>(divisor)), ".mean"));
  }
  const bool withPadding = attributes.flagOr(AttributeName::count_include_pad, true);
  IntExpr places = fusion.ints().constant(1);
  bool isWhole = !attributes.flagOr(AttributeName::ceil_mode, false);
  for (const Window& window : windows.each()) {
    places = fusion.ints().mul(places, window.places);
    isWhole = isWhole && (withPadding || window.low->isConstant(0));
  }
  if (isWhole && places->isConstant()) {
    return make.rounded(make.op(OpKind::Div, sum, make.real(static_cast<double>(places->value)), ".mean"));
  }
  TensorView* ones = build::full(fusion, windows.sizes(withPadding), make.real(1), make.computed(), name + ".ones");
  TensorView* counted =
      withPadding ? windows.ofPadded(ones, make.real(0), ".counted") : windows.of(ones, make.real(0), ".counted");
  return make.rounded(make.op(OpKind::Div, sum, windows.reduced(OpKind::Sum, counted, ".count"), ".mean"));
}

}  // namespace

// torch.nn.functional.max_pool, of as many axes as the name says: with a second result, the place of each in its plane.
template <int kAxes>
std::vector<TensorView*> maxPool(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                 const std::vector<std::string>& names) {
  return maxima(kAxes == 0 ? "max_pool" : concat("max_pool", kAxes, "d"), kAxes, fusion, operands, attributes, names);
}

// torch.nn.functional.avg_pool
template <int kAxes>
TensorView* averagePool(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  return averages(kAxes == 0 ? "avg_pool" : concat("avg_pool", kAxes, "d"), kAxes, fusion, operands, attributes, name);
}

template SeveralFunction maxPool<0>;
template SeveralFunction maxPool<1>;
template SeveralFunction maxPool<2>;
template SeveralFunction maxPool<3>;
template ExpansionFunction averagePool<0>;
template ExpansionFunction averagePool<1>;
template ExpansionFunction averagePool<2>;
template ExpansionFunction averagePool<3>;

// Reductions of the windows of the last axes, one for each number of kernel_size; the padding changes nothing.
TensorView* reducedWindows(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                           const std::string& name) {
  constexpr std::pair<std::string_view, OpKind> kReductions[] = {
      {"sum", OpKind::Sum}, {"prod", OpKind::Prod}, {"amax", OpKind::Amax}, {"amin", OpKind::Amin}};
  const std::string_view word = attributes.wordOr(AttributeName::reduction, "");
  const auto found = std::find_if(std::begin(kReductions), std::end(kReductions),
                                  [&](const auto& each) { return each.first == word; });
  FUSER_USER_CHECK(found != std::end(kReductions), "reduce_window: reduction is sum, prod, amax or amin, not '", word,
                   "'");
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(tensor->dtype() != DataType::Bool, "reduce_window takes no bool");
  const bool adds = found->second == OpKind::Sum || found->second == OpKind::Prod;
  Composite make(fusion, name, tensor->dtype());
  const bool isReal = isFloating(tensor->dtype());
  if (adds && isReal) tensor = make.wide(tensor);
  NamedAttributes each = attributes;
  if (!each.has(AttributeName::stride)) {
    const std::vector<IntExpr> ones(each.integers(AttributeName::kernel_size).size(), fusion.ints().constant(1));
    each.set(AttributeName::stride, Attributes().stride(ones));
  }
  Windows windows("reduce_window", fusion, tensor, each, each.integers(AttributeName::kernel_size).size(), name);
  TensorView* elements = windows.of(tensor, neutralOf(fusion, found->second, tensor->dtype()), ".each");
  TensorView* result = windows.reduced(found->second, elements, ".reduced");
  if (result->dtype() != tensorAt(operands, 0)->dtype()) {
    return build::cast(fusion, result, tensorAt(operands, 0)->dtype(), name)->as<TensorView>();
  }
  result->setName(name);
  return result;
}

// torch.nn.functional.unfold: the windows of the last two axes as columns, of all channels below each other.
TensorView* unfoldedToColumns(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                              const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(tensor->rank() == 3 || tensor->rank() == 4, "unfold with a kernel_size takes 3 or 4 axes, not ",
                   typeText(tensor));
  NamedAttributes each = attributes;
  if (!each.has(AttributeName::stride)) {
    each.set(AttributeName::stride, Attributes().stride({fusion.ints().constant(1)}));
  }
  Windows windows("unfold", fusion, tensor, each, 2, name);
  Val* zero = filling("unfold", fusion, fusion.newConstant(ScalarValue(int64_t{0})), tensor->dtype(), name + ".zero");
  TensorView* taken = windows.of(tensor, zero, ".each");
  const auto rank = static_cast<int64_t>(taken->rank());
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < rank - 4; ++axis) order.push_back(axis);
  for (int64_t axis : {rank - 2, rank - 1, rank - 4, rank - 3}) order.push_back(axis);
  TensorView* columns = build::permute(fusion, taken, order, name + ".columns");
  const std::vector<IntExpr> sizes = sizesOf(columns);
  IntExprArena& ints = fusion.ints();
  std::vector<IntExpr> shape(sizes.begin(), sizes.end() - 5);
  const size_t channels = sizes.size() - 5;
  shape.push_back(ints.mul(ints.mul(sizes[channels], sizes[channels + 1]), sizes[channels + 2]));
  shape.push_back(ints.mul(sizes[channels + 3], sizes[channels + 4]));
  return build::reshape(fusion, columns, shape, name);
}

}  // namespace fuser::text

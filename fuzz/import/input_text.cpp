#include "fuzz/import/input_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fuser/types/scalar_value.h"
#include "fuzz/import/node_writer.h"

namespace fuser::fuzz {
namespace {

struct Layout {
  std::vector<size_t> order;  // axes from slowest to fastest
  std::string contiguity;     // a word for each entry of it
  bool isContiguous = true;
  Numbers strides;  // those of a contiguous tensor in this order
};

bool isExpanded(const GraphTensor& tensor, size_t axis) { return tensor.shape[axis] > 1 && tensor.strides[axis] == 0; }
bool isBroadcast(const GraphTensor& tensor, size_t axis) { return tensor.shape[axis] == 1 || isExpanded(tensor, axis); }

Layout layoutOf(const GraphTensor& tensor) {
  const size_t rank = tensor.shape.size();
  Layout layout;
  // Axes that store one element keep their places: their strides mean nothing.
  std::vector<size_t> stored;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!isBroadcast(tensor, axis)) stored.push_back(axis);
  }
  std::stable_sort(stored.begin(), stored.end(),
                   [&](size_t a, size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  size_t next = 0;
  for (size_t axis = 0; axis < rank; ++axis) layout.order.push_back(isBroadcast(tensor, axis) ? axis : stored[next++]);
  layout.strides = tensor.strides;
  int64_t stride = 1;
  for (size_t place = rank; place-- > 0;) {
    const size_t axis = layout.order[place];
    std::string word = "none";
    if (isBroadcast(tensor, axis)) {
      layout.strides[axis] = isExpanded(tensor, axis) ? 0 : stride;
    } else {
      const bool isNext = tensor.strides[axis] == stride || tensor.shape[axis] == 0;
      word = isNext ? "true" : "false";
      layout.isContiguous &= isNext;
      stride = tensor.strides[axis] * std::max<int64_t>(tensor.shape[axis], 1);
    }
    layout.contiguity = concat(word, layout.contiguity.empty() ? "" : ", ", layout.contiguity);
  }
  return layout;
}

std::string recipeText(const GraphTensor& tensor, uint64_t seed) {
  if (tensor.dtype == DataType::Bool) return concat("integers(seed = ", seed, ", low = 0, high = 2)");
  if (!isFloating(tensor.dtype)) {
    constexpr std::pair<double, double> kUnseen{0, 7};
    constexpr double kMost = 0x1p53 - 1;  // the recipe's limit
    const auto [least, greatest] = tensor.range.value_or(kUnseen);
    const double low = std::clamp(least, -kMost, kMost), high = std::clamp(greatest, -kMost, kMost);
    return concat("integers(seed = ", seed, ", low = ", static_cast<int64_t>(low),
                  ", high = ", static_cast<int64_t>(high) + 1, ")");
  }
  if (!tensor.range) return concat("normal(seed = ", seed, ")");
  const auto [low, high] = *tensor.range;
  return concat("uniform(seed = ", seed, ", low = ", ScalarValue(low),
                ", high = ", ScalarValue(low < high ? high : low + 1), ")");
}

}  // namespace

std::string typeText(const GraphTensor& tensor, const std::function<std::string(int64_t)>& sizeText) {
  const Layout layout = layoutOf(tensor);
  std::string axes;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const std::string size = tensor.shape[axis] == 1 ? "1" : sizeText(tensor.shape[axis]);
    axes += concat(axis ? ", " : "", isExpanded(tensor, axis) ? "1*" : "", size);
  }
  std::string words;
  if (!std::is_sorted(layout.order.begin(), layout.order.end())) {
    words = concat("allocation_order = ", listText(Numbers(layout.order.begin(), layout.order.end())));
  }
  if (!layout.isContiguous) words += concat(words.empty() ? "" : ", ", "contiguity = [", layout.contiguity, "]");
  return concat(tensor.dtype, "[", axes, "]", words.empty() ? "" : concat(" {", words, "}"));
}

std::string dataText(const GraphTensor& tensor, uint64_t seed) {
  const Layout layout = layoutOf(tensor);
  const std::string strides = layout.isContiguous ? "" : concat(" {strides = ", listText(layout.strides), "}");
  return concat(recipeText(tensor, seed), " : ", tensor.dtype, listText(tensor.shape), strides);
}

}  // namespace fuser::fuzz

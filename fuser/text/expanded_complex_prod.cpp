// prod of complex values: reductions of the language are of real numbers, so it is a tree of products.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/complex_values.h"

namespace fuser::text {
namespace {

constexpr int64_t kMostFactors = 64;  // a kernel computes them all in line

// The places [start, end) of an axis of both parts.
ComplexOperand sliced(Fusion& fusion, const ComplexOperand& value, size_t axis, int64_t start, int64_t end,
                      const std::string& name) {
  IntExprArena& ints = fusion.ints();
  const auto part = [&](Val* of, const char* ending) {
    return build::slice(fusion, of->as<TensorView>(), static_cast<int64_t>(axis), ints.constant(start),
                        ints.constant(end), ints.constant(1), name + ending);
  };
  return {part(value.real, ".re"), part(value.imaginary, ".im")};
}

// Each of the first half of the places times that of the second half, and so on; a place that is left over counts last.
ComplexOperand productAlong(Fusion& fusion, ComplexOperand value, size_t axis, int64_t size, const std::string& name) {
  const auto times = [&](const ComplexOperand& a, const ComplexOperand& b, const std::string& to) -> ComplexOperand {
    const ComplexValue product = complexProduct(fusion, {a, b}, {}, to).value;
    return {product.real, product.imaginary};
  };
  std::vector<ComplexOperand> rest;
  for (; size > 1; size /= 2) {
    const std::string step = concat(name, ".of", size);
    if (size % 2 == 1) rest.push_back(sliced(fusion, value, axis, size - 1, size, step + ".rest"));
    value = times(sliced(fusion, value, axis, 0, size / 2, step + ".first"),
                  sliced(fusion, value, axis, size / 2, size / 2 * 2, step + ".second"), step);
  }
  for (size_t i = 0; i < rest.size(); ++i) value = times(value, rest[i], concat(name, ".left", i));
  return value;
}

}  // namespace

ComplexResult complexProd(Fusion& fusion, const std::vector<ComplexOperand>& operands,
                          const NamedAttributes& attributes, const std::string& name) {
  ComplexOperand value = operands[0];
  auto* tensor = value.real->as<TensorView>();
  std::vector<int64_t> axes;
  for (int64_t dim = 0; dim < static_cast<int64_t>(tensor->rank()); ++dim) axes.push_back(dim);
  if (attributes.has(AttributeName::dims) && !attributes.axes(AttributeName::dims).empty()) {
    axes.clear();
    for (int64_t dim : attributes.axes(AttributeName::dims)) {
      const auto axis = static_cast<int64_t>(axisOf("prod", tensor, dim));
      FUSER_USER_CHECK(std::find(axes.begin(), axes.end(), axis) == axes.end(), "prod: dim ", dim, " is given twice");
      axes.push_back(axis);
    }
  }
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  for (int64_t axis : axes) {
    const IntExpr size = sizes[static_cast<size_t>(axis)];
    FUSER_USER_CHECK(size->isConstant() && size->value > 0 && size->value <= kMostFactors,
                     "prod of complex values is a product of slices: it takes axes whose sizes the text gives, from 1 "
                     "to ",
                     kMostFactors, "; axis ", axis, " of ", fuser::typeText(tensor), " is another one");
    value = productAlong(fusion, value, static_cast<size_t>(axis), size->value, concat(name, ".dim", axis));
  }
  const bool keeps = axes.empty() || attributes.flagOr(AttributeName::keepdim, false);
  const auto finished = [&](Val* part, const std::string& to) {
    auto* made = part->as<TensorView>();
    return keeps ? build::set(fusion, made, to) : build::squeeze(fusion, made, axes, to);
  };
  return {{finished(value.real, name + ".re"), finished(value.imaginary, name + ".im")}, nullptr};
}

}  // namespace fuser::text

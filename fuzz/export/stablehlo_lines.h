#pragma once
// An expression that is being written in StableHLO, and what several rows of stablehlo.def are written with.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/export/expr_in_run.h"
#include "fuzz/export/stablehlo_ops.h"

namespace fuser::fuzz::stablehlo {

using Sizes = std::vector<int64_t>;

class Lines : public ExprInRun {
 public:
  Lines(StablehloBody& body, const Expr* expr, ExpressionEvaluator& sizes, const StablehloValueOf& valueOf)
      : ExprInRun(expr, sizes), body_(body), valueOf_(valueOf) {}

  StablehloBody& body() const { return body_; }

  // An operand, in its own dtype. A literal has `dtype` and `sizes`.
  StablehloValue operand(size_t i, DataType dtype, const Sizes& sizes = {}) const {
    if (const ScalarValue* number = literal(i)) return body_.constant(*number, dtype, sizes);
    return valueOf_(expr()->input(i));
  }
  StablehloValue operand(size_t i) const { return operand(i, expr()->input(i)->dtype()); }
  StablehloValue cast(const StablehloValue& value, DataType dtype) const { return body_.cast(value, dtype); }

 private:
  StablehloBody& body_;
  const StablehloValueOf& valueOf_;
};

std::string listed(const Sizes& numbers);  // "[1, 2]"
// The text with each {name} replaced by its word.
std::string filled(std::string_view text, const std::vector<std::pair<std::string, std::string>>& words);

StablehloValue reshapedTo(const Lines& lines, const StablehloValue& value, const Sizes& sizes);
StablehloValue iota(const Lines& lines, size_t axis, const Sizes& sizes);
StablehloValue slicedAt(const Lines& lines, const StablehloValue& value, size_t axis, int64_t start, int64_t end,
                        int64_t step);
StablehloValue joinedAlong(const Lines& lines, const std::vector<StablehloValue>& parts, size_t axis);
// What every number of the dtype replaces: in a maximum (sign 1) the least, in a minimum (-1) the greatest.
ScalarValue lowest(DataType dtype, int64_t sign);

// --- stablehlo_indexed.cpp ---
StablehloValue gathered(const Lines& lines);
StablehloValue scattered(const Lines& lines);
StablehloValue extremeIndex(const Lines& lines);

}  // namespace fuser::fuzz::stablehlo

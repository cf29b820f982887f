#include "fuser/analysis/axis_map.h"

#include <algorithm>
#include <numeric>

namespace fuser {
namespace {

bool contains(const std::vector<int64_t>& dims, size_t axis) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
}

}  // namespace

std::vector<int> producerAxes(const Expr* expr, const TensorView* producer) {
  const size_t rank = expr->output()->as<TensorView>()->domain().logical.size();
  const std::vector<int64_t>& dims = expr->attributes().dims;
  std::vector<int> map(rank);
  std::iota(map.begin(), map.end(), 0);
  switch (expr->family()) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary:
    case Family::Cast:
    case Family::LoadStore:
    case Family::Expand:
    case Family::Reduction:
    case Family::Welford: return map;
    case Family::Permute: return {dims.begin(), dims.end()};
    case Family::Broadcast: {
      int next = 0;
      for (size_t axis = 0; axis < rank; ++axis) map[axis] = contains(dims, axis) ? -1 : next++;
      return map;
    }
    case Family::Squeeze: {
      map.clear();
      for (size_t axis = 0; axis < producer->rank(); ++axis) {
        if (!contains(dims, axis)) map.push_back(static_cast<int>(axis));
      }
      return map;
    }
    case Family::Factory:
    case Family::Range:
    case Family::Size:
    case Family::Item: break;
  }
  FUSER_CHECK(false, opName(expr->op()), " reads no tensor's elements");
}

}  // namespace fuser

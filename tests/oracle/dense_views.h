#pragma once
// Views of dense arrays: elements at other coordinates, element by element, for engines of the tests' own.

#include <algorithm>
#include <vector>

#include "fuser/ir/tensor_view.h"
#include "fuser/ops/op_eval.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {

// `sizes`: those that the program gives the result; `numbers`: the op's sizes and bounds, in the order of its row.
inline DenseArray viewOf(const fuser::Expr& expr, const std::vector<DenseArray>& x, const fuser::Dims& sizes,
                         const std::vector<int64_t>& numbers) {
  using fuser::Dims;
  using fuser::Family;
  if (expr.family() == Family::Reshape) return x[0].reshaped(sizes);
  const size_t rank = x[0].sizes.size();
  if (expr.family() == Family::Repeat) {
    return x[0].collected(sizes, [&](Dims index) {
      Dims inner(rank, 0);
      for (size_t i = 0; i < rank; ++i) inner[i] = index[i + index.size() - rank] % x[0].sizes[i];
      return x[0].at(inner);
    });
  }
  if (expr.family() == Family::Flip) {
    return x[0].collected(sizes, [&](Dims index) {
      for (int64_t dim : expr.attributes().dims()) {
        index[static_cast<size_t>(dim)] = sizes[static_cast<size_t>(dim)] - 1 - index[static_cast<size_t>(dim)];
      }
      return x[0].at(index);
    });
  }
  if (expr.family() == Family::Pad) {
    const DenseArray fill = x[1].cast(x[0].dtype);
    return x[0].collected(sizes, [&](Dims index) {
      for (size_t i = 0; 2 * i < numbers.size(); ++i) {
        int64_t& at = index[rank - 1 - i];
        at -= numbers[2 * i];
        if (at < 0 || at >= x[0].sizes[rank - 1 - i]) return fill.at({});
      }
      return x[0].at(index);
    });
  }
  const size_t dim = static_cast<size_t>(expr.attributes().dim());
  if (expr.family() == Family::Cat) {
    return x[0].collected(sizes, [&](Dims index) {
      size_t operand = 0;
      while (index[dim] >= x[operand].sizes[dim]) index[dim] -= x[operand++].sizes[dim];
      return x[operand].at(index);
    });
  }
  if (expr.family() == Family::Select) {
    return x[0].collected(sizes, [&](Dims index) {
      index.insert(dim, numbers[0] < 0 ? numbers[0] + x[0].sizes[dim] : numbers[0]);
      return x[0].at(index);
    });
  }
  if (expr.family() == Family::Unfold) {
    return x[0].collected(sizes, [&](Dims index) {
      index[dim] = index[dim] * numbers[1] + index.back();
      index.erase(index.size() - 1);
      return x[0].at(index);
    });
  }
  if (expr.family() == Family::Gather) {
    return x[0].collected(sizes, [&](Dims index) {
      fuser::int64 place = 0;
      fuser::convertFunction(x[1].dtype, fuser::DataType::Int64)(x[1].at(index), &place, 1);
      index[dim] = place;
      return x[0].at(index);
    });
  }
  if (expr.family() == Family::SliceScatter) {
    int64_t first = numbers[0] < 0 ? numbers[0] + sizes[dim] : numbers[0];
    first = std::clamp<int64_t>(first, 0, sizes[dim]);
    return x[0].collected(sizes, [&](Dims index) {
      for (int64_t i = 0; i < x[1].sizes[dim]; ++i) {
        if (first + i * numbers[2] != index[dim]) continue;
        index[dim] = i;
        return x[1].at(index);
      }
      return x[0].at(index);
    });
  }
  const int64_t bound = numbers[0] < 0 ? numbers[0] + x[0].sizes[dim] : numbers[0];
  const int64_t start = std::clamp<int64_t>(bound, 0, x[0].sizes[dim]);
  return x[0].collected(sizes, [&](Dims index) {
    index[dim] = start + index[dim] * numbers[2];
    return x[0].at(index);
  });
}

}  // namespace oracle_test

#pragma once
// What the adversary makes of ops whose elements name places: scatter, whose sums come in any order, and argmax.

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "fuser/ir/expr.h"
#include "fuser/ops/op_eval.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {

// x: the tensor, indices, elements. Those are added in an order that is drawn, in the dtype that computes, or the last
// one counts. Of an index out of its range nothing is written.
inline DenseArray scattered(const fuser::Expr& expr, const std::vector<DenseArray>& x, std::mt19937_64& random) {
  using fuser::DataType;
  const auto dim = static_cast<size_t>(expr.attributes().dim());
  const bool adds = expr.op() == fuser::OpKind::ScatterAdd;
  const DataType dtype = x[0].dtype, compute = adds ? fuser::computeType(dtype) : dtype;
  const DenseArray indices = x[1].cast(DataType::Int64), source = x[2].cast(compute);
  DenseArray result = x[0].cast(compute).copy();
  const fuser::Dims strides = fuser::contiguousStrides(result.sizes);
  fuser::Dims others = strides;
  others[dim] = 0;
  struct Hit {
    int64_t to, from;
  };
  std::vector<Hit> hits;
  oracle::forEachOffset<3>(indices.sizes,
                           {fuser::contiguousStrides(indices.sizes), fuser::contiguousStrides(source.sizes), others},
                           [&](const std::array<int64_t, 3>& at) {
                             const int64_t index = indices.as<fuser::int64>()[at[0]];
                             if (index >= 0 && index < result.sizes[dim])
                               hits.push_back({at[2] + index * strides[dim], at[1]});
                           });
  if (adds) std::shuffle(hits.begin(), hits.end(), random);
  const auto size = static_cast<int64_t>(fuser::dtypeSize(compute));
  for (const Hit& hit : hits) {
    std::byte* to = result.data() + hit.to * size;
    const std::byte* from = source.data() + hit.from * size;
    if (adds) {
      fuser::laneFunction(fuser::OpKind::Add, compute)(to, from, nullptr, to, 1);
    } else {
      std::copy(from, from + size, to);
    }
  }
  return result.cast(dtype);
}

// The first one among those that no other is beyond; NaN is beyond all numbers.
inline DenseArray extremeIndex(const fuser::Expr& expr, const DenseArray& x) {
  using fuser::DataType;
  const bool greatest = expr.op() == fuser::OpKind::Argmax;
  const DenseArray rows = x.reducedLast(expr.attributes().dims());  // [kept…, terms]
  const int64_t terms = rows.sizes.back();
  fuser::Dims kept = rows.sizes;
  kept.erase(kept.size() - 1);
  DenseArray result(DataType::Int64, kept);
  fuser::dispatch(x.dtype, [&]<class T>() {
    const auto isBeyond = [&](T first, T second) {
      if constexpr (std::is_integral_v<T>) {
        return greatest ? first > second : first < second;
      } else {
        const double a = fuser::convert<double>(first), b = fuser::convert<double>(second);
        return b == b && (a != a || (greatest ? a > b : a < b));
      }
    };
    for (size_t row = 0; row < result.count(); ++row) {
      const T* numbers = rows.as<T>() + row * static_cast<size_t>(terms);
      int64_t best = 0;
      for (int64_t i = 1; i < terms; ++i) {
        if (isBeyond(numbers[i], numbers[best])) best = i;
      }
      result.as<fuser::int64>()[row] = best;
    }
    return 0;
  });
  return result;
}

}  // namespace oracle_test

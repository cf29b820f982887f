#pragma once
// What the adversary makes of scatter and scatter_add: sums in any order, of the dtype that computes.

#include <algorithm>
#include <random>
#include <vector>

#include "fuser/ops/op_eval.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {

// x: the tensor, indices along `dim`, elements. `adds`: they are added, in an order that is drawn; else the last one
// counts. Indices are in range.
inline DenseArray scattered(const std::vector<DenseArray>& x, size_t dim, bool adds, std::mt19937_64& random) {
  using fuser::DataType;
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
                             hits.push_back({at[2] + indices.as<fuser::int64>()[at[0]] * strides[dim], at[1]});
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

}  // namespace oracle_test

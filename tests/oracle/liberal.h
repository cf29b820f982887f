#pragma once
// A correct engine of another kind: it takes the liberties of a profile (oracle/profile.h), at each place by chance.

#include <random>
#include <set>
#include <span>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"
#include "oracle/profile.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {

// The ops that it knows; beside them what a builder inserts: casts, unsqueeze, expand.
const std::set<fuser::OpKind>& liberalOps();

// The outputs.
std::vector<DenseArray> runLiberally(const fuser::Fusion& fusion, std::span<const fuser::HostValue> inputs,
                                     const oracle::Profile& profile, std::mt19937_64& random);

}  // namespace oracle_test

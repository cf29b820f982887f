#pragma once
// A correct engine with the worst permitted errors (oracle/ORACLE.md#an-adversarial-correct-engine). It draws segments,
// stores or recomputes what they share (anew, so that copies differ), any error that the column allows, any reduction
// tree (and records its depth), either sign of zero if both are correct, and contraction or not.

#include <random>
#include <span>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"

namespace oracle_test {

struct Adversary {
  bool contraction = false;
  bool probes = false;  // each op reads stored copies; every tensor is in the record
  int maxSegments = 4;
  double errorScale = 1;  // of the error columns: above 1 the engine is wrong, for tests of the judge
};

fuser::RunRecord runAdversarially(const fuser::Fusion& fusion, std::span<const fuser::HostValue> inputs,
                                  const Adversary& adversary, std::mt19937_64& random);

}  // namespace oracle_test

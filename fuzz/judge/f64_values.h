#pragma once
// What elements of a case are in f64, for people who compare a wrong one with it.

#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// The same program on the same inputs, by LibTorch, with f64 in place of every floating dtype; the inputs keep their
// numbers. One text a place, "0.25"; "" where that program has no such element, or LibTorch does not run it. `run`: the
// index of the case's run.
std::vector<std::string> f64ValuesOf(const Case& testCase, size_t run, const std::vector<WrongPlace>& places);

}  // namespace fuser::fuzz

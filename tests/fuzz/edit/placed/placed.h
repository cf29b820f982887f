#pragma once
// Adds streams, devices or memory to cases, for tests.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

enum class What : uint8_t { Plain, Streams, Memory, StreamsAndMemory, Devices };
constexpr What kAll[] = {What::Plain, What::Streams, What::Memory, What::StreamsAndMemory, What::Devices};

// Adds the placement to the case; false if the case cannot have it.
bool give(Case& testCase, What what, Choices& choices);

}  // namespace fuser::fuzz

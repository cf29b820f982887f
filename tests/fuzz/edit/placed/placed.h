#pragma once
// Cases with streams, devices or memory, as a test wants them.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

enum class What : uint8_t { Plain, Streams, Memory, StreamsAndMemory, Devices };
constexpr What kAll[] = {What::Plain, What::Streams, What::Memory, What::StreamsAndMemory, What::Devices};

// Gives the case what it has not yet; false where it can have none of it.
bool give(Case& testCase, What what, Choices& choices);

}  // namespace fuser::fuzz

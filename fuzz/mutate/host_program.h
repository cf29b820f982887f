#pragma once
// Mutations of a host program: one change of its full text, as toString(HostIrContainer) prints it. The parser or the
// verifier may reject the result, a checked run may report it, or it may be equally good; each mutation states which.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

struct HostMutation {
  std::string_view name;
  std::string_view summary;
  // Changes the lines of the program, which include "return" and the last "}"; false if it does not apply.
  bool (*apply)(std::vector<std::string>& lines, Choices& choices);
  // Every result is wrong: the verifier rejects it, or a checked run reports it.
  bool alwaysWrong = false;
  // A result computes the same values, or is rejected or reported; it never silently computes other values.
  bool neverUnseen = false;
};
std::span<const HostMutation> hostMutations();

// nullopt if it does not apply.
std::optional<std::string> mutateHostProgram(const std::string& program, const HostMutation& mutation,
                                             Choices& choices);

}  // namespace fuser::fuzz

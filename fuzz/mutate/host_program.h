#pragma once
// Mutations of a host program: one thing changed in its full text, as toString(HostIrContainer) prints it. What comes
// of it may be refused by the parser or the verifier, may run and be reported, or may be as good a program: who calls
// this says which.

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
  // Of the lines of the program, "return" and "}" at its end included; false where there is no place for it.
  bool (*apply)(std::vector<std::string>& lines, Choices& choices);
  // Every program that comes of it is wrong: the verifier refuses it, or a checked run reports it.
  bool alwaysWrong = false;
  // What comes of it gives the same results, or is refused or reported: other results without a word never do.
  bool neverUnseen = false;
};
std::span<const HostMutation> hostMutations();

// Nullopt where there is no place for it.
std::optional<std::string> mutateHostProgram(const std::string& program, const HostMutation& mutation,
                                             Choices& choices);

}  // namespace fuser::fuzz

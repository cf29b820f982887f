#pragma once
// The program beside a finding: its case for people without fuser (fuzz/export).

#include <string>

namespace fuser::fuzz {

// The case as a PyTorch script. "" where it has none: the text is no case, or has an op that PyTorch does not know.
std::string programOf(const std::string& caseText);

// The name of that script, beside the case: "mismatch-….py".
std::string programName(const std::string& caseFile);

}  // namespace fuser::fuzz

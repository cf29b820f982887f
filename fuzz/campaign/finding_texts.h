#pragma once
// Texts of a finding to take away: a file for corpus/regressions, and a test.

#include <string>

namespace fuser::fuzz {

// "sum-over-dim-0-is-wrong.fusion" of a title, or of another text.
std::string regressionName(const std::string& title);
// The case as corpus/README.md wants it: behind a comment that says what went wrong, and in which stage ("": unknown).
std::string regressionOf(const std::string& title, const std::string& stage, const std::string& caseText);
// A .cpp file with one test, which fails as long as the finding is there.
std::string testOf(const std::string& title, const std::string& caseText);

}  // namespace fuser::fuzz

#pragma once
// The runner of golden files: each case of a file becomes a test that compares the output of a stage with the expected
// answers. FUSER_UPDATE=1 in the environment updates the answers in the files instead, for a person to review and
// commit; heads, notes, options and inputs stay unchanged.

#include <functional>
#include <string>
#include <vector>

#include "tests/golden/golden_file.h"

namespace golden {

// The output of a stage for a case: one text without a label, or several with labels. A stage that fails, by EXPECT_…
// or an exception, updates nothing.
struct Made {
  Made(std::string text) : answers{{"", std::move(text)}} {}
  Made(Answers all) : answers(std::move(all)) {}
  Answers answers;
};
using Stage = std::function<Made(const Case&)>;

// Use at namespace scope: registers the cases of a file, or of each *.txt of a folder, as tests of this program. A case
// of tests/fuser/passes/move_pad.txt titled "an input that is read twice is padded once" is the test
// MovePadText.AnInputThatIsReadTwiceIsPaddedOnce. A file that cannot be read, has no cases or has
// duplicate names becomes a failing test.
struct Texts {
  // `path` starts at the repository root. `keys`: the options that cases may have (golden_file.h).
  Texts(const std::string& path, const std::vector<std::string>& keys, const Stage& stage);
};

// "MovePadText" for ".../move_pad.txt".
std::string suiteName(const std::string& path);

// "AnInputThatIsReadTwiceIsPaddedOnce" for "an input that is read twice is padded once".
std::string testName(const std::string& title);

// Compares the answers, or with `update` writes them. `keys` as for Texts.
void check(const Case& each, const std::vector<std::string>& keys, const Stage& stage, bool update);

}  // namespace golden

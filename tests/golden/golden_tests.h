#pragma once
// The runner of golden texts: each case of a file becomes a test, which compares what a stage makes of its input with
// the answers that the file holds. FUSER_UPDATE=1 in the environment writes what differs into the files instead, for a
// person to read and commit; heads, notes, options and inputs stay as they are.

#include <functional>
#include <string>
#include <vector>

#include "tests/golden/golden_file.h"

namespace golden {

// What a stage makes of a case: one text without a label, or several with theirs. It may fail in ways of its own, by
// EXPECT_… or an exception; then nothing is written.
struct Made {
  Made(std::string text) : answers{{"", std::move(text)}} {}
  Made(Answers all) : answers(std::move(all)) {}
  Answers answers;
};
using Stage = std::function<Made(const Case&)>;

// At namespace scope: makes the cases of a file, or of each *.txt of a folder, tests of this program. A case of
// tests/fuser/passes/move_pad.txt titled "an input that is read twice is padded once" is the test
// MovePadText.AnInputThatIsReadTwiceIsPaddedOnce. A file that cannot be read, has no cases or gives two the same name
// is a test that fails.
struct Texts {
  // `path` starts at the repository root. `keys`: the options that cases may have (golden_file.h).
  Texts(const std::string& path, const std::vector<std::string>& keys, const Stage& stage);
};

// "MovePadText" for ".../move_pad.txt".
std::string suiteName(const std::string& path);

// "AnInputThatIsReadTwiceIsPaddedOnce" for "an input that is read twice is padded once".
std::string testName(const std::string& title);

// Compares, or with `update` writes: what a test does. `keys` as for Texts.
void check(const Case& each, const std::vector<std::string>& keys, const Stage& stage, bool update);

}  // namespace golden

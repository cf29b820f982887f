#include "fuzz/judge/rewrite_texts.h"

#include "fuser/analysis/compile_observer.h"
#include "fuser/text/printer.h"
#include "fuzz/judge/first_compilation.h"

namespace fuser::fuzz {
namespace {

// Leaves the compiler behind the passes.
struct Passed {};

class LastProgram : public CompileObserver {
 public:
  void afterPasses(Fusion& fusion) override {
    text_ = printFusion(fusion);
    throw Passed{};
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string programAfter(int64_t rewrites, const Case& testCase) {
  Case limited = cloneCase(testCase);
  limited.options.passLimit = rewrites;
  LastProgram program;
  try {
    compileFirstRun(limited, program, [](const FirstCompilation&) {});
  } catch (const Passed&) {
  }
  return program.text();
}

}  // namespace

RewriteTexts textsOf(const GuiltyRewrite& rewrite, const Case& testCase) {
  return {programAfter(rewrite.number - 1, testCase), programAfter(rewrite.number, testCase)};
}

}  // namespace fuser::fuzz

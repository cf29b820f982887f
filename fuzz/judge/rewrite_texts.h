#pragma once
// The two texts of a guilty rewrite: the program behind the passes without it, and with it.

#include <string>

#include "fuser/case/case.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {

struct RewriteTexts {
  std::string before, after;
};
// For the case's first run. Errors of the case are those of the compiler; call it in a worker.
RewriteTexts textsOf(const GuiltyRewrite& rewrite, const Case& testCase);

}  // namespace fuser::fuzz

// One run of several, or all but one.
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropRuns(Search& search) {
  bool progress = false;
  const size_t count = search.best().runs.size();
  for (size_t i = 0; i < count && search.best().runs.size() > 1; ++i) {
    const bool alone = search.attempt([&](CaseEdit& edit) {
      edit.runs = {edit.runs[i]};
      return true;
    });
    if (alone) return true;
  }
  for (size_t i = search.best().runs.size(); i-- > 0 && search.best().runs.size() > 1;) {
    progress |= search.attempt([&](CaseEdit& edit) {
      edit.runs.erase(edit.runs.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
  }
  return progress;
}

}  // namespace fuser::fuzz

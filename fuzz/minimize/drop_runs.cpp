// One run of several, or all but one.
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropRuns(Search& search) {
  bool progress = false;
  const size_t count = search.best().runs.size();
  for (size_t i = 0; i < count && search.best().runs.size() > 1; ++i) {
    Case alone = cloneCase(search.best());
    alone.runs = {alone.runs[i]};
    if (search.attempt(alone)) return true;
  }
  for (size_t i = search.best().runs.size(); i-- > 0 && search.best().runs.size() > 1;) {
    Case fewer = cloneCase(search.best());
    fewer.runs.erase(fewer.runs.begin() + static_cast<std::ptrdiff_t>(i));
    progress |= search.attempt(fewer);
  }
  return progress;
}

}  // namespace fuser::fuzz

#include <algorithm>

#include "fuser/analysis/compile_context.h"

namespace fuser {

void Trace::add(const std::string& name, std::chrono::nanoseconds time) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& candidate) { return candidate.name == name; });
  if (row == rows_.end()) row = rows_.insert(rows_.end(), Row{name, {}, 0});
  row->total += time;
  ++row->count;
}

}  // namespace fuser

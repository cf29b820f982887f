#pragma once
// The names of a fusion's values and extents as Python's names.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuser/text/value_names.h"

namespace fuser::fuzz {

// A name keeps its letters; '.' becomes '_'. One that Python or the script has taken gets '_' behind it.
class PythonNames {
 public:
  explicit PythonNames(const Fusion& fusion);

  const std::string& of(const Val* val) const { return values_.at(val->id()); }
  // A size, count or bound: "i0", "4", "(i0 * 4 + 1)".
  std::string dim(IntExpr dim) const;
  // A name that nothing has yet: "y", or "y_" beside a "y".
  std::string fresh(const std::string& wanted);

 private:
  const Fusion& fusion_;
  ValueNames names_;                            // of the .fusion text
  std::vector<std::string> values_;             // by id
  std::map<std::string, std::string> symbols_;  // by the name in the .fusion text, values' with '%'
  std::set<std::string> taken_;
};

}  // namespace fuser::fuzz

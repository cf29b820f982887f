#pragma once
// FreshNames: generates unique names for values that passes add to a fusion.

#include <set>
#include <string>
#include <string_view>

#include "fuser/ir/fusion.h"

namespace fuser {

class FreshNames {
 public:
  // `kind` is the infix between the base name and the number: "s" gives "x.s0", "y.s1".
  FreshNames(const Fusion& fusion, std::string_view kind) : kind_(kind) {
    for (const std::unique_ptr<Val>& val : fusion.allVals()) names_.insert(val->name());
  }

  std::string of(const Val* val) {
    std::string name;
    do {
      name = concat(val->name(), ".", kind_, nextNumber_++);
    } while (!names_.insert(name).second);
    return name;
  }

 private:
  std::string kind_;
  std::set<std::string> names_;
  size_t nextNumber_ = 0;
};

}  // namespace fuser

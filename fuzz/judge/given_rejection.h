#pragma once
// Rejection: what the judge keeps of a UserError.

#include <string>
#include <string_view>

#include "fuser/support/rejection.h"

namespace fuser::fuzz {

struct Rejection {
  std::string text;
  std::string_view name;  // on the list of rejections (rejections.def); "" for none
  bool isIndex = false;   // of the data, out of range
};

inline Rejection rejectionOf(const UserError& error) {
  const auto* listed = dynamic_cast<const ListedRejection*>(&error);
  return {error.what(), listed ? rejectionName(listed->id()) : std::string_view(),
          dynamic_cast<const BadIndexError*>(&error) != nullptr};
}

}  // namespace fuser::fuzz

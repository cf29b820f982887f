#pragma once
// Source positions of a case's statements. Errors of later stages name a statement or a value; these positions turn
// such a message into a located one.

#include <map>
#include <string>
#include <string_view>

#include "fuser/support/diagnostic.h"

namespace fuser {

struct CasePlaces {
  std::string file;
  // Keyed by the statement: "%t" (its definition), "update %t = %u", "stream %t", "shard %t", "mesh", "mesh %t", "alias
  // %y", "preallocate %y", "schedule", "schedule step 1", "schedule segment 0", "schedule segment 0: schedule step 1",
  // "option disable pass DeadCodePass".
  std::map<std::string, SourcePlace, std::less<>> of;

  // The position as a prefix of a message, "case.fusion:3:21: "; "" when it is unknown.
  std::string before(std::string_view what) const;
};

// Prefixes a message with a position: "case.fusion:5:1: stream %t {dim = 0}: …". The position is that of the statement
// that the message begins with, else of the first value that it names; without either the message is unchanged.
std::string located(const CasePlaces& places, std::string_view message);

}  // namespace fuser

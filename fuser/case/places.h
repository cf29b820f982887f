#pragma once
// Where the statements of a case stand in the text that it was read from: errors that later stages find name a
// statement or a value, and what reports them says where that is.

#include <map>
#include <string>
#include <string_view>

#include "fuser/support/diagnostic.h"

namespace fuser {

struct CasePlaces {
  std::string file;
  // By what stands there: "%t" (where it is defined), "stream %t", "shard %t", "mesh", "mesh %t", "alias %y",
  // "preallocate %y", "schedule", "schedule step 1", "schedule segment 0", "schedule segment 0: schedule step 1",
  // "option disable pass DeadCodePass".
  std::map<std::string, SourcePlace, std::less<>> of;

  // "case.fusion:3:21: ", or "" where that is not known.
  std::string before(std::string_view what) const;
};

// "case.fusion:5:1: stream %t {dim = 0}: …": the message behind the place of the statement that it begins with; else of
// the first value of the case that it names; else as it is.
std::string located(const CasePlaces& places, std::string_view message);

}  // namespace fuser

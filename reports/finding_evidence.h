#pragma once
// FindingEvidence: what was measured of a finding when it was minimised: expected and given, the guilty rewrite, and
// what the compiler does, as plain data.

#include <string>
#include <vector>

#include "reports/explained_case.h"
#include "reports/fields.h"

namespace reports {

// An element outside its accepted set.
struct WrongElement {
  std::string element;  // "%s[2, 0]"
  int segment = -1;     // that stored it; -1: an output, as the caller got it
  std::string given;    // "0.5"
  std::string accepts;  // "[0.24, 0.26]", "{nan, +inf}"
  std::string f64;      // of the same program on the same inputs in f64; "" if it has no such value
  bool operator==(const WrongElement&) const = default;
};
REPORTS_FIELDS(WrongElement, element, segment, given, accepts, f64)

struct FindingEvidence {
  ExplainedCase explained;             // with the verdict; without steps if another compiler is judged
  std::vector<WrongElement> elements;  // the first wrong op's come first, the worst of them before the others
  std::string stage;                   // that is guilty: "pass DeadCodePass", "schedule split", "kernel"; "": unknown
  std::string guilty;                  // of a pass: which rewrite, in words
  ExplainedPass rewrite;               // the program without this rewrite, and with it; no pass if there is none
  bool operator==(const FindingEvidence&) const = default;
};
REPORTS_FIELDS(FindingEvidence, explained, elements, stage, guilty, rewrite)

}  // namespace reports

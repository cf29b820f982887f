#pragma once
// The calls of a text to names that are made of other ops (expansions.h): a table beside the case that was read, so
// that it prints as it was written (`fuser-opt --keep-composites`). The case itself has the ops alone, and does not
// know it.
//
//   %y = softmax(%x) {dim = -1} : f32[i0, i1]     in place of the lines of %y.max, %y.shifted, …, %y

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/case/case.h"

namespace fuser {

// One call. Values are ids, which clones of the case keep.
struct WrittenCall {
  struct Piece {  // of the text in braces: a value, or else what is between two of them
    std::string text;
    std::optional<size_t> value;
  };

  std::string written() const;  // "%v, %i = sort"

  std::string name;                // "sort"
  std::vector<std::string> names;  // of the results in the text: "%v", "%i"
  std::vector<size_t> results;
  std::vector<size_t> operands;  // those that the ops read: of a tensor on the host beside others, what is made of it
  std::vector<Piece> attributes;
  std::vector<size_t> made;      // by its ops, in their order; results too
  std::vector<std::string> ops;  // as they print when the text is read
  // Of a random op: its place among those of the text, where the text gives it no offset.
  bool isRandom = false;
  std::optional<int64_t> place;
};

// In the order of the text.
using WrittenCalls = std::vector<WrittenCall>;

// Like parseCase() in parser.h; fills the table.
Case parseCase(std::string_view text, const std::string& fileName, WrittenCalls& calls);

// A case with its calls, and why some of them are printed as their ops: "%y = softmax: its ops are others now".
struct CaseWithCalls {
  std::string text;  // reads as the same case: printed without calls, both have the same bytes
  std::vector<std::string> notes;
};

// `calls`: of the text that the case, or what it was cloned or changed from, was read from. A call is kept where the
// case has all its ops as they were read, and nothing but these reads, returns or has the size of what they make on the
// way.
CaseWithCalls printCaseWithCalls(const Case& testCase, const WrittenCalls& calls);

}  // namespace fuser

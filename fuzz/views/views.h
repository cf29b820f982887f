#pragma once
// Views: other ways through the compiler for the same fusion and data, each held against the same intervals. A view is
// itself a case, so that what it finds replays and minimises like any other (views.def).

#include <optional>
#include <span>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser::fuzz {

struct View {
  std::string_view name;     // "one pass off"
  std::string_view summary;  // what it does, for a person
  int oneIn;                 // of so many generated cases one is judged in this view, too
  // Changes a case's options or program, not what it computes. draw: any number; the same gives the same change. False
  // where the case has no place for it.
  bool (*apply)(Case& testCase, uint64_t draw);
};

std::span<const View> allViews();  // in the order of views.def

#define VIEW(function, name, oneIn, summary, file) bool function(Case& testCase, uint64_t draw);
#include "fuzz/views/views.def"
#undef VIEW

// Whether case `number` of a seed is judged in the view, too, and the number that decides the view's choices.
std::optional<uint64_t> viewDraw(const View& view, uint64_t seed, uint64_t number);

// The case in the view, a copy; none where it has no place for it.
std::optional<Case> viewOf(const View& view, const Case& testCase, uint64_t draw);

// Case `number` of a seed in the view of that name, as campaigns judge it. A UserError where no view is called so, or
// the case is not judged in it.
Case viewOf(const std::string& name, const Case& testCase, uint64_t seed, uint64_t number);

}  // namespace fuser::fuzz

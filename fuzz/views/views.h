#pragma once
// Views: other ways to compile the same fusion for the same data, judged by the same intervals. A view is itself a
// case, so that its findings replay and minimize like any other (views.def).

#include <optional>
#include <span>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// What the outputs in a view have in common with those of the case itself.
enum class Outputs : uint8_t {
  Judged,    // they lie in the same sets
  SameBits,  // all bits, where reductions add in the same order; the judge compares them (judge/judge_case.h)
};

enum class Takes : uint8_t {
  AnyOp,    // no op keeps a case from being seen in it
  SomeOps,  // it needs certain ops, streams or devices
};

struct View {
  std::string_view name;     // "one pass off"
  std::string_view summary;  // for people
  int oneIn;                 // one in this many generated cases is also judged in this view
  // Changes a case's options or program, but not what it computes. Equal draws give equal changes. False if the view
  // does not apply to the case.
  bool (*apply)(Case& testCase, uint64_t draw);
  Outputs outputs;
  Takes takes;
};

std::span<const View> allViews();  // in the order of views.def

// The most that the inputs of a run take where no command says otherwise, in bytes.
inline constexpr size_t kMaxInputBytes = size_t{256} << 20;

#define VIEW(function, name, oneIn, outputs, takes, summary, file) bool function(Case& testCase, uint64_t draw);
#include "fuzz/views/views.def"
#undef VIEW

// Whether case `number` of a seed is also judged in the view, and the draw that decides the view's choices.
std::optional<uint64_t> viewDraw(const View& view, uint64_t seed, uint64_t number);
// The same draw for a case that campaigns do not judge in the view, too.
uint64_t drawOf(const View& view, uint64_t seed, uint64_t number);

// A copy of the case in the view; nullopt if the view does not apply.
std::optional<Case> viewOf(const View& view, const Case& testCase, uint64_t draw);

// A UserError that lists the views if none has the name.
const View& viewOfName(const std::string& name);

// Case `number` of a seed in the view of that name, as campaigns judge it where they draw it. A UserError for an
// unknown view, or if the view does not apply.
Case viewOf(const std::string& name, const Case& testCase, uint64_t seed, uint64_t number);

}  // namespace fuser::fuzz

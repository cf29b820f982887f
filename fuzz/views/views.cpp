// The list of views, and which of them a case is judged in.

#include "fuzz/views/views.h"

#include "fuser/support/split_mix.h"

namespace fuser::fuzz {
namespace {

constexpr View kViews[] = {
#define VIEW(function, name, oneIn, outputs, summary, file) {name, summary, oneIn, function, Outputs::outputs},
#include "fuzz/views/views.def"
#undef VIEW
};

}  // namespace

std::span<const View> allViews() { return kViews; }

std::optional<uint64_t> viewDraw(const View& view, uint64_t seed, uint64_t number) {
  uint64_t hash = splitMix64(splitMix64(seed) ^ number);
  for (char c : view.name) hash = splitMix64(hash ^ static_cast<unsigned char>(c));
  if (hash % static_cast<uint64_t>(view.oneIn) != 0) return std::nullopt;
  return splitMix64(hash);
}

std::optional<Case> viewOf(const View& view, const Case& testCase, uint64_t draw) {
  Case copy = cloneCase(testCase);
  if (!view.apply(copy, draw)) return std::nullopt;
  copy.metadata.emplace_back("view", view.name);
  return copy;
}

Case viewOf(const std::string& name, const Case& testCase, uint64_t seed, uint64_t number) {
  std::string known;
  for (const View& view : allViews()) {
    known += concat(known.empty() ? "" : ", ", "'", view.name, "'");
    if (view.name != name) continue;
    const std::optional<uint64_t> draw = viewDraw(view, seed, number);
    FUSER_USER_CHECK(draw.has_value(), "case ", number, " of seed ", seed, " is not judged in the view '", name,
                     "': one case in ", view.oneIn, " is");
    std::optional<Case> seen = viewOf(view, testCase, *draw);
    FUSER_USER_CHECK(seen.has_value(), "case ", number, " of seed ", seed, " has no place for the view '", name, "'");
    return std::move(*seen);
  }
  throwUserError(concat("no view is called '", name, "'; known: ", known));
}

}  // namespace fuser::fuzz

// The list of views, and which of them a case is judged in.

#include "fuzz/views/views.h"

#include "fuser/case/functional_updates.h"
#include "fuser/support/split_mix.h"
#include "fuzz/generate/possible_views.h"

namespace fuser::fuzz {
namespace {

constexpr View kViews[] = {
#define VIEW(function, name, oneIn, outputs, takes, summary, file) \
  {name, summary, oneIn, function, Outputs::outputs, Takes::takes},
#include "fuzz/views/views.def"
#undef VIEW
};

}  // namespace

std::span<const View> allViews() { return kViews; }

namespace {

uint64_t hashOf(const View& view, uint64_t seed, uint64_t number) {
  uint64_t hash = splitMix64(splitMix64(seed) ^ number);
  for (char c : view.name) hash = splitMix64(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

std::optional<uint64_t> viewDraw(const View& view, uint64_t seed, uint64_t number) {
  const uint64_t hash = hashOf(view, seed, number);
  if (hash % static_cast<uint64_t>(view.oneIn) != 0) return std::nullopt;
  return splitMix64(hash);
}

uint64_t drawOf(const View& view, uint64_t seed, uint64_t number) { return splitMix64(hashOf(view, seed, number)); }

std::optional<Case> viewOf(const View& view, const Case& testCase, uint64_t draw) {
  Case copy = functionalCase(testCase);
  if (!view.apply(copy, draw)) return std::nullopt;
  keepPossibleViews(*copy.fusion);
  copy.metadata.emplace_back("view", view.name);
  return copy;
}

const View& viewOfName(const std::string& name) {
  std::string known;
  for (const View& view : allViews()) {
    known += concat(known.empty() ? "" : ", ", "'", view.name, "'");
    if (view.name == name) return view;
  }
  throwUserError(concat("no view is called '", name, "'; known: ", known));
}

Case viewOf(const std::string& name, const Case& testCase, uint64_t seed, uint64_t number) {
  const View& view = viewOfName(name);
  std::optional<Case> seen = viewOf(view, testCase, drawOf(view, seed, number));
  FUSER_USER_CHECK(seen.has_value(), "case ", number, " of seed ", seed, " has no place for the view '", name, "'");
  return std::move(*seen);
}

}  // namespace fuser::fuzz

#pragma once
// The profiles of the targets: rows of profiles.def and function_errors.def.

#include <set>
#include <span>
#include <string_view>

#include "oracle/profile.h"

namespace fuser::fuzz {

enum class Basis : uint8_t { Probed, Documented };

struct LibertyRow {
  std::string_view target;
  bool oracle::Profile::*liberty;
  Basis basis;
  std::string_view source;
};
std::span<const LibertyRow> libertyRows();

struct Probe {
  bool oracle::Profile::*liberty;
  std::string_view liberties;  // the field's name
  std::string_view program;    // of probes/
};
std::span<const Probe> allProbes();
// Its text.
std::string_view textOf(const Probe& probe);

// The target's profile; null: it has no row, and is judged where values are exact alone. It lives as long as the
// program.
const oracle::Profile* profileOf(std::string_view target);

// The ops that are judged under the profile in f32. In another dtype a function may have no row: mostly, because the
// target has no kernel.
std::set<OpKind> judgedOps(const oracle::Profile& profile);

}  // namespace fuser::fuzz

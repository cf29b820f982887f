#include "fuzz/compilers/profiles.h"

#include <map>

#include "fuser/ops/op_table.h"
#include "fuser/support/check.h"
#include "fuzz/export/embedded_files.h"

namespace fuser::fuzz {
namespace {

constexpr LibertyRow kLiberties[] = {
#define PROBE(...)
#define LIBERTY(target, liberty, basis, source) {target, &oracle::Profile::liberty, Basis::basis, source},
#include "fuzz/compilers/profiles.def"
#undef LIBERTY
#undef PROBE
};

constexpr Probe kProbes[] = {
#define PROBE(liberty, program) {&oracle::Profile::liberty, #liberty, program},
#define LIBERTY(...)
#include "fuzz/compilers/profiles.def"
#undef LIBERTY
#undef PROBE
};

struct FunctionRow {
  std::string_view target;
  oracle::FunctionError error;
};
const FunctionRow kFunctions[] = {
#define FUNCTION(target, op, dtype, ulps, most) {target, {OpKind::op, DataType::dtype, ulps, most}},
#include "fuzz/compilers/function_errors.def"
#undef FUNCTION
};

std::map<std::string_view, oracle::Profile> readProfiles() {
  std::map<std::string_view, oracle::Profile> profiles;
  for (const LibertyRow& row : kLiberties) profiles[row.target].*row.liberty = true;
  for (const FunctionRow& row : kFunctions) profiles[row.target].functions.push_back(row.error);
  return profiles;
}

}  // namespace

std::span<const LibertyRow> libertyRows() { return kLiberties; }
std::span<const Probe> allProbes() { return kProbes; }

std::string_view textOf(const Probe& probe) {
  return embeddedFile(concat("fuzz/compilers/probes/", probe.program, ".fusion"));
}

const oracle::Profile* profileOf(std::string_view target) {
  static const std::map<std::string_view, oracle::Profile> profiles = readProfiles();
  const auto found = profiles.find(target);
  return found == profiles.end() ? nullptr : &found->second;
}

std::set<OpKind> judgedOps(const oracle::Profile& profile) {
  std::set<OpKind> ops;
  for (const OpKind op : kAllOps) {
    if (oracle::isJudged(profile, op, DataType::Float)) ops.insert(op);
  }
  return ops;
}

}  // namespace fuser::fuzz

#include "fuser/passes/optimization_pass.h"

#include <chrono>
#include <map>
#include <utility>

#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/text/printer.h"

namespace fuser {

namespace {

constexpr size_t kSpareTurns = 100;

// "A, B, C": the passes that modified the fusion in a turn.
std::string modifiedNames(const PassList& passes) {
  std::string names;
  for (const std::unique_ptr<Pass>& pass : passes) {
    if (pass->isModified()) names += (names.empty() ? "" : ", ") + std::string(pass->name());
  }
  return names;
}

// print: the fusion's fingerprint, before and after; only kept with checkInvariants.
void runOnce(Pass& pass, const Fusion& fusion, const CompileContext& context, uint64_t& print) {
  const bool modified = pass.run();
  if (modified || context.checkInvariants) {
    const std::vector<Violation> violations = findViolations(fusion);
    FUSER_CHECK(violations.empty(), "after ", pass.name(), ": constraint ", violations.front().constraint, ": ",
                violations.front().message);
  }
  if (context.checkInvariants) {
    const uint64_t before = std::exchange(print, fingerprint(fusion));
    const bool changed = print != before;
    FUSER_CHECK(
        changed == modified, pass.name(),
        changed ? " changed the fusion and says that it did not" : " says that it changed the fusion and did not");
  }
}

}  // namespace

bool runPassList(Fusion* fusion, std::string_view owner, const PassList& passes, const CompileContext& context) {
  const size_t budget = kSpareTurns + fusion->exprs().size();
  std::map<uint64_t, size_t> seen;  // fingerprint after a turn -> the turn
  uint64_t print = context.checkInvariants ? fingerprint(*fusion) : 0;
  for (size_t turn = 1;; ++turn) {
    bool modified = false;
    for (const std::unique_ptr<Pass>& pass : passes) {
      FUSER_CHECK(pass->fusion() == fusion, pass->name(), " is for another fusion");
      runOnce(*pass, *fusion, context, print);
      modified |= pass->isModified();
    }
    if (!modified) return turn > 1;
    if (!context.checkInvariants) print = fingerprint(*fusion);
    const auto [place, isNew] = seen.emplace(print, turn);
    FUSER_CHECK(isNew, owner, " goes round in circles: after turn ", turn, " the fusion is as after turn ",
                place->second, "; passes that changed it: ", modifiedNames(passes));
    FUSER_CHECK(turn < budget, owner, " still changes the fusion after ", turn,
                " turns; passes that changed it last: ", modifiedNames(passes));
  }
}

bool runObserved(Fusion* fusion, std::string_view name, const CompileContext& context,
                 const std::function<bool()>& run) {
  const bool log = context.log && context.dumps.count(DebugDumpOption::PreSegmenterLogging) != 0;
  if (log) context.log(concat("before ", name, ":\n", printFusion(*fusion)));
  const auto start = std::chrono::steady_clock::now();
  const bool modified = run();
  if (context.trace) context.trace->add(std::string(name), std::chrono::steady_clock::now() - start);
  if (log) context.log(concat("after ", name, modified ? ":\n" + printFusion(*fusion) : ": unchanged\n"));
  if (context.onPass) context.onPass(std::string(name), modified);
  return modified;
}

}  // namespace fuser

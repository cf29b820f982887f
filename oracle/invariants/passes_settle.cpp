// PassesSettle: passes are idempotent: one that runs again right away changes nothing. (Rewrites that a later pass
// enables do not count, since PreSegmenter runs each pass once.)

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/passes/pre_segmenter.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkPassesSettle(const Compilation& compilation) {
  const CompileOptions& options = compilation.settings.context.options;
  const bool off = !PreSegmenter::getEnabled() || options.disabledPasses.count(std::string(PreSegmenter::name())) != 0;
  if (off || compilation.settings.schedule) return "";  // no pass ran
  if (options.passLimit) return "";  // what was not done is done by a second run
  const ClonedFusion again = cloneFusion(compilation.original);
  CompileContext context = compilation.settings.context;
  context.trace = nullptr;
  for (const PassInfo& pass : allPasses()) {
    pass.run(again.fusion.get(), context);
    const uint64_t before = fingerprint(*again.fusion);
    const bool modified = pass.run(again.fusion.get(), context);
    if (modified) return concat(pass.name, " finds more to do in a second run");
    if (fingerprint(*again.fusion) != before) return concat(pass.name, " changed the fusion and does not say so");
  }
  return "";
}

}  // namespace oracle

// PassesSettle: what the passes left, they leave as it is when they run again, one by one and all in turn.

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
  const ClonedFusion again = cloneFusion(compilation.presegmented);
  CompileContext context;
  context.options = options;
  const uint64_t before = fingerprint(*again.fusion);
  for (const PassInfo& pass : allPasses()) {
    const bool modified = pass.run(again.fusion.get(), context);
    if (modified) return concat(pass.name, " finds more to do in a second run");
  }
  if (fingerprint(*again.fusion) == before) return "";
  return "a second run of the passes changed the fusion, and none says so";
}

}  // namespace oracle

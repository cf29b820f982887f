// PassesSettle: what the passes left, they leave as it is when they run again, one by one and all in turn.

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/passes/pre_segmenter.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkPassesSettle(const Compilation& compilation) {
  CompileContext context;
  context.options = compilation.settings.context.options;
  const bool off = context.options.disabledPasses.count(std::string(PreSegmenter::name())) != 0;
  if (compilation.settings.schedule || off) return "";  // then no pass runs
  const ClonedFusion again = cloneFusion(compilation.presegmented);
  const uint64_t before = fingerprint(*again.fusion);
  for (const PassInfo& pass : allPasses()) {
    const bool modified = pass.run(again.fusion.get(), context);
    if (modified) return concat(pass.name, " finds more to do in a second run");
  }
  if (fingerprint(*again.fusion) == before) return "";
  return "a second run of the passes changed the fusion, and none says so";
}

}  // namespace oracle

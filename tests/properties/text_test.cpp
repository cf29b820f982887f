// Round trips through text of generated cases: over the whole op table, all dtypes and layouts.

#include <cstring>

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/properties/check_property.h"

namespace fuser {
namespace {

// What data a run gives, to the byte.
void checkSameData(const Case& a, const Case& b) {
  for (size_t i = 0; i < a.runs.size(); ++i) {
    const RunData left = materialize(a, a.runs[i]), right = materialize(b, b.runs[i]);
    RC_ASSERT(left.tensors.size() == right.tensors.size());
    for (size_t t = 0; t < left.tensors.size(); ++t) {
      RC_ASSERT(left.tensors[t].bytes == right.tensors[t].bytes);
      RC_ASSERT(left.tensors[t].ref.strides == right.tensors[t].ref.strides);
      RC_ASSERT(std::memcmp(left.tensors[t].memory.get(), right.tensors[t].memory.get(), left.tensors[t].bytes) == 0);
    }
    RC_ASSERT(left.inputs == right.inputs);
  }
}

TEST(TextProperties, CasesKeepTextFusionNamesOptionsAndData) {
  checkProperty(1200, [](const fuzz::ArbitraryCase& arbitrary) {
    const std::string printed = printCase(*arbitrary);
    const Case second = parseCase(printed, "printed");
    RC_ASSERT(printCase(second) == printed);
    RC_ASSERT(firstDifference(*arbitrary->fusion, *second.fusion) == "");
    RC_ASSERT(second.options == arbitrary->options);
    RC_ASSERT(second.metadata == arbitrary->metadata);
    RC_ASSERT(second.runs.size() == arbitrary->runs.size());
    const ValueNames names(*arbitrary->fusion);
    const std::vector<Expr*>& before = arbitrary->fusion->exprs();
    const std::vector<Expr*>& after = second.fusion->exprs();
    for (size_t i = 0; i < before.size(); ++i) RC_ASSERT(after[i]->output()->name() == names.of(before[i]->output()));
    checkSameData(*arbitrary, second);
  });
}

// What passes leave behind reads back too: extents that inference would name otherwise, literals, dead inputs.
TEST(TextProperties, FusionsAfterPassesReadBack) {
  int modified = 0;
  checkProperty(1200, [&](const fuzz::ArbitraryFusion& original) {
    const ClonedFusion clone = cloneFusion(*original);
    modified += PreSegmenter::runPass(clone.fusion.get());
    const std::string printed = printFusion(*clone.fusion);
    const std::unique_ptr<Fusion> again = parseFusion(printed);
    RC_ASSERT(printFusion(*again) == printed);
    RC_ASSERT(firstDifference(*clone.fusion, *again) == "");
  });
  EXPECT_GT(modified, 100);
}

}  // namespace
}  // namespace fuser

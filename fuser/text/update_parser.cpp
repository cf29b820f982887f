// Parses `update %v = %u`, and keeps PyTorch's views that are copies here up to date.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"

namespace fuser::text {

// A scalar fills the tensor.
void FusionParser::parseUpdate() {
  const Token keyword = reader_.expect("update");
  if (++opCount_ > kMaxOps) reader_.fail(keyword, "more than ", kMaxOps, " ops");
  const Token name = reader_.expect(TokenKind::Value, "the tensor that is written to");
  Val* target = lookUp(name);
  if (target->isScalar()) reader_.fail(name, "update writes to a tensor, and %", name.text, " is a scalar");
  reader_.expect("=");
  Val* source = parseOperand();
  refusable([&] {
    return reader_.located(keyword, [&] {
      auto* tensor = target->as<TensorView>();
      if (source->isTensor() && source->as<TensorView>()->isCpuScalar()) source = onDevice(source->as<TensorView>());
      if (source->isScalar()) {
        const std::string filled = concat(name.text, ".f", opCount_);
        source = build::full(*fusion_, sizesOf(tensor), source, tensor->dtype(), filled);
      }
      if (updateCopiedView(tensor, source->as<TensorView>())) return 0;
      TensorView* written = writtenOnSide(tensor, source->as<TensorView>());
      recordMeetings(build::update(*fusion_, tensor, written));
      noteUpdate(tensor);
      return 0;
    });
  });
}

namespace {

bool hasViews(const TensorView* tensor) {
  return std::any_of(tensor->uses().begin(), tensor->uses().end(),
                     [](const Expr* reader) { return memoryOf(reader) != Memory::Own; });
}

}  // namespace

// An update of a diagonal writes a diagonal_scatter of it to the memory that it shows. False where the target is no
// copy of a view. A UserError where there is no way to write through.
bool FusionParser::updateCopiedView(const TensorView* target, TensorView* source) {
  const auto copied = std::find_if(copiedViews_.begin(), copiedViews_.end(),
                                   [&](const CopiedView& each) { return storageOf(each.result) == storageOf(target); });
  if (copied == copiedViews_.end()) return false;
  const std::string_view op = copied->expansion->name;
  const Expansion* scatter = findExpansion(concat(op, "_scatter"));
  FUSER_USER_CHECK(copied->result == target && scatter, "update of %", target->name(), ": %", copied->name, " = ", op,
                   "(%", copied->of->name(), ") is a view in PyTorch and a copy here: write to %", copied->of->name());
  TensorView* of = copied->of;
  const std::string reason = whyNoUpdate(of);
  FUSER_USER_CHECK(reason.empty(), "update: ", reason);
  source = build::asWritten(*fusion_, copied->result, source);
  TensorView* whole = scatter->build(*fusion_, {of, source}, copied->attributes, concat(copied->name, ".w", opCount_));
  build::update(*fusion_, of, writtenOnSide(of, whole));
  noteUpdate(of);
  return true;
}

// What shows memory that is written to is made again when it is read.
void FusionParser::noteUpdate(const TensorView* target) {
  for (CopiedView& copied : copiedViews_) {
    if (storageOf(copied.of) != storageOf(target)) continue;
    FUSER_USER_CHECK(!hasViews(copied.result), "update of %", target->name(), ": %", copied.name, " = ",
                     copied.expansion->name, "(%", copied.of->name(),
                     ") is a view in PyTorch and a copy here, and has views of its own, which do not see the update");
    copied.isStale = true;
  }
}

// The value, or the copy of the same view as memory is now.
Val* FusionParser::latest(Val* val) {
  for (CopiedView& copied : copiedViews_) {
    if (copied.result != val || !copied.isStale) continue;
    copied.isStale = false;
    TensorView* again = copied.expansion->build(*fusion_, {copied.of}, copied.attributes, copied.name);
    copied.result->setName("");
    return copied.result = again;
  }
  return val;
}

}  // namespace fuser::text

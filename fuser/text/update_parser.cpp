// Parses `update %v = %u`.

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
  if (parseComplexUpdate(keyword, name)) return;
  Val* target = lookUp(name);
  if (target->isScalar()) reader_.fail(name, "update writes to a tensor, and %", name.text, " is a scalar");
  reader_.expect("=");
  const Token sourceAt = reader_.peek();
  Val* source = parseOperand();
  const std::string written = concat("update %", name.text, source->isTensor() ? " = %" : " = ", sourceAt.text);
  statements_.emplace_back(keyword.offset, written);
  const size_t firstExpr = fusion_->exprIdCount();
  refusable([&] {
    return reader_.located(keyword, [&] {
      auto* tensor = target->as<TensorView>();
      if (source->isTensor() && source->as<TensorView>()->isCpuScalar()) source = onDevice(source->as<TensorView>());
      if (source->isScalar()) {
        const std::string filled = concat(name.text, ".f", opCount_);
        source = build::full(*fusion_, sizesOf(tensor), source, tensor->dtype(), filled);
      }
      write(tensor, source->as<TensorView>());
      return 0;
    });
  });
  auto spelling = std::make_shared<Spelling>();
  spelling->result = written;
  spelling->statement = opCount_;
  for (auto expr = fusion_->liveExprs().rbegin(); expr != fusion_->liveExprs().rend(); ++expr) {
    if ((*expr)->id() < firstExpr) break;
    (*expr)->setSpelling(spelling);
  }
}

// Through copies of PyTorch's views to the memory that they show: each is written to in memory of its own, and what it
// holds then is put into the memory that it shows.
void FusionParser::write(TensorView* target, TensorView* source) {
  checkCopiedMemory(target);
  const CopiedViews::Copy* shown = copies_.copyOf(target);
  if (!shown) {
    recordMeetings(build::update(*fusion_, target, writtenOnSide(target, source)));
    return copies_.noteUpdate(storageOf(target));
  }
  const std::string reason = whyNoUpdate(target);
  FUSER_USER_CHECK(reason.empty(), "update: ", reason);
  const CopiedViews::Copy copy = *shown;
  const std::string name = concat(copy.result()->name(), ".w", opCount_);
  TensorView* whole = build::asWritten(*fusion_, target, source);
  if (target != copy.result()) {
    const CopiedViews::Opened opened = copies_.open(*fusion_, target, name + ".c");
    recordMeetings(build::update(*fusion_, opened.view, writtenOnSide(opened.view, whole)));
    whole = opened.copy;
  }
  TensorView* of = copies_.latest(*fusion_, copy.of, copy.of->name());
  write(of, copy.expansion->scatter(*fusion_, {of, whole}, copy.attributes, name));
}

}  // namespace fuser::text

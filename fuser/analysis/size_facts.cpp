#include "fuser/analysis/fusion_view.h"

namespace fuser {

bool SizeFacts::answer(const Question& question, int64_t value) {
  switch (question.kind) {
    case Question::Kind::AtMost: return value <= question.operand;
    case Question::Kind::DivisibleBy: return value % question.operand == 0;
  }
  FUSER_CHECK(false, "bad question");
}

bool SizeFacts::ask(Question question) {
  for (const auto& [earlier, answered] : asked_) {
    if (earlier == question) return answered;
  }
  const bool result = answer(question, question.size->isConstant() ? question.size->value : valueOf_(question.size));
  if (!question.size->isConstant()) asked_.emplace_back(question, result);
  return result;
}

}  // namespace fuser

#include "fuser/analysis/fusion_view.h"

namespace fuser {

bool SizeFacts::answer(const Question& question, int64_t value) {
  switch (question.kind) {
    case Question::Kind::AtMost: return value <= question.operand;
    case Question::Kind::DivisibleBy: return value % question.operand == 0;
  }
  FUSER_CHECK(false, "bad question");
}

std::string SizeFacts::toString(const Question& question, bool answer, const std::string& size) {
  switch (question.kind) {
    case Question::Kind::AtMost: return concat(size, answer ? " is at most " : " is more than ", question.operand);
    case Question::Kind::DivisibleBy:
      return concat(size, answer ? " is" : " is not", " divisible by ", question.operand);
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

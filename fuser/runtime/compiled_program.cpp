#include "fuser/runtime/compiled_program.h"

#include <algorithm>

namespace fuser {

bool answersHold(const SizeAnswers& answers, ExpressionEvaluator& evaluator) {
  return std::all_of(answers.begin(), answers.end(), [&](const auto& entry) {
    const auto& [question, answer] = entry;
    return SizeFacts::answer(question, evaluator.evaluate(question.size)) == answer;
  });
}

std::string otherAnswer(const SizeAnswers& answers, const Fusion& fusion, ExpressionEvaluator& evaluator) {
  for (const auto& [question, answer] : answers) {
    const bool now = SizeFacts::answer(question, evaluator.evaluate(question.size));
    if (now != answer) return SizeFacts::toString(question, now, extentToString(fusion, question.size));
  }
  return "";
}

}  // namespace fuser

#include "fuser/runtime/compiled_program.h"

#include <algorithm>

namespace fuser {

bool answersHold(const SizeAnswers& answers, ExpressionEvaluator& evaluator) {
  return std::all_of(answers.begin(), answers.end(), [&](const auto& entry) {
    const auto& [question, answer] = entry;
    return SizeFacts::answer(question, evaluator.evaluate(question.size)) == answer;
  });
}

}  // namespace fuser

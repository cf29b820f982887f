// Steps added to steps, and the least of their orders.

#include "fuzz/worlds/programs.h"

#include <algorithm>
#include <numeric>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

bool uses(const Step& step, size_t of) {
  return std::find(step.operands.begin(), step.operands.end(), kInputs + of) != step.operands.end();
}

using Order = std::array<uint8_t, Program::kMostSteps>;

bool usesEarlierOnly(const Program& program, const Order& order) {
  for (size_t late = 0; late < program.size; ++late) {
    for (size_t early = 0; early < late; ++early) {
      if (uses(program[order[early]], order[late])) return false;
    }
  }
  return true;
}

// Whether the program in that order, with inputs and results named anew, comes before itself. Most orders differ in the
// first step.
bool isLess(const Program& program, const Order& order) {
  std::array<uint8_t, kInputs> inputs;
  inputs.fill(kNoOperand);
  uint8_t inputsUsed = 0;
  Order placeOf{};
  for (size_t place = 0; place < program.size; ++place) {
    placeOf[order[place]] = static_cast<uint8_t>(place);
    Step step = program[order[place]];
    for (uint8_t& operand : step.operands) {
      if (operand == kNoOperand) continue;
      if (operand >= kInputs) {
        operand = static_cast<uint8_t>(kInputs + placeOf[operand - kInputs]);
      } else {
        if (inputs[operand] == kNoOperand) inputs[operand] = inputsUsed++;
        operand = inputs[operand];
      }
    }
    if (step != program[place]) return step < program[place];
  }
  return false;
}

bool cutsAreUsed(const Program& program) {
  for (size_t k = 0; k < program.size; ++k) {
    if (!program[k].isCut) continue;
    if (std::none_of(program.begin(), program.end(), [&](const Step& step) { return uses(step, k); })) return false;
  }
  return true;
}

}  // namespace

bool isInLeastOrder(const Program& program) {
  Order order;
  std::iota(order.begin(), order.end(), uint8_t{0});
  while (std::next_permutation(order.begin(), order.begin() + static_cast<ptrdiff_t>(program.size))) {
    if (isLess(program, order) && usesEarlierOnly(program, order)) return false;
  }
  return true;
}

Programs::Programs(std::span<const Letter> letters, LetterTypes& types, DataType dtype, size_t depth)
    : letters_(letters), types_(types), input_(types.inputType(dtype)) {
  const std::vector<TypeId> inputs(kInputs, input_);
  beginnings_.push_back({{}, inputs, 0});
  for (size_t length = 1; length < depth; ++length) {
    std::vector<Beginning> longer;
    for (const Beginning& beginning : beginnings_) {
      extend(beginning, [&](const Step& step, uint8_t inputsUsed, TypeId type) {
        for (const bool isCut : {false, true}) {
          Beginning next = beginning;
          next.steps.add(step);
          next.steps.steps[length - 1].isCut = isCut;
          if (!isInLeastOrder(next.steps)) continue;
          next.types.push_back(type);
          next.inputs = inputsUsed;
          if (cutsAreUsed(next.steps)) short_.push_back(next.steps);
          longer.push_back(std::move(next));
        }
      });
    }
    beginnings_ = std::move(longer);
  }
  uint64_t total = short_.size();
  for (const Beginning& beginning : beginnings_) {
    ends(beginning, [&](const Program&) {
      ++total;
      return false;
    });
    ends_.push_back(total);
  }
}

Program Programs::at(uint64_t index) const {
  FUSER_CHECK(index < count(), "program ", index, " of ", count());
  if (index < short_.size()) return short_[index];
  const size_t place = static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  uint64_t left = index - (place == 0 ? short_.size() : ends_[place - 1]);
  Program found;
  ends(beginnings_[place], [&](const Program& program) {
    if (left-- > 0) return false;
    found = program;
    return true;
  });
  return found;
}

// take(program) of the whole programs with one step more, until it returns true.
template <class Take>
void Programs::ends(const Beginning& beginning, const Take& take) const {
  bool isDone = false;
  Program program = beginning.steps;
  const size_t last = program.size++;
  extend(beginning, [&](const Step& step, uint8_t, TypeId) {
    if (isDone) return;
    program.steps[last] = step;
    if (cutsAreUsed(program) && isInLeastOrder(program)) isDone = take(program);
  });
}

// take(step, inputs used then, type) of each step that applies.
template <class Take>
void Programs::extend(const Beginning& beginning, const Take& take) const {
  for (size_t letter = 0; letter < letters_.size(); ++letter) extendBy(beginning, letter, take);
}

template <class Take>
void Programs::extendBy(const Beginning& beginning, size_t letter, const Take& take) const {
  const size_t count = letters_[letter].operands;
  Step step;
  step.letter = static_cast<uint8_t>(letter);
  std::array<TypeId, kMostOperands> types;
  const auto choose = [&](const auto& self, size_t place, uint8_t inputsUsed) -> void {
    if (place == count) {
      const auto type = types_.resultOf(letter, std::span(types).first(count));
      if (type) take(step, inputsUsed, *type);
      return;
    }
    const auto with = [&](uint8_t value, uint8_t used) {
      step.operands[place] = value;
      types[place] = beginning.types[value];
      self(self, place + 1, used);
    };
    const uint8_t inputs = std::min<uint8_t>(kInputs, inputsUsed + 1);  // one of them may be new
    for (uint8_t input = 0; input < inputs; ++input) with(input, std::max<uint8_t>(inputsUsed, input + 1));
    for (size_t k = 0; k < beginning.steps.size; ++k) with(static_cast<uint8_t>(kInputs + k), inputsUsed);
  };
  choose(choose, 0, beginning.inputs);
}

}  // namespace fuser::fuzz

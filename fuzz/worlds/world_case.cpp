// Statements, inputs, runs.

#include "fuzz/worlds/world_case.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

std::string listOf(const std::vector<std::string>& entries) {
  std::string text = "[";
  for (size_t i = 0; i < entries.size(); ++i) text += concat(i == 0 ? "" : ", ", entries[i]);
  return text + "]";
}

std::string listOf(const std::vector<int64_t>& numbers) {
  std::vector<std::string> entries;
  for (const int64_t number : numbers) entries.push_back(std::to_string(number));
  return listOf(entries);
}

std::string inputName(size_t input) { return input == 0 ? "%a" : "%b"; }

size_t inputsOf(const Program& program) {
  uint8_t inputs = 1;
  for (const Step& step : program) {
    for (const uint8_t operand : step.operands) {
      if (operand < kInputs) inputs = std::max<uint8_t>(inputs, operand + 1);
    }
  }
  return inputs;
}

bool isUsed(const Program& program, size_t step) {
  return std::any_of(program.begin(), program.end(), [&](const Step& one) {
    return std::find(one.operands.begin(), one.operands.end(), kInputs + step) != one.operands.end();
  });
}

// Of an input's type.
std::string layoutText(const WorldCase& one) {
  if (one.layout == InputLayout::Dense) return "";
  if (one.rank == 1) return " {contiguity = [false]}";
  std::vector<int64_t> order;
  for (int64_t axis = one.rank; axis-- > 0;) order.push_back(axis);
  return concat(" {allocation_order = ", listOf(order), "}");
}

std::string fusionText(const WorldOptions& world, const WorldCase& one) {
  std::string text = "fusion f(";
  for (size_t i = 0; i < inputsOf(one.program); ++i) {
    text += concat(i == 0 ? "" : ", ", inputName(i), ": ", dtypeName(one.dtype), inputShapeText(one.rank));
    text += layoutText(one);
  }
  text += ") {\n";
  std::string outputs;
  for (size_t k = 0; k < one.program.size; ++k) {
    const Step& step = one.program[k];
    const Letter& letter = world.letters[step.letter];
    std::vector<std::string> operands;
    for (size_t i = 0; i < letter.operands; ++i) {
      const uint8_t value = step.operands[i];
      if (value < kInputs) operands.push_back(inputName(value));
      if (value >= kInputs)
        operands.push_back(concat(one.program[value - kInputs].isCut ? "%s" : "%v", value - kInputs));
    }
    text += statementOf(letter, operands, concat("%v", k));
    if (step.isCut) text += concat("  %s", k, " = segment_set(%v", k, ")\n");
    if (!isUsed(one.program, k)) outputs += concat(outputs.empty() ? "" : ", ", "%v", k);
  }
  return concat(text, "  return ", outputs, "\n}\n");
}

// Small numbers: indices among them. Special ones, NaN, infinities and the ends of integers, hide what is wrong with
// others, and are no indices: only one run has those.
std::string recipeText(DataType dtype, uint64_t seed, bool isSpecial) {
  if (dtype == DataType::Bool) return concat("integers(seed = ", seed, ", low = 0, high = 2)");
  if (isSpecial) return concat("special(seed = ", seed, ")");
  if (!isFloating(dtype)) return concat("integers(seed = ", seed, ", low = 0, high = 3)");
  return concat("normal(seed = ", seed, ")");
}

// Of three elements an axis, in the usual sizes; of a number, whose sizes are all alike, the second.
size_t specialRun(int64_t rank) { return rank == 0 ? 1 : 3; }

}  // namespace

std::string inputShapeText(int64_t rank) {
  std::vector<std::string> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(concat("i", i));
  return listOf(axes);
}

std::string statementOf(const Letter& letter, std::span<const std::string> operands, const std::string& result) {
  std::string text = letter.text.find("%r") == std::string::npos ? concat("  ", result, " = ") : "  ";
  for (size_t i = 0; i < letter.text.size(); ++i) {
    const char next = i + 1 < letter.text.size() ? letter.text[i + 1] : '\0';
    if (letter.text[i] != '%' || (next != 'r' && (next < '0' || next > '2'))) {
      text += letter.text[i];
      continue;
    }
    text += next == 'r' ? result : operands[static_cast<size_t>(next - '0')];
    ++i;
  }
  return text + "\n";
}

uint64_t layoutsOf(int64_t rank) { return rank == 0 ? 1 : 2; }

std::string textOf(const WorldOptions& world, const WorldCase& one) {
  std::string text = fusionText(world, one);
  const size_t runs = one.rank == 0 ? 2 : world.sizes.size();
  for (size_t run = 0; run < runs; ++run) {
    std::vector<int64_t> sizes;
    for (size_t axis = 0; axis < static_cast<size_t>(one.rank); ++axis)
      sizes.push_back(world.sizes[(run + axis * one.shift) % runs]);
    text += "run {\n";
    for (size_t i = 0; i < inputsOf(one.program); ++i) {
      text += concat("  ", inputName(i), " = ",
                     recipeText(one.dtype, world.seed * 100 + run * kInputs + i, run == specialRun(one.rank)), " : ",
                     dtypeName(one.dtype), listOf(sizes));
      // Without strides memory follows the order of the type. What has gaps in one run has none in the next.
      if (one.layout == InputLayout::Reversed && one.rank == 1 && run % 2 == 0) text += " {strides = [2]}";
      text += "\n";
    }
    text += "}\n";
  }
  return text + "expect agrees or rejected\n";
}

}  // namespace fuser::fuzz

#pragma once
// Programs: the programs of a world on inputs of one type, up to renaming: values have no names, and the order of ops
// that do not depend on each other makes no difference. Of the orders of one program, the least is the one that counts.

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/worlds/letter_types.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {

inline constexpr uint8_t kInputs = 2;       // a program has one or two, of one type
inline constexpr size_t kMostOperands = 3;  // of a letter
inline constexpr uint8_t kNoOperand = 0xff;

// An op. Operands: an input by its number, in the order of first use; the result of step k as kInputs + k.
struct Step {
  uint8_t letter = 0;
  std::array<uint8_t, kMostOperands> operands = {kNoOperand, kNoOperand, kNoOperand};
  bool isCut = false;  // a segment_set follows; only of a result that is used
  auto operator<=>(const Step& other) const { return key() <=> other.key(); }
  bool operator==(const Step& other) const { return key() == other.key(); }

 private:
  // The members, in their order: programs are compared more often than anything else is done with them.
  uint64_t key() const {
    uint64_t bits = letter;
    for (const uint8_t operand : operands) bits = bits << 8 | operand;
    return bits << 1 | isCut;
  }
};

// Its outputs are the results that no step uses.
struct Program {
  static constexpr size_t kMostSteps = 3;
  std::array<Step, kMostSteps> steps;
  size_t size = 0;

  void add(const Step& step) { steps[size++] = step; }
  const Step* begin() const { return steps.data(); }
  const Step* end() const { return steps.data() + size; }
  const Step& operator[](size_t k) const { return steps[k]; }
  // As lists of steps.
  auto operator<=>(const Program& other) const {
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
  }
  bool operator==(const Program& other) const { return (*this <=> other) == 0; }
};

// Whether no other order of a program's steps, each after what it uses, with inputs named anew, is less.
bool isInLeastOrder(const Program& program);

class Programs {
 public:
  Programs(std::span<const Letter> letters, LetterTypes& types, DataType dtype, size_t depth);

  // How many there are: those of fewer than `depth` steps, and for each beginning of depth - 1 steps that is in its
  // least order, with any of its results cut, the number of last steps with which the whole is in its least order.
  uint64_t count() const { return ends_.empty() ? short_.size() : ends_.back(); }
  // In order of length.
  Program at(uint64_t index) const;

 private:
  struct Beginning {
    Program steps;
    std::vector<TypeId> types;  // by value
    uint8_t inputs = 0;         // used so far
  };
  template <class Take>
  void extend(const Beginning& beginning, const Take& take) const;
  template <class Take>
  void extendBy(const Beginning& beginning, size_t letter, const Take& take) const;
  template <class Take>
  void ends(const Beginning& beginning, const Take& take) const;

  std::span<const Letter> letters_;
  LetterTypes& types_;
  TypeId input_;
  std::vector<Program> short_;         // whole programs of fewer than `depth` steps
  std::vector<Beginning> beginnings_;  // of depth - 1 steps
  std::vector<uint64_t> ends_;         // by beginning: programs up to and including its own
};

}  // namespace fuser::fuzz

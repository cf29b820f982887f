#pragma once
// LetterTypes: which letters apply to values of which types, and the types of their results. What an op does to dtypes
// does not depend on shapes, and what it does to shapes not on dtypes, so that each is asked of the parser once.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuzz/worlds/world.h"

namespace fuser::fuzz {

// A type, by its numbers in LetterTypes.
struct TypeId {
  uint16_t dtype = 0, shape = 0;
};

class LetterTypes {
 public:
  // Of programs on inputs of this rank.
  LetterTypes(std::span<const Letter> letters, int64_t rank);

  TypeId inputType(DataType dtype);
  std::optional<TypeId> resultOf(size_t letter, std::span<const TypeId> operands);

 private:
  struct Shape {
    std::string text;   // "[i0, (i1 + 2)]"
    size_t letter = 0;  // that makes it, of these shapes; the input's has no operands
    std::vector<uint16_t> operands;
  };
  using Numbers = std::vector<uint16_t>;  // of dtypes or shapes, by operand
  static constexpr size_t kMostDtypes = 16;
  static constexpr uint16_t kUnasked = 0xffff, kRefused = 0xfffe;  // in place of a dtype's number

  std::optional<uint16_t> askForDtype(size_t letter, const Numbers& dtypes);
  std::optional<uint16_t> askForShape(size_t letter, const Numbers& shapes);
  // The statements that make a value of that shape from the input, each operand cast to what its letter takes.
  std::string valueOf(uint16_t shape, std::string& lines, int& names) const;
  const Numbers& usualDtypes(size_t letter);
  uint16_t numberOf(DataType dtype);

  std::span<const Letter> letters_;
  std::string inputShape_;
  std::vector<DataType> dtypes_;
  std::vector<Shape> shapes_;
  std::map<std::string, uint16_t> shapeNumbers_;
  std::vector<std::vector<uint16_t>> dtypeResults_;  // by letter, and the dtypes of its operands, the last one fastest
  std::map<std::string, size_t> rules_;                                 // shapeRule -> number
  std::vector<size_t> ruleOf_;                                          // by letter
  std::unordered_map<uint64_t, std::optional<uint16_t>> shapeResults_;  // by rule
  std::vector<std::optional<Numbers>> usualDtypes_;                     // by letter: the first that it takes
};

}  // namespace fuser::fuzz

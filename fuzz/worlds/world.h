#pragma once
// World: a declared set of small cases: every fusion of one to `depth` ops over an alphabet, up to renaming, on inputs
// of some dtypes, ranks and layouts, with every cut. Its cases have numbers, so that they can be counted in advance,
// judged in any order, interrupted, and shared by several machines.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// A statement with holes: "add(%0, %1)", or whole lines that give %r its value.
struct Letter {
  std::string text;
  std::string op;         // its mnemonic: "add"
  size_t operands = 0;    // how many of %0, %1, %2 there are
  std::string shapeRule;  // equal for letters that treat shapes alike: the text with the family's name for the op
};
// A UserError for a text without an op that exists, or without operands.
Letter letterOf(const std::string& text);

struct WorldOptions {
  std::vector<Letter> letters;
  std::vector<DataType> dtypes;                   // of the inputs
  std::vector<int64_t> ranks;                     // of the inputs
  std::vector<int64_t> sizes = {0, 1, 2, 3, 33};  // each run has one of them on each axis
  size_t depth = 3;                               // the most ops: 1 to 3
  uint64_t seed = 1;                              // of the data
  std::string spec;                               // the words that worldOptions() reads
};
// The world that these words name: "three", or any of "depth=2", "ops=relu,add" (letters of these ops alone),
// "dtypes=f32" and "ranks=0,1"; what is not said is as in `three`: all letters of letters.def, depth 3, on f32, bf16,
// i32 and bool of ranks 0 to 3. A UserError for other words.
WorldOptions worldOptions(const std::string& spec);
// The mnemonics of letters.def, each once.
std::vector<std::string> opsOfLetters();

class LetterTypes;

class World {
 public:
  // Counts all programs, which takes five seconds for `three`. A UserError for an empty one.
  explicit World(WorldOptions options);
  ~World();

  const WorldOptions& options() const { return options_; }
  uint64_t count() const { return count_; }

  // Case `number` < count(), with metadata that names it. Numbers that follow each other differ in everything, so that
  // a part of the world is a sample of it.
  Case at(uint64_t number) const;

  // For people: a line for each dtype and rank, with the numbers of programs, layouts and cases.
  std::vector<std::string> countLines() const;

 private:
  struct Block;
  const Block& blockOf(uint64_t& place) const;

  WorldOptions options_;
  std::vector<std::shared_ptr<LetterTypes>> types_;  // by rank
  std::vector<std::unique_ptr<Block>> blocks_;       // by rank and dtype
  uint64_t count_ = 0;
  uint64_t stride_ = 1;  // has no divisor in common with count_
};

}  // namespace fuser::fuzz

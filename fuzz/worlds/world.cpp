// Blocks of cases, and where a number lies.

#include "fuzz/worlds/world.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

#include "fuser/ops/op_table.h"
#include "fuser/support/check.h"
#include "fuser/text/parser.h"
#include "fuzz/worlds/letter_types.h"
#include "fuzz/worlds/programs.h"
#include "fuzz/worlds/world_case.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kLetters[] = {
#define LETTER(text) text,
#include "fuzz/worlds/letters.def"
#undef LETTER
};

constexpr int64_t kMostRank = 8;

constexpr uint64_t kShifts = 2;  // programs take turns: the sizes of two axes are one or two places apart

// `text` from `begin` up to what is no part of a name.
std::string nameAt(const std::string& text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  return text.substr(begin, end - begin);
}

std::optional<Family> familyOf(const std::string& mnemonic) {
  for (const OpKind op : kAllOps) {
    if (opInfo(op).mnemonic == mnemonic) return opInfo(op).family;
  }
  return std::nullopt;
}

// Near the golden section of `count`: numbers that follow each other are far apart, and so are those of a few steps.
uint64_t strideFor(uint64_t count) {
  constexpr double kGoldenSection = 0.6180339887498949;
  auto stride = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(count) * kGoldenSection));
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

int64_t numberOf(const std::string& text, int64_t least, int64_t most, const char* what) {
  const bool isDigit = text.size() == 1 && text[0] >= '0' && text[0] <= '9';
  FUSER_USER_CHECK(isDigit && text[0] - '0' >= least && text[0] - '0' <= most, "a world's ", what, " is ", least,
                   " to ", most, ", not ", text);
  return text[0] - '0';
}

// Once, however often it is named.
template <class T>
void addNew(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

DataType dtypeCalled(const std::string& name) {
  const std::optional<DataType> dtype = dtypeFromName(name);
  FUSER_USER_CHECK(dtype, "no dtype is called ", name);
  return *dtype;
}

void keepLettersOf(const std::vector<std::string>& ops, std::vector<Letter>& letters) {
  for (const std::string& op : ops) {
    const bool isThere = std::any_of(letters.begin(), letters.end(), [&](const Letter& one) { return one.op == op; });
    std::string all;
    for (const std::string& one : opsOfLetters()) all += " " + one;
    FUSER_USER_CHECK(isThere, "no letter is of the op ", op, "; there are letters of:", all);
  }
  std::erase_if(letters, [&](const Letter& one) { return std::find(ops.begin(), ops.end(), one.op) == ops.end(); });
}

}  // namespace

Letter letterOf(const std::string& text) {
  Letter letter;
  letter.text = text;
  const size_t equals = text.find("%r = "), begin = equals == std::string::npos ? 0 : equals + 5;
  const size_t update = text.find("\n  update ");
  letter.op = nameAt(text, update == std::string::npos ? begin : update + 3);
  const std::optional<Family> family = familyOf(letter.op);
  FUSER_USER_CHECK(family, "the letter \"", text,
                   "\" names no op; it looks so: add(%0, %1); fuserfuzz --list-ops prints all");
  while (text.find(concat("%", letter.operands)) != std::string::npos) ++letter.operands;
  FUSER_USER_CHECK(letter.operands > 0 && letter.operands <= kMostOperands, "the letter \"", text,
                   "\" needs operands, %0 to %2: add(%0, %1)");
  letter.shapeRule = text;
  if (equals == std::string::npos) letter.shapeRule.replace(begin, letter.op.size(), familyInfo(*family).name);
  return letter;
}

WorldOptions worldOptions(const std::string& spec) {
  FUSER_USER_CHECK(!spec.empty(), "a world is \"three\", or words such as \"depth=2 ops=relu,add\"");
  WorldOptions options;
  options.spec = spec;
  for (const char* text : kLetters) options.letters.push_back(letterOf(text));
  options.dtypes = {DataType::Float, DataType::BFloat16, DataType::Int32, DataType::Bool};
  options.ranks = {0, 1, 2, 3};
  if (spec == "three") return options;
  for (const std::string& word : split(spec, ' ')) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::vector<std::string> values = split(equals == std::string::npos ? "" : word.substr(equals + 1), ',');
    FUSER_USER_CHECK(!values.empty(),
                     "a world is \"three\", or words such as \"depth=2 ops=relu,add dtypes=f32 ranks=0,1\", not \"",
                     spec, "\"");
    if (key == "depth") {
      options.depth = static_cast<size_t>(numberOf(values.at(0), 1, 3, "depth"));
    } else if (key == "ranks") {
      options.ranks.clear();
      for (const std::string& rank : values) addNew(options.ranks, numberOf(rank, 0, kMostRank, "rank"));
    } else if (key == "dtypes") {
      options.dtypes.clear();
      for (const std::string& name : values) addNew(options.dtypes, dtypeCalled(name));
    } else if (key == "ops") {
      keepLettersOf(values, options.letters);
    } else {
      FUSER_USER_CHECK(false, "a world has no \"", key, "\"; it has depth, ops, dtypes and ranks");
    }
  }
  return options;
}

std::vector<std::string> opsOfLetters() {
  std::vector<std::string> ops;
  for (const char* text : kLetters) {
    const std::string op = letterOf(text).op;
    if (std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(op);
  }
  return ops;
}

// The cases on inputs of a dtype and a rank: each program in each layout.
struct World::Block {
  Block(const World& world, LetterTypes& types, DataType dtype, int64_t rank)
      : dtype(dtype), rank(rank), programs(world.options_.letters, types, dtype, world.options_.depth) {}
  uint64_t count() const { return programs.count() * layoutsOf(rank); }

  DataType dtype;
  int64_t rank;
  Programs programs;
};

World::World(WorldOptions options) : options_(std::move(options)) {
  FUSER_CHECK(options_.letters.size() < kNoOperand, "too many letters for one world");
  for (const int64_t rank : options_.ranks) {
    auto types = std::make_shared<LetterTypes>(options_.letters, rank);
    types_.push_back(types);
    for (const DataType dtype : options_.dtypes) {
      blocks_.push_back(std::make_unique<Block>(*this, *types, dtype, rank));
      count_ += blocks_.back()->count();
    }
  }
  FUSER_USER_CHECK(count_ > 0, "the world is empty: no letter applies to an input; see fuserfuzz enumerate --help");
  stride_ = strideFor(count_);
}

World::~World() = default;

const World::Block& World::blockOf(uint64_t& place) const {
  for (const auto& block : blocks_) {
    if (place < block->count()) return *block;
    place -= block->count();
  }
  FUSER_CHECK(false, "a place outside of the world");
}

Case World::at(uint64_t number) const {
  FUSER_USER_CHECK(number < count_, "the world has ", count_, " cases, numbered from 0; there is no case ", number);
  uint64_t place = static_cast<uint64_t>(static_cast<unsigned __int128>(number) * stride_ % count_);
  const Block& block = blockOf(place);
  const uint64_t index = place / layoutsOf(block.rank);
  WorldCase one;
  one.program = block.programs.at(index);
  one.dtype = block.dtype;
  one.rank = block.rank;
  one.layout = static_cast<InputLayout>(place % layoutsOf(block.rank));
  one.shift = 1 + index % kShifts;
  Case testCase = parseCase(textOf(options_, one), concat("world case ", number));
  testCase.metadata = {{"world", options_.spec}, {"case", std::to_string(number)}};
  return testCase;
}

std::vector<std::string> World::countLines() const {
  std::vector<std::string> lines;
  for (const auto& block : blocks_) {
    lines.push_back(concat(dtypeName(block->dtype), " rank ", block->rank, ": ", block->programs.count(),
                           " programs x ", layoutsOf(block->rank), " layouts = ", block->count(), " cases"));
  }
  return lines;
}

}  // namespace fuser::fuzz

#include "fuzz/targets/seeded_loop.h"

#include <algorithm>
#include <fstream>

#include "fuzz/targets/text_mutators.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 16;

std::vector<std::vector<uint8_t>> readCorpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::vector<uint8_t>> corpus;
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  FUSER_USER_CHECK(!corpus.empty(), folder.string(), " holds no seeds");
  return corpus;
}

// One edit of bytes: what libFuzzer's own mutator does, in small.
void editBytes(std::vector<uint8_t>& bytes, Choices& choices) {
  const size_t at = choices.index(bytes.size() + 1);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const size_t rest = bytes.size() - at;
  switch (choices.index(5)) {
    case 0: bytes.insert(place, static_cast<uint8_t>(choices.integer(0, 255))); break;
    case 1: bytes.erase(place, place + static_cast<std::ptrdiff_t>(std::min(rest, choices.index(20)))); break;
    case 2:
      if (rest > 0) *place = static_cast<uint8_t>(choices.integer(0, 255));
      break;
    case 3:
      if (rest > 0) *place = static_cast<uint8_t>(*place ^ (1 << choices.index(8)));
      break;
    default: {
      const std::vector<uint8_t> copy(place, place + static_cast<std::ptrdiff_t>(std::min<size_t>(rest, 30)));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(choices.index(bytes.size() + 1)), copy.begin(),
                   copy.end());
    }
  }
}

void tryInput(const Target& target, const std::vector<uint8_t>& input) {
  try {
    target(input);
  } catch (const std::exception& error) {
    std::string shown;
    for (uint8_t byte : input) {
      const bool plain = (byte >= 0x20 && byte < 0x7f) || byte == '\n';
      shown += plain ? std::string(1, static_cast<char>(byte)) : concat("\\", static_cast<int>(byte), ";");
    }
    FUSER_CHECK(false, "the target throws on\n", shown, "\n", error.what());
  }
}

}  // namespace

std::vector<uint8_t> makeText(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other, Choices& choices) {
  std::vector<uint8_t> text(kMaxBytes);
  const auto seed = static_cast<unsigned>(choices.dataSeed());
  if (choices.chance(0.2)) {
    text.resize(crossOverTexts(input, other, text.data(), text.size(), seed));
    return text;
  }
  std::copy(input.begin(), input.end(), text.begin());
  const auto bytes = [&](uint8_t* data, size_t size, size_t maxSize) {
    std::vector<uint8_t> edited(data, data + size);
    for (int64_t i = choices.integer(1, 4); i > 0; --i) editBytes(edited, choices);
    edited.resize(std::min(edited.size(), maxSize));
    std::copy(edited.begin(), edited.end(), data);
    return edited.size();
  };
  text.resize(mutateText(text.data(), input.size(), text.size(), seed, bytes));
  return text;
}

std::vector<uint8_t> makeStream(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other,
                                Choices& choices) {
  std::vector<uint8_t> stream = input;
  if (choices.chance(0.3)) {
    stream.resize(choices.index(stream.size() + 1));
    stream.insert(stream.end(), other.begin() + static_cast<std::ptrdiff_t>(choices.index(other.size() + 1)),
                  other.end());
  }
  for (int64_t i = choices.integer(1, 8); i > 0; --i) editBytes(stream, choices);
  stream.resize(std::min<size_t>(stream.size(), 4096));
  return stream;
}

size_t runSeeded(const Target& target, const std::filesystem::path& corpus, const Maker& maker, uint64_t seed,
                 size_t attempts) {
  std::vector<std::vector<uint8_t>> pool = readCorpus(corpus);
  for (const std::vector<uint8_t>& input : pool) tryInput(target, input);
  Choices choices(seed, 0);
  for (size_t i = 0; i < attempts; ++i) {
    const std::vector<uint8_t>& other = choices.pick(pool);
    std::vector<uint8_t> input = maker(choices.pick(pool), other, choices);
    tryInput(target, input);
    if (choices.chance(0.3)) pool[choices.index(pool.size())] = std::move(input);
  }
  return pool.size() + attempts;
}

}  // namespace fuser::fuzz

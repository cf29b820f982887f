// One change of a host program's text.

#include "fuzz/mutate/host_program.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

using Lines = std::vector<std::string>;
using NodeIndex = std::ptrdiff_t;

// --- what stands in a line ---

std::string_view trimmed(std::string_view line) {
  const size_t start = line.find_first_not_of(' ');
  return start == std::string_view::npos ? "" : line.substr(start);
}
bool startsWith(const std::string& line, std::string_view word) { return trimmed(line).starts_with(word); }

bool isNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// "%a", as far as names go.
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && isNameByte(text[end])) ++end;
    names.emplace_back(text.substr(at, end - at));
  }
  return names;
}

// Every such name in the line becomes the other.
void rename(std::string& line, const std::string& from, const std::string& to) {
  for (size_t at = line.find(from); at != std::string::npos; at = line.find(from, at + to.size())) {
    const size_t end = at + from.size();
    if (end == line.size() || !isNameByte(line[end])) line.replace(at, from.size(), to);
  }
}

// The first place that a statement may have: behind the header and the declarations.
size_t firstStatement(const Lines& lines) {
  size_t first = 1;
  const auto declares = [](const std::string& line) {
    return startsWith(line, "tensor ") || startsWith(line, "kernel ") || startsWith(line, "device ");
  };
  while (first < lines.size() && declares(lines[first])) ++first;
  return first;
}
// The place of "return".
size_t returnLine(const Lines& lines) { return lines.size() - 2; }

// A statement without bodies.
bool isLeaf(const std::string& line) { return !line.ends_with("{") && !startsWith(line, "}"); }

std::vector<size_t> statements(const Lines& lines, std::string_view word = "") {
  std::vector<size_t> found;
  for (size_t i = firstStatement(lines); i < returnLine(lines); ++i) {
    if (isLeaf(lines[i]) && startsWith(lines[i], word)) found.push_back(i);
  }
  return found;
}

// Whether the statement reads, writes, or sees elements of the tensor: "as %t" and "for index0 in %t" name it alone.
bool touches(const std::string& line, const std::string& tensor) {
  if (!isLeaf(line)) return false;
  std::string_view text = trimmed(line);
  if (text.starts_with("compute ")) text = text.substr(0, text.find(") as "));
  const std::vector<std::string> names = namesIn(text);
  return std::find(names.begin(), names.end(), tensor) != names.end();
}

void move(Lines& lines, size_t from, size_t before) {
  std::string line = lines[from];
  lines.insert(lines.begin() + static_cast<NodeIndex>(before), std::move(line));
  lines.erase(lines.begin() + static_cast<NodeIndex>(from < before ? from : from + 1));
}

// Tensors of one type, by it: "%x: f32[i0]" in the header or where a tensor is allocated or selected.
std::map<std::string, std::vector<std::string>> tensorsByType(const Lines& lines) {
  std::map<std::string, std::vector<std::string>> found;
  std::set<std::string> seen;
  for (size_t i = 0; i < returnLine(lines); ++i) {
    for (const std::string& name : namesIn(lines[i])) {
      const size_t at = lines[i].find(name + ": ");
      if (at == std::string::npos || seen.count(name) != 0) continue;
      const size_t begin = at + name.size() + 2, close = lines[i].find(']', begin);
      if (close == std::string::npos) continue;
      seen.insert(name);
      found[lines[i].substr(begin, close + 1 - begin)].push_back(name);
    }
  }
  return found;
}

// --- the changes ---

bool drop(Lines& lines, Choices& choices, std::string_view word) {
  const std::vector<size_t> found = statements(lines, word);
  if (found.empty()) return false;
  lines.erase(lines.begin() + static_cast<NodeIndex>(choices.pick(found)));
  return true;
}
bool dropWait(Lines& lines, Choices& choices) { return drop(lines, choices, "wait "); }
bool dropSynchronize(Lines& lines, Choices& choices) { return drop(lines, choices, "synchronize "); }
bool dropFree(Lines& lines, Choices& choices) { return drop(lines, choices, "free "); }
bool dropStatement(Lines& lines, Choices& choices) { return drop(lines, choices, ""); }

// Statements on a tensor, and what touches it before or behind them.
std::vector<std::pair<size_t, size_t>> touched(const Lines& lines, std::string_view word, bool before) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t at : statements(lines, word)) {
    const std::string tensor = namesIn(lines[at]).at(0);
    for (size_t other : statements(lines)) {
      if ((before ? other < at : other > at) && !startsWith(lines[other], "allocate ") &&
          touches(lines[other], tensor)) {
        found.emplace_back(at, other);
      }
    }
  }
  return found;
}

bool dropAllocate(Lines& lines, Choices& choices) {
  const auto found = touched(lines, "allocate ", false);
  if (found.empty()) return false;
  lines.erase(lines.begin() + static_cast<NodeIndex>(choices.pick(found).first));
  return true;
}

bool freeEarly(Lines& lines, Choices& choices) {
  const auto found = touched(lines, "free ", true);
  if (found.empty()) return false;
  const auto [free, user] = choices.pick(found);
  move(lines, free, user);
  return true;
}

bool allocateLate(Lines& lines, Choices& choices) {
  const auto found = touched(lines, "allocate ", false);
  if (found.empty()) return false;
  const auto [allocate, user] = choices.pick(found);
  move(lines, allocate, user + 1);
  return true;
}

bool swapNeighbours(Lines& lines, Choices& choices) {
  std::vector<size_t> found;
  for (size_t at : statements(lines)) {
    if (at + 1 < returnLine(lines) && isLeaf(lines[at + 1])) found.push_back(at);
  }
  if (found.empty()) return false;
  const size_t at = choices.pick(found);
  std::swap(lines[at], lines[at + 1]);
  return true;
}

// Anywhere: into a loop, out of one, before or behind whatever.
bool moveStatement(Lines& lines, Choices& choices) {
  const std::vector<size_t> found = statements(lines);
  if (found.empty()) return false;
  const size_t first = firstStatement(lines);
  const size_t from = choices.pick(found), before = first + choices.index(returnLine(lines) - first + 1);
  if (before == from || before == from + 1) return false;
  move(lines, from, before);
  return true;
}

bool duplicateStatement(Lines& lines, Choices& choices) {
  const std::vector<size_t> found = statements(lines);
  if (found.empty()) return false;
  const size_t at = choices.pick(found);
  const std::string copy = lines[at];
  const size_t before = choices.chance(0.5) ? at + 1 : at + 1 + choices.index(returnLine(lines) - at);
  lines.insert(lines.begin() + static_cast<NodeIndex>(before), copy);
  return true;
}

bool wrapInLoop(Lines& lines, Choices& choices) {
  const std::vector<size_t> found = statements(lines);
  std::vector<std::string> tensors;
  for (const auto& [type, names] : tensorsByType(lines)) {
    if (!type.ends_with("[]")) tensors.insert(tensors.end(), names.begin(), names.end());
  }
  if (found.empty() || tensors.empty()) return false;
  const size_t at = choices.pick(found);
  lines.insert(lines.begin() + static_cast<NodeIndex>(at) + 1, "}");
  lines.insert(lines.begin() + static_cast<NodeIndex>(at), "for wrapped in " + choices.pick(tensors) + " {axis = 0} {");
  return true;
}

// "key = 3" or "key = index0" in a line, and another value.
bool changeField(std::string& line, const std::string& key, const std::vector<std::string>& values, Choices& choices) {
  const size_t at = line.find(key + " = ");
  if (at == std::string::npos || values.empty()) return false;
  const size_t begin = at + key.size() + 3;
  size_t close = begin;
  while (close < line.size() && isNameByte(line[close])) ++close;
  const std::string value = choices.pick(values), former = line.substr(begin, close - begin);
  line.replace(begin, close - begin, value);
  return value != former;
}

std::vector<std::string> indicesOf(const Lines& lines) {
  std::vector<std::string> found;
  for (size_t i = firstStatement(lines); i < returnLine(lines); ++i) {
    const std::string_view text = trimmed(lines[i]);
    if (text.starts_with("for ")) found.emplace_back(text.substr(4, text.find(' ', 4) - 4));
  }
  return found;
}

// Of a select or a shard: another axis, another loop's index, wrapping or not, another part.
bool changeSelect(Lines& lines, Choices& choices) {
  std::vector<size_t> found = statements(lines, "select ");
  const std::vector<size_t> shards = statements(lines, "shard ");
  found.insert(found.end(), shards.begin(), shards.end());
  if (found.empty()) return false;
  std::string& line = lines[choices.pick(found)];
  switch (choices.index(4)) {
    case 0: return changeField(line, "axis", {"0", "1", "2", "3"}, choices);
    case 1: return changeField(line, "index", indicesOf(lines), choices);
    case 2: return changeField(line, choices.chance(0.5) ? "part" : "parts", {"0", "1", "2", "3"}, choices);
    default: {
      const size_t wraps = line.find(", wraps}");
      if (wraps != std::string::npos) {
        line.replace(wraps, 8, "}");
      } else {
        line.replace(line.size() - 1, 1, ", wraps}");
      }
      return true;
    }
  }
}

// "saved0", "by index0"
std::string_view streamIn(const std::string& line) {
  const std::string_view text = trimmed(line);
  for (std::string_view word : {"get stream ", "set stream ", "synchronize "}) {
    if (text.starts_with(word)) return text.substr(word.size());
  }
  return "";
}

bool changeStream(Lines& lines, Choices& choices) {
  std::vector<size_t> found;
  std::set<std::string> streams;
  for (size_t at : statements(lines)) {
    if (streamIn(lines[at]).empty()) continue;
    found.push_back(at);
    streams.emplace(streamIn(lines[at]));
  }
  if (found.empty()) return false;
  std::string& line = lines[choices.pick(found)];
  const std::string former(streamIn(line));
  streams.erase(former);
  if (streams.empty()) return false;
  line.replace(line.size() - former.size(), former.size(),
               choices.pick(std::vector<std::string>(streams.begin(), streams.end())));
  return true;
}

// In one statement, another tensor of the type; both ways where both are there.
bool swapNames(Lines& lines, Choices& choices) {
  const auto types = tensorsByType(lines);
  std::vector<std::pair<size_t, std::pair<std::string, std::string>>> found;
  for (size_t at : statements(lines)) {
    for (const auto& [type, names] : types) {
      for (const std::string& name : names) {
        if (!touches(lines[at], name)) continue;
        for (const std::string& other : names) {
          if (other != name) found.push_back({at, {name, other}});
        }
      }
    }
  }
  if (found.empty()) return false;
  const auto& [at, names] = choices.pick(found);
  rename(lines[at], names.first, "%~");
  rename(lines[at], names.second, names.first);
  rename(lines[at], "%~", names.second);
  return true;
}

// In one statement, any tensor of the program instead of one of another type.
bool changeType(Lines& lines, Choices& choices) {
  const auto types = tensorsByType(lines);
  const std::vector<size_t> found = statements(lines);
  if (found.empty() || types.size() < 2) return false;
  std::string& line = lines[choices.pick(found)];
  std::vector<std::string> names, others;
  for (const auto& [type, all] : types) {
    for (const std::string& name : all) (touches(line, name) ? names : others).push_back(name);
  }
  if (names.empty() || others.empty()) return false;
  const std::string& other = choices.pick(others);
  rename(line, choices.pick(names), other);
  return true;
}

// Of a collective: two ranks of the team change places, one is another, one is missing, or another one is the root.
bool changeRanks(Lines& lines, Choices& choices) {
  std::vector<size_t> found;
  for (size_t at : statements(lines)) {
    if (lines[at].find("{team = [") != std::string::npos) found.push_back(at);
  }
  if (found.empty()) return false;
  std::string& line = lines[choices.pick(found)];
  if (choices.chance(0.3)) return changeField(line, "root", {"0", "1", "2", "3"}, choices);
  const size_t open = line.find('[', line.find("{team = ")) + 1, close = line.find(']', open);
  std::vector<std::string> team;
  std::istringstream ranks(line.substr(open, close - open));
  for (std::string rank; std::getline(ranks, rank, ',');) team.emplace_back(trimmed(rank));
  if (team.empty()) return false;
  const std::vector<std::string> former = team;
  switch (choices.index(3)) {
    case 0: std::reverse(team.begin(), team.end()); break;
    case 1: team[choices.index(team.size())] = std::to_string(choices.integer(0, 8)); break;
    default: team.pop_back(); break;
  }
  std::string text;
  for (const std::string& rank : team) text += (text.empty() ? "" : ", ") + rank;
  line.replace(open, close - open, text);
  return team != former;
}

bool changeReduction(Lines& lines, Choices& choices) {
  std::vector<size_t> found;
  for (size_t at : statements(lines)) {
    if (lines[at].find("reduction = ") != std::string::npos) found.push_back(at);
  }
  return !found.empty() && changeField(lines[choices.pick(found)], "reduction", {"sum", "prod", "min", "max"}, choices);
}

constexpr HostMutation kHostMutations[] = {
    {"DropWait", "nobody waits for a communication", &dropWait, true, true},
    {"FreeEarly", "memory is given back before something that touches it", &freeEarly, true, true},
    {"DropAllocate", "there is no memory for what is touched", &dropAllocate, true, true},
    {"AllocateLate", "memory comes behind something that touches it", &allocateLate, true, true},
    {"DropSynchronize", "a stream does not wait for another", &dropSynchronize, false, true},
    {"DropFree", "memory is never given back", &dropFree, false, true},
    {"DropStatement", "a statement is left out", &dropStatement},
    {"SwapNeighbours", "two statements change places", &swapNeighbours},
    {"MoveStatement", "a statement stands anywhere else", &moveStatement},
    {"DuplicateStatement", "a statement appears twice", &duplicateStatement},
    {"WrapInLoop", "a statement is done once for each place of some axis", &wrapInLoop},
    {"ChangeSelect", "another axis, index or part of a tensor", &changeSelect},
    {"ChangeStream", "another stream", &changeStream, false, true},
    {"SwapNames", "another tensor of the type", &swapNames},
    {"ChangeType", "a tensor of another type", &changeType},
    {"ChangeRanks", "another team, or root, of a collective", &changeRanks},
    {"ChangeReduction", "partial results are joined otherwise", &changeReduction},
};

}  // namespace

std::span<const HostMutation> hostMutations() { return kHostMutations; }

std::optional<std::string> mutateHostProgram(const std::string& program, const HostMutation& mutation,
                                             Choices& choices) {
  Lines lines;
  std::istringstream text(program);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  FUSER_CHECK(lines.size() >= 3 && startsWith(lines[lines.size() - 2], "return"), "this is not a host program:\n",
              program);
  if (!mutation.apply(lines, choices)) return std::nullopt;
  std::string mutated;
  for (const std::string& line : lines) mutated += line + "\n";
  return mutated == program ? std::nullopt : std::optional(std::move(mutated));
}

}  // namespace fuser::fuzz

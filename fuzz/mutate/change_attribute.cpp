// ChangeAttribute: other axes of a reduction, a broadcast or a permutation, another dtype, an entry of a shape.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// "[0, 2]" -> the entries; a single entry where there are no brackets.
std::vector<std::string> entriesOf(const std::string& value) {
  std::vector<std::string> entries(1);
  int depth = 0;
  for (char c : value) {
    depth += c == '(';
    depth -= c == ')';
    if (c == ',' && depth == 0) {
      entries.emplace_back();
    } else if (c != '[' && c != ']' && (c != ' ' || depth > 0)) {
      entries.back() += c;
    }
  }
  return entries;
}

std::string listOf(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "[" : ", ") + entry;
  return text.empty() ? "[]" : text + "]";
}

}  // namespace

bool mutateChangeAttribute(Draft& draft, const Draft*, Choices& choices) {
  std::vector<size_t> lines;
  for (size_t i = 0; i < draft.lines.size(); ++i) {
    if (!draft.lines[i].attributes.empty()) lines.push_back(i);
  }
  if (lines.empty()) return false;
  auto& attributes = draft.lines[choices.pick(lines)].attributes;
  auto& [key, value] = attributes[choices.index(attributes.size())];
  if (key == "dtype") {
    value = dtypeName(choices.pick(kAllDataTypes));
    return true;
  }
  if (value.empty() || value[0] != '[') {
    value = std::to_string(choices.integer(-2, 4));
    return true;
  }
  std::vector<std::string> entries = entriesOf(value);
  switch (choices.index(4)) {
    case 0: entries[choices.index(entries.size())] = std::to_string(choices.integer(-2, 5)); break;
    case 1: entries.push_back(std::to_string(choices.integer(0, 4))); break;
    case 2: entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(choices.index(entries.size()))); break;
    default: std::reverse(entries.begin(), entries.end()); break;
  }
  value = listOf(entries);
  return true;
}

}  // namespace fuser::fuzz

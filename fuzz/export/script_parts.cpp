#include "fuzz/export/script_parts.h"

#include <cctype>
#include <utility>
#include <vector>

namespace fuser::fuzz {
namespace {

struct Part {
  std::string text;
  std::string function;  // its name; empty: no function
  bool heads = false;    // a comment above functions
  bool kept = false;
};

std::string functionIn(const std::string& text) {
  constexpr std::string_view kDef = "def ";
  if (text.rfind(kDef, 0) != 0) return "";
  return text.substr(kDef.size(), text.find('(') - kDef.size());
}

std::vector<Part> partsOf(std::string_view fixed) {
  std::vector<Part> parts;
  constexpr std::string_view kBetween = "\n\n\n";
  while (!fixed.empty()) {
    const size_t end = fixed.find(kBetween);
    Part part;
    part.text = fixed.substr(0, end);
    part.function = functionIn(part.text);
    part.heads = part.text.rfind("# ---", 0) == 0;
    part.kept = part.function.empty() && !part.heads;
    parts.push_back(std::move(part));
    fixed = end == fixed.npos ? "" : fixed.substr(end + kBetween.size());
  }
  return parts;
}

bool isWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool names(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isWordByte(text[at - 1])) && (end == text.size() || !isWordByte(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::string partsThatAreNamed(std::string_view fixed, const std::string& text) {
  std::vector<Part> parts = partsOf(fixed);
  std::string seen = text;
  for (const Part& part : parts) seen += part.kept ? "\n" + part.text : "";
  for (bool changed = true; changed;) {
    changed = false;
    for (Part& part : parts) {
      if (part.kept || part.heads || !names(seen, part.function)) continue;
      part.kept = changed = true;
      seen += "\n" + part.text;
    }
  }
  std::string out, heading;
  for (const Part& part : parts) {
    if (part.heads) heading = part.text;
    if (!part.kept) continue;
    const bool headed = !part.function.empty() && !heading.empty();
    for (const std::string& piece : {headed ? std::exchange(heading, "") : "", part.text}) {
      if (!piece.empty()) out += (out.empty() ? "" : "\n\n\n") + piece;
    }
  }
  return out;
}

}  // namespace fuser::fuzz

// Reads cost tables, and holds one against the other.

#include "reports/cost_tables.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "fuser/support/check.h"
#include "reports/figures.h"

namespace reports {
namespace {

constexpr const char* kTotal = "total";
constexpr const char* kBegin = "cost of ";
constexpr const char* kHeadings =
    "kernel launches blocks threads shared requested per block compulsory conflicts barriers weights once registers";

std::vector<std::string> wordsOf(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& origin) : in_(text) { table_.origin = origin; }

  CostTable read() {
    while (next()) {
      if (line_.rfind(kBegin, 0) == 0) readProgram();
    }
    FUSER_USER_CHECK(!table_.programs.empty(), table_.origin,
                     " has no costs; make them with fuser-opt FILE… --print=cost");
    return std::move(table_);
  }

 private:
  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(in_, line_));
  }

  void check(bool good, const char* problem) const {
    FUSER_USER_CHECK(good, table_.origin, ", line ", number_, ": ", problem);
  }

  void readProgram() {
    ProgramCosts program;
    const size_t comma = line_.find(", run ");
    check(comma != line_.npos, "expected 'cost of NAME, run …'");
    program.name = line_.substr(std::string_view(kBegin).size(), comma - std::string_view(kBegin).size());
    program.what = line_.substr(comma + 2);
    check(std::none_of(table_.programs.begin(), table_.programs.end(),
                       [&](const ProgramCosts& other) { return other.name == program.name; }),
          "this program is there already");
    std::string headings;
    check(next(), "the table ends in a program");
    for (const std::string& word : wordsOf(line_)) headings += (headings.empty() ? "" : " ") + word;
    check(headings == kHeadings, "these are not the headings of a cost table of this version");
    while (program.lines.empty() || program.lines.back().name != kTotal) {
      check(next(), "the table ends in a program");
      program.lines.push_back(lineOf(wordsOf(line_)));
    }
    table_.programs.push_back(std::move(program));
  }

  // A kernel has each count; the total ends with "traffic", a ratio that follows from the counts, and maybe "N bytes of
  // copies".
  CostLine lineOf(const std::vector<std::string>& words) const {
    CostLine line;
    line.counts.fill(-1);
    const bool total = !words.empty() && words[0] == kTotal;
    const bool copies = total && words.size() == 16;
    check(copies || words.size() == (total ? 12 : 1 + kColumns), "expected the counts of a kernel, or a total");
    line.name = words[0];
    size_t word = 1;
    for (size_t i = 0; i < kColumns; ++i) {
      const auto count = static_cast<Count>(i);
      if (total && (count == Count::Threads || count == Count::Shared || count == Count::Registers)) continue;
      line.counts[i] = count == Count::Registers && words[word] == "-" ? -1 : numberOf(words[word]);
      ++word;
    }
    check(!total || words[word] == "traffic", "expected the traffic at the end of a total");
    if (total) line.counts[static_cast<size_t>(Count::Copied)] = copies ? numberOf(words[word + 2]) : 0;
    return line;
  }

  int64_t numberOf(const std::string& word) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    check(error == std::errc() && end == word.data() + word.size() && value >= 0, "expected a count");
    return value;
  }

  std::istringstream in_;
  std::string line_;
  size_t number_ = 0;
  CostTable table_;
};

// By name and place among those of the name.
std::map<std::pair<std::string, size_t>, const CostLine*> linesByName(const ProgramCosts& program) {
  std::map<std::pair<std::string, size_t>, const CostLine*> lines;
  std::map<std::string, size_t> seen;
  for (const CostLine& line : program.lines) lines[{line.name, seen[line.name]++}] = &line;
  return lines;
}

void compare(const ProgramCosts& before, const ProgramCosts& after, CostCheck& check) {
  const auto others = linesByName(after);
  std::map<std::string, size_t> seen;
  for (const CostLine& line : before.lines) {
    const auto other = others.find({line.name, seen[line.name]++});
    if (other == others.end()) {
      check.notes.push_back("gone: " + before.name + " " + line.name);
      continue;
    }
    for (size_t i = 0; i < kCounts; ++i) {
      const int64_t was = line.counts[i], is = other->second->counts[i];
      if (was != is && was >= 0 && is >= 0) {
        check.changes.push_back({before.name, line.name, static_cast<Count>(i), was, is});
      }
    }
  }
  const auto own = linesByName(before);
  for (const auto& [key, line] : others) {
    if (!own.count(key)) check.notes.push_back("new: " + after.name + " " + line->name);
  }
}

enum class Direction : uint8_t { More, Less, Other };

Direction directionOf(const CostChange& change) {
  if (!costs(change.count)) return Direction::Other;
  return change.after > change.before ? Direction::More : Direction::Less;
}

}  // namespace

const char* countName(Count count) {
  switch (count) {
    case Count::Launches: return "launches";
    case Count::Blocks: return "blocks";
    case Count::Threads: return "threads";
    case Count::Shared: return "shared";
    case Count::Requested: return "requested";
    case Count::PerBlock: return "per block";
    case Count::Compulsory: return "compulsory";
    case Count::Conflicts: return "conflicts";
    case Count::Barriers: return "barriers";
    case Count::Weights: return "weights";
    case Count::Once: return "once";
    case Count::Registers: return "registers";
    case Count::Copied: return "bytes of copies";
  }
  FUSER_CHECK(false, "bad Count");
}

bool costs(Count count) {
  switch (count) {
    case Count::Launches:
    case Count::Requested:
    case Count::PerBlock:
    case Count::Compulsory:
    case Count::Conflicts:
    case Count::Barriers:
    case Count::Copied: return true;
    case Count::Blocks:
    case Count::Threads:
    case Count::Shared:
    case Count::Weights:  // parts of other columns
    case Count::Once:
    case Count::Registers: return false;
  }
  FUSER_CHECK(false, "bad Count");
}

CostTable parseCostTable(const std::string& text, const std::string& origin) { return Reader(text, origin).read(); }

CostCheck compareCosts(const CostTable& baseline, const CostTable& current) {
  CostCheck check;
  const auto find = [](const CostTable& table, const std::string& name) {
    return std::find_if(table.programs.begin(), table.programs.end(),
                        [&](const ProgramCosts& program) { return program.name == name; });
  };
  for (const ProgramCosts& before : baseline.programs) {
    const auto after = find(current, before.name);
    if (after == current.programs.end()) {
      check.missingPrograms.push_back(before.name + " is in the baseline alone");
    } else if (after->what != before.what) {
      check.missingPrograms.push_back(before.name + " ran on other inputs: " + before.what + ", then " + after->what);
    } else {
      compare(before, *after, check);
    }
  }
  for (const ProgramCosts& after : current.programs) {
    if (find(baseline, after.name) == baseline.programs.end()) {
      check.notes.push_back("new: " + after.name + " is not in the baseline");
    }
  }
  return check;
}

bool anyTotalGrew(const CostCheck& check) {
  return std::any_of(check.changes.begin(), check.changes.end(), [](const CostChange& change) {
    return change.line == kTotal && directionOf(change) == Direction::More;
  });
}

std::string toText(const CostCheck& check) {
  std::vector<CostChange> changes = check.changes;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CostChange& a, const CostChange& b) { return directionOf(a) < directionOf(b); });
  std::string text;
  if (changes.empty()) text = "all counts that both tables have are the same\n";
  size_t program = 7, line = 6;
  for (const CostChange& change : changes) {
    program = std::max(program, change.program.size());
    line = std::max(line, change.line.size());
  }
  const auto row = [&](const char* verdict, const std::string& name, const std::string& kernel, const char* count,
                       const std::string& before, const std::string& after) {
    text += padded(verdict, 7, false) + padded(name, program + 2, false) + padded(kernel, line + 2, false) +
            padded(count, 10, false) + padded(before, 14, true) + padded(after, 14, true) + "\n";
  };
  if (!changes.empty()) row("", "program", "kernel", "count", "before", "after");
  for (const CostChange& change : changes) {
    const Direction direction = directionOf(change);
    row(direction == Direction::More   ? "MORE"
        : direction == Direction::Less ? "LESS"
                                       : "OTHER",
        change.program, change.line, countName(change.count), std::to_string(change.before),
        std::to_string(change.after));
  }
  for (const std::string& name : check.missingPrograms) text += "not compared: " + name + "\n";
  for (const std::string& note : check.notes) text += note + "\n";
  return text;
}

}  // namespace reports

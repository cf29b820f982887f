#include "tests/architecture/checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace architecture {
namespace {

constexpr std::array kRoots = {"fuser", "oracle", "reports", "fuzz", "tests"};
constexpr std::array kTopLevel = {"CMakeLists.txt", "CMakePresets.json", "README.md", "fuser", "fuzz", "oracle",
                                  "corpus",         "reports",           "tests"};
constexpr size_t kMaxLines = 600;
constexpr size_t kMaxColumns = 120;

std::string firstOf(const std::string& path) { return path.substr(0, path.find('/')); }

std::string folderOf(const std::string& path) { return std::filesystem::path(path).parent_path(); }

bool isIn(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

bool isRoot(const std::string& name) { return std::find(kRoots.begin(), kRoots.end(), name) != kRoots.end(); }

bool isUnderRoot(const std::string& path) { return isRoot(firstOf(path)) && path.find('/') != path.npos; }

// The declared folder that the path lies in: the innermost one; empty if there is none.
std::string layerOf(const std::string& path, const Layers& layers) {
  for (std::string folder = folderOf(path); !folder.empty(); folder = folderOf(folder)) {
    if (layers.count(folder)) return folder;
  }
  return "";
}

void collectUses(const std::string& layer, const Layers& layers, std::set<std::string>& uses) {
  const auto it = layers.find(layer);
  if (it == layers.end()) return;
  for (const std::string& use : it->second) {
    if (uses.insert(use).second) collectUses(use, layers, uses);
  }
}

std::set<std::string> usesOf(const std::string& layer, const Layers& layers) {
  std::set<std::string> uses;
  collectUses(layer, layers, uses);
  return uses;
}

// Calls visit(place "path:line", match) for each match in the code, comments and literals left out; of other files than
// code there is none.
template <class Visit>
void forEachMatch(const std::string& path, const std::string& text, const std::regex& pattern, Visit visit) {
  if (!isCode(path)) return;
  std::istringstream lines(codeOnly(text));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, pattern)) visit(path + ":" + std::to_string(number), match);
  }
}

// UTF-8: what follows a character's first byte takes no column.
size_t columnsOf(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

const std::regex& quotedInclude() {
  static const std::regex pattern(R"re(^\s*#\s*include\s*"([^"]*)")re");
  return pattern;
}

}  // namespace

Messages checkIncludes(const Repository& repository) {
  Messages messages;
  const Layers& layers = repository.layers;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || !isUnderRoot(path)) continue;
    const std::string from = layerOf(path, layers);
    const bool isTest = firstOf(path) == "tests";
    if (from.empty() && !isTest) {
      messages.push_back(path + ": lies in no layer; declare its folder in CMakeLists.txt");
      continue;
    }
    const std::set<std::string> uses = usesOf(from, layers);
    forEachMatch(path, text, quotedInclude(), [&](const std::string& place, const std::smatch& match) {
      const std::string included = match[1];
      if (!isUnderRoot(included)) {
        messages.push_back(place + ": includes \"" + included + "\"; includes start at the repository root");
        return;
      }
      const std::string to = layerOf(included, layers);
      if (isTest || to == from || uses.count(to)) return;
      messages.push_back(place + ": includes " + included + ", but " + from + " does not declare to use " +
                         (to.empty() ? folderOf(included) : to) +
                         "; a layer uses only those above it in CMakeLists.txt");
    });
  }
  return messages;
}

Messages checkEdgesAreUsed(const Repository& repository) {
  std::set<std::pair<std::string, std::string>> used;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path)) continue;
    const std::string from = layerOf(path, repository.layers);
    forEachMatch(path, text, quotedInclude(), [&](const std::string&, const std::smatch& match) {
      used.emplace(from, layerOf(match[1], repository.layers));
    });
  }
  Messages messages;
  for (const auto& [layer, uses] : repository.layers) {
    for (const std::string& use : uses) {
      if (used.count({layer, use})) continue;
      messages.push_back("CMakeLists.txt: " + layer + " declares to use " + use +
                         ", of which its files include nothing; take the edge away");
    }
  }
  return messages;
}

Messages checkCycles(const Repository& repository) {
  Messages messages;
  for (const auto& [layer, uses] : repository.layers) {
    if (usesOf(layer, repository.layers).count(layer)) {
      messages.push_back("CMakeLists.txt: " + layer + " uses itself, through " + uses.front());
    }
  }
  return messages;
}

Messages checkEverythingIsBuilt(const Repository& repository) {
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!path.ends_with(".cpp") || !isUnderRoot(path)) continue;
    const std::string folder = folderOf(path);
    const bool mirrorsLayer = isIn(folder, "tests") && repository.layers.count(folder.substr(sizeof("tests/") - 1));
    if (!mirrorsLayer && !repository.layers.count(folder)) {
      messages.push_back(path + ": is in no build; CMakeLists.txt declares no " + folder);
    }
  }
  return messages;
}

Messages checkLibTorch(const Repository& repository) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]((ATen|torch|c10)/[^>"]*))re");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || isIn(path, "oracle") || isIn(path, "tests/oracle")) continue;
    forEachMatch(path, text, pattern, [&](const std::string& place, const std::smatch& match) {
      messages.push_back(place + ": includes " + match[1].str() + ", but only oracle/ may use LibTorch");
    });
  }
  return messages;
}

Messages checkReferenceSeesOpNamesOnly(const Repository& repository) {
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || !isIn(path, "oracle/reference")) continue;
    forEachMatch(path, text, quotedInclude(), [&](const std::string& place, const std::smatch& match) {
      if (isIn(match[1], "fuser/ops") && match[1] != "fuser/ops/op_kind.h") {
        messages.push_back(place + ": includes " + match[1].str() +
                           ", but the reference may see only the names of ops, in fuser/ops/op_kind.h");
      }
    });
  }
  return messages;
}

Messages checkOracleLinksNoCompiler(const Repository& repository) {
  const std::set<std::string> language = {"fuser/support", "fuser/types", "fuser/ops", "fuser/ir", "fuser/case"};
  std::set<std::string> judging = language;
  judging.insert({"fuser/record", "oracle/reference"});
  Messages messages;
  for (const auto& [layer, allowed] : {std::pair{"oracle/reference", language}, std::pair{"oracle", judging}}) {
    for (const std::string& use : usesOf(layer, repository.layers)) {
      if (allowed.count(use) == 0) {
        messages.push_back(std::string("CMakeLists.txt: ") + layer + " links " + use +
                           ", but the oracle may link only the language of fusions and the record of a run");
      }
    }
  }
  return messages;
}

Messages checkNames(const Repository& repository) {
  static const std::regex fileName("(^|[/_.-])(utils?|helpers?|common|misc|managers?)([/_.-]|$)");
  static const std::regex className(
      R"(\b(class|struct)\s+(\w*(Utils?|Helpers?|Common|Misc|Manager)([A-Z]\w*)?)\s*([:{]|$))");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (std::smatch match; std::regex_search(path, match, fileName)) {
      messages.push_back(path + ": '" + match[2].str() + "' says nothing; name it after what it does");
    }
    forEachMatch(path, text, className, [&](const std::string& place, const std::smatch& match) {
      messages.push_back(place + ": '" + match[2].str() + "' says nothing; name it after what it does");
    });
  }
  return messages;
}

Messages checkTopLevel(const Repository& repository) {
  std::set<std::string> names;
  for (const auto& [path, text] : repository.tree) names.insert(firstOf(path));
  Messages messages;
  for (const std::string& name : names) {
    if (name[0] != '.' && std::find(kTopLevel.begin(), kTopLevel.end(), name) == kTopLevel.end()) {
      messages.push_back(name + ": does not belong at the top level");
    }
  }
  return messages;
}

Messages checkLongTestsAreListed(const Repository& repository) {
  static const std::regex target(R"re((?:^|\n)check\((\w+))re");
  const auto build = repository.tree.find("CMakeLists.txt");
  const auto document = repository.tree.find("tests/README.md");
  if (build == repository.tree.end() || document == repository.tree.end()) return {};
  Messages messages;
  const std::string& text = build->second;
  for (std::sregex_iterator it(text.begin(), text.end(), target), end; it != end; ++it) {
    const std::string name = (*it)[1];
    if (document->second.find("\n| `" + name + "` |") == std::string::npos) {
      messages.push_back("tests/README.md: the table of checks has no row for the target " + name);
    }
  }
  return messages;
}

Messages checkNoFriend(const Repository& repository) {
  static const std::regex pattern(R"(\bfriend\b)");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    forEachMatch(path, text, pattern, [&](const std::string& place, const std::smatch&) {
      messages.push_back(place + ": has a friend; give the class the interface that its users need");
    });
  }
  return messages;
}

Messages checkSetUpErrorHandlers(const Repository& repository) {
  // Who says the error to a person: the end of a program; a corpus that gets nothing, though the ledger does.
  static const std::set<std::string> says = {"fuzz/cli/main.cpp", "fuzz/campaign/bucket_minimizer.cpp"};
  static const std::regex handler(R"re(catch \(const UserError&[^)]*\) \{\s*(rethrowIfSetUpError\(|throw;)?)re");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || !isUnderRoot(path) || isIn(path, "tests") || says.count(path)) continue;
    const std::string code = codeOnly(text);
    for (std::sregex_iterator match(code.begin(), code.end(), handler), end; match != end; ++match) {
      if ((*match)[1].matched) continue;
      const auto line = 1 + std::count(code.begin(), code.begin() + match->position(), '\n');
      messages.push_back(path + ":" + std::to_string(line) +
                         ": treats a SetUpError as the user's error; call rethrowIfSetUpError(error) first");
    }
  }
  return messages;
}

Messages checkLength(const Repository& repository) {
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path)) continue;
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines > kMaxLines) {
      messages.push_back(path + ": has " + std::to_string(lines) + " lines; split it, " + std::to_string(kMaxLines) +
                         " is the limit");
    }
  }
  return messages;
}

Messages checkColumns(const Repository& repository) {
  static const std::regex comment(R"(^\s*//)");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path)) continue;
    const std::set<size_t> raw = linesOfRawStrings(text);
    std::istringstream lines(text);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      const size_t columns = columnsOf(line);
      if (raw.count(++number) || columns <= kMaxColumns) continue;
      if (path.ends_with(".def") && !std::regex_search(line, comment)) continue;
      messages.push_back(path + ":" + std::to_string(number) + ": has " + std::to_string(columns) +
                         " columns; wrap it, " + std::to_string(kMaxColumns) + " is the limit");
    }
  }
  return messages;
}

Messages checkOwnNames(const Repository& repository) {
  static const std::regex constant(R"(^(?:const|constexpr) [\w:<>, *]+ (\w+)(?:\[\])? ?[={])"),
      type(R"(^(?:struct|class|enum class) (\w+)\b[^;]*\{)");
  Messages messages;
  std::map<std::string, std::string> firstWith;  // by folder and name
  for (const auto& [path, text] : repository.tree) {
    if (!path.ends_with(".cpp") || isIn(path, "tests")) continue;
    std::istringstream lines(text);
    bool isAnonymous = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "namespace {") isAnonymous = true;
      if (line == "}  // namespace") isAnonymous = false;
      std::smatch match;
      if (!isAnonymous || (!std::regex_search(line, match, constant) && !std::regex_search(line, match, type)))
        continue;
      const auto [first, isNew] = firstWith.emplace(folderOf(path) + " " + match[1].str(), path);
      if (!isNew && first->second != path)
        messages.push_back(path + ": names " + match[1].str() + ", as " + first->second +
                           " does; give it another name");
    }
  }
  return messages;
}

Messages checkAll(const Repository& repository) {
  Messages all;
  for (const auto check : {checkIncludes, checkEdgesAreUsed, checkCycles, checkEverythingIsBuilt, checkLists,
                           checkLibTorch, checkReferenceSeesOpNamesOnly, checkOracleLinksNoCompiler, checkNames,
                           checkTopLevel, checkLongTestsAreListed, checkNoFriend, checkSetUpErrorHandlers, checkLength,
                           checkColumns, checkOwnNames, checkCitations, checkExpectedTexts}) {
    const Messages messages = check(repository);
    all.insert(all.end(), messages.begin(), messages.end());
  }
  return all;
}

}  // namespace architecture

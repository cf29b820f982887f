#include "fuzz/cli/resume.h"

#include <algorithm>
#include <string_view>

#include "fuser/support/check.h"
#include "fuzz/campaign/artifacts.h"

namespace fuser::fuzz {
namespace {

// A campaign with another value of these is another campaign.
constexpr std::string_view kFixed =
    " --parents --seed --only --exclude --favour --seldom --median-elements --max-elements --fault --no-probes "
    "--second-looks --sample-invariants --no-compilers --target --exact-data --mixed-data --shard corpora --ops "
    "--depth --dtypes --ranks --feedback --working-corpus --no-swarm ";
// These may be typed anew. (How long it runs, --runs and --max-total-time, the campaign keeps itself: one replaces
// both.)
constexpr std::string_view kFree =
    " --jobs --timeout --rss-limit-mb --max-findings --max-artifact-mb --report-slow-units --no-minimize "
    "--known-issues --grow-corpus ";

bool isOneOf(std::string_view words, const std::string& name) {
  return words.find(concat(" ", name, " ")) != std::string_view::npos;
}

// As a person would type it.
std::string typed(const CLI::Option& option, std::string words) {
  const std::string name = option.get_name();
  if (words.empty()) return "without " + name;
  if (name == "corpora") return "with" + words;
  if (option.get_delimiter() != '\0') std::replace(words.begin() + 1, words.end(), ' ', option.get_delimiter());
  return concat("with ", name, words == " true" ? "" : words);
}

std::string usualWords(const CLI::Option& option) {
  const std::string usual = option.get_default_str();
  return usual.empty() || usual == "false" ? "" : shellQuoted(std::vector<std::string>{usual});
}

std::string wordsOf(const CLI::Option& option) {
  const std::string words = shellQuoted(option.results());
  return words == " false" ? "" : words;
}

// 0 stands for whatever seed.
bool isTyped(const CLI::Option& option) {
  return option.count() > 0 && !(option.get_name() == "--seed" && option.results().back() == "0");
}

}  // namespace

std::map<std::string, std::string> keptArguments(const CLI::App& run) {
  std::map<std::string, std::string> kept;
  for (const CLI::Option* option : run.get_options()) {
    const std::string name = option->get_name();
    if (isTyped(*option) && (isOneOf(kFixed, name) || isOneOf(kFree, name))) kept[name] = wordsOf(*option);
  }
  return kept;
}

void takeKeptArguments(CLI::App& run, const std::map<std::string, std::string>& kept, const std::string& lineToType) {
  for (CLI::Option* option : run.get_options()) {
    const std::string name = option->get_name();
    const auto found = kept.find(name);
    if (isTyped(*option)) {
      if (!isOneOf(kFixed, name)) continue;
      const std::string begun = found != kept.end() ? found->second : usualWords(*option);
      FUSER_USER_CHECK(wordsOf(*option) == begun, "the campaign was begun ", typed(*option, begun), ", not ",
                       typed(*option, wordsOf(*option)), "; to go on, type: ", lineToType);
    } else if (found != kept.end() && !found->second.empty()) {
      option->clear();  // a seed of 0
      option->add_result(shellWords(found->second));
      option->run_callback();
    }
  }
}

}  // namespace fuser::fuzz

#include "fuzz/history/bisect.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <map>

#include "fuser/support/check.h"
#include "fuzz/history/judged_commit.h"
#include "fuzz/history/work_trees.h"
#include "reports/line_diff.h"

namespace fuser::fuzz {
namespace {

namespace fs = std::filesystem;
using reports::BisectedCommit;

bool isHash(const std::string& text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string hashOf(const fs::path& repository, const std::string& name) {
  const ShellResult result =
      git(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  FUSER_USER_CHECK(result.exitCode == 0, "there is no commit ", name, " in ", repository.string());
  return result.lastLine();
}

// The ends, before anything is built.
struct Ends {
  std::string good, bad;
};

Ends endsOf(const BisectOptions& options) {
  gitOutput(options.repository, {"rev-parse", "--git-common-dir"});
  const Ends ends{hashOf(options.repository, options.good), hashOf(options.repository, options.bad)};
  FUSER_USER_CHECK(ends.good != ends.bad, options.good, " and ", options.bad, " are one commit");
  const ShellResult result = git(options.repository, {"merge-base", "--is-ancestor", ends.good, ends.bad});
  FUSER_USER_CHECK(result.exitCode == 0, options.good, " is no ancestor of ", options.bad,
                   ": name an earlier commit with --good");
  return ends;
}

class Search {
 public:
  Search(const BisectOptions& options, const std::function<bool()>& interrupted,
         const std::function<void(const std::string&)>& say)
      : options_(options),
        interrupted_(interrupted),
        say_(say),
        ends_(endsOf(options)),
        file_(fs::canonical(options.file)),
        trees_(options.repository, options.keep, std::max<size_t>(options.jobs, 1)) {}

  reports::Bisection run() {
    result_.file = options_.file.filename().string();
    result_.good = described(ends_.good);
    result_.bad = described(ends_.bad);
    checkEnds();
    std::string said = sayToGit({"bisect", "start", "--no-checkout", ends_.bad, ends_.good});
    while (!takeEnd(said)) {
      const std::string commit = gitOutputInControl({"rev-parse", "BISECT_HEAD"});
      if (!known_.contains(commit)) judge(withLikelyNext(commit));
      const JudgedCommit& judged = known_.at(commit);
      if (judged.state == CommitState::Good) goods_.push_back(commit);
      if (judged.state == CommitState::Bad) lastBad_ = commit;
      said = sayToGit({"bisect", std::string(commitStateName(judged.state)), commit});
    }
    result_.tested = static_cast<int64_t>(known_.size());
    return std::move(result_);
  }

 private:
  BisectedCommit described(const std::string& commit) const {
    return {commit, gitOutput(options_.repository, {"log", "-1", "--format=%s", commit})};
  }

  std::string gitOutputInControl(const std::vector<std::string>& arguments) const {
    const ShellResult result = trees_.gitInControl(arguments);
    FUSER_USER_CHECK(result.exitCode == 0, "git ", arguments[0], ": ", result.lastLine());
    return result.lastLine();
  }

  // 2: nothing is left to test.
  std::string sayToGit(const std::vector<std::string>& arguments) const {
    const ShellResult result = trees_.gitInControl(arguments);
    FUSER_USER_CHECK(result.exitCode == 0 || result.exitCode == 2, "git bisect: ", result.lastLine());
    return result.output;
  }

  void checkEnds() {
    say_(concat("good and bad: ", ends_.good.substr(0, 12), " and ", ends_.bad.substr(0, 12),
                ", which are built first"));
    judge({ends_.good, ends_.bad});
    const JudgedCommit &good = known_.at(ends_.good), &bad = known_.at(ends_.bad);
    const auto cannot = [](const JudgedCommit& judged) { return concat("cannot be judged there: ", judged.why); };
    FUSER_USER_CHECK(good.state != CommitState::Skipped, options_.good, " is not good: the case ", cannot(good));
    FUSER_USER_CHECK(bad.state != CommitState::Skipped, options_.bad, " is not bad: the case ", cannot(bad));
    FUSER_USER_CHECK(bad.state == CommitState::Bad, options_.bad, " is not bad: the case does not fail there");
    FUSER_USER_CHECK(good.state == CommitState::Good, options_.good, " is not good: the case fails there, too (",
                     good.verdict, "); name an earlier commit with --good");
    result_.verdict = bad.verdict;
    goods_ = {ends_.good};
    lastBad_ = ends_.bad;
  }

  // Builds and judges all of them, as many at once as there are worktrees.
  void judge(const std::vector<std::string>& commits) {
    for (size_t begin = 0; begin < commits.size(); begin += trees_.count()) {
      if (interrupted_()) throw BisectInterrupted{};
      std::vector<std::future<JudgedCommit>> running;
      const size_t end = std::min(commits.size(), begin + trees_.count());
      for (size_t i = begin; i < end; ++i) {
        running.push_back(std::async(std::launch::async, [this, i, begin, &commits] {
          return judgeCommit(trees_.tree(i - begin), commits[i], options_.build, file_);
        }));
      }
      std::vector<JudgedCommit> judged;
      for (auto& one : running) judged.push_back(one.get());
      if (interrupted_()) throw BisectInterrupted{};  // which ended what was running
      for (size_t i = begin; i < end; ++i) note(commits[i], judged[i - begin]);
    }
  }

  // A case that fails in another way says nothing of this finding.
  void note(const std::string& commit, JudgedCommit judged) {
    const std::string& verdict = result_.verdict;
    if (judged.state == CommitState::Bad && !verdict.empty() && judged.verdict != verdict)
      judged = {CommitState::Skipped, "", concat("the case fails otherwise there: ", judged.verdict)};
    BisectedCommit told = described(commit);
    say_(concat(judged.state == CommitState::Skipped ? "skipped" : commitStateName(judged.state), "  ",
                commit.substr(0, 12), " ", told.subject, judged.why.empty() ? "" : ": ", judged.why));
    told.why = judged.why;
    if (judged.state == CommitState::Skipped) result_.skipped.push_back(told);
    known_[commit] = std::move(judged);
  }

  // The commit that git names, and those that it will name next, whatever comes of this one: as many as can be built at
  // once.
  std::vector<std::string> withLikelyNext(const std::string& commit) const {
    struct State {
      std::vector<std::string> goods;
      std::string bad, next;
    };
    std::vector<std::string> chosen;
    std::vector<State> states = {{goods_, lastBad_, commit}};
    for (size_t i = 0; i < states.size() && chosen.size() < trees_.count(); ++i) {
      State state = states[i];
      if (state.next.empty()) state.next = middleOf(state.goods, state.bad);
      if (state.next.empty() || state.next == state.bad) continue;
      const auto found = known_.find(state.next);
      const bool isNew = found == known_.end();
      if (isNew && std::find(chosen.begin(), chosen.end(), state.next) == chosen.end()) chosen.push_back(state.next);
      if (isNew || found->second.state == CommitState::Bad) states.push_back({state.goods, state.next, ""});
      if (!isNew && found->second.state != CommitState::Good) continue;
      state.goods.push_back(state.next);
      states.push_back({state.goods, state.bad, ""});
    }
    return chosen;
  }

  std::string middleOf(const std::vector<std::string>& goods, const std::string& bad) const {
    std::vector<std::string> arguments = {"rev-list", "--bisect", bad, "--not"};
    arguments.insert(arguments.end(), goods.begin(), goods.end());
    return git(options_.repository, arguments).lastLine();
  }

  // Whether git says that it has found the commit, or those among which it is.
  bool takeEnd(const std::string& said) {
    const std::vector<std::string> lines = reports::linesOf(said);
    for (size_t i = 0; i < lines.size(); ++i) {
      const size_t hashEnd = lines[i].find(' ');
      if (lines[i].ends_with(" is the first bad commit") && isHash(lines[i].substr(0, hashEnd))) {
        result_.firstBad = {described(lines[i].substr(0, hashEnd))};
        return true;
      }
      if (lines[i].starts_with("The first bad commit could be any of:")) {
        takeRange({lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end()});
        return true;
      }
    }
    return false;
  }

  // git names them in no order; history does.
  void takeRange(const std::vector<std::string>& lines) {
    std::vector<std::string> among;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(among), isHash);
    std::vector<std::string> arguments = {"rev-list", "--topo-order", "--reverse", lastBad_, "--not"};
    arguments.insert(arguments.end(), goods_.begin(), goods_.end());
    for (const std::string& commit : reports::linesOf(gitOutput(options_.repository, arguments))) {
      if (std::find(among.begin(), among.end(), commit) != among.end()) result_.firstBad.push_back(described(commit));
    }
  }

  const BisectOptions& options_;
  const std::function<bool()>& interrupted_;
  const std::function<void(const std::string&)>& say_;
  const Ends ends_;
  const fs::path file_;
  WorkTrees trees_;
  std::map<std::string, JudgedCommit> known_;  // by commit
  std::vector<std::string> goods_;
  std::string lastBad_;
  reports::Bisection result_;
};

}  // namespace

std::string usualBuild(size_t cores) {
  return concat("cmake --preset release && ninja -C build/release -j ", cores, " fuserfuzz");
}

reports::Bisection bisect(const BisectOptions& options, const std::function<bool()>& interrupted,
                          const std::function<void(const std::string&)>& say) {
  std::error_code error;
  FUSER_USER_CHECK(fs::is_regular_file(options.file, error), "there is no file ", options.file.string());
  return Search(options, interrupted, say).run();
}

}  // namespace fuser::fuzz

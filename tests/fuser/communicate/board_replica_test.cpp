// Ranks that share no memory, without a transport: programs with mistakes in them run on replicas whose events arrive
// in random order among ranks. However late anybody hears of anything, every wait ends, and the same ones fail as with
// all ranks in one process.

#include "fuser/communicate/board_replica.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <random>
#include <regex>

#include "tests/fuser/communicate/suite/faulty_program.h"

namespace fuser {
namespace {

using communicate_suite::Fault;
using communicate_suite::FaultyProgram;
using communicate_suite::Step;

// What a rank does, one after the other: post a step, or wait for it.
struct Action {
  size_t step = 0;
  bool isWait = false;
};

std::vector<Action> actionsOf(const FaultyProgram& faulty, int rank) {
  std::vector<Action> actions;
  std::vector<bool> running;
  const std::vector<Step>& steps = faulty.program.steps;
  for (size_t now = 0; now < steps.size(); ++now) {
    running.push_back(true);
    for (const Fault& fault : faulty.faults) {
      if (fault.rank != rank || fault.step != now || !running[now]) continue;
      if (fault.kind == Fault::Kind::Return) return actions;
      if (fault.kind == Fault::Kind::Skip) running[now] = false;
    }
    if (running[now]) actions.push_back({now, false});
    for (size_t earlier = 0; earlier <= now; ++earlier) {
      if (!running[earlier] || earlier + static_cast<size_t>(steps[earlier].delay[static_cast<size_t>(rank)]) > now)
        continue;
      actions.push_back({earlier, true});
      running[earlier] = false;
    }
  }
  for (size_t step = 0; step < running.size(); ++step) {
    if (running[step]) actions.push_back({step, true});
  }
  return actions;
}

class Simulation {
 public:
  Simulation(const FaultyProgram& faulty, uint64_t seed) : faulty_(faulty), random_(seed) {
    const int count = faulty.program.ranks;
    queues_.resize(static_cast<size_t>(count * count));
    for (int rank = 0; rank < count; ++rank) {
      ranks_.emplace_back(rank, count, [this, rank](const BoardEvent& event) { tell(rank, event); });
      ranks_.back().actions = actionsOf(faulty, rank);
      ranks_.back().posted.resize(faulty.program.steps.size());
    }
  }

  // By rank: a line a wait, and before it "error" where it failed; empty where ranks were left hanging.
  std::vector<std::string> run() {
    while (true) {
      std::vector<std::function<void()>> possible;
      for (size_t queue = 0; queue < queues_.size(); ++queue) {
        if (!queues_[queue].empty()) possible.push_back([this, queue] { deliver(queue); });
      }
      for (Rank& rank : ranks_) {
        if (!rank.left && !rank.awaited) possible.push_back([this, &rank] { advance(rank); });
      }
      if (possible.empty()) break;
      possible[random_() % possible.size()]();
    }
    std::vector<std::string> transcripts;
    for (const Rank& rank : ranks_) {
      if (!rank.left) return {};
      transcripts.push_back(rank.transcript);
    }
    return transcripts;
  }

 private:
  struct Rank {
    Rank(int number, int count, std::function<void(const BoardEvent&)> tell)
        : number(number), replica(number, count, std::move(tell)) {}
    int number;
    BoardReplica replica;
    std::vector<Action> actions;
    size_t at = 0;
    std::vector<std::shared_ptr<const PostedCollective>> posted;  // by step
    std::shared_ptr<const PostedCollective> awaited;
    std::vector<size_t> lost;  // steps whose post failed
    bool left = false;
    std::string transcript;
  };

  void tell(int from, const BoardEvent& event) {
    for (int to = 0; to < faulty_.program.ranks; ++to) {
      // As it travels.
      if (to != from) queues_[place(from, to)].push_back(BoardEvent::fromWords(event.words(), event.bytes));
    }
  }

  size_t place(int from, int to) const { return static_cast<size_t>(from * faulty_.program.ranks + to); }

  void deliver(size_t queue) {
    const size_t count = ranks_.size();
    Rank& to = ranks_[queue % count];
    to.replica.apply(static_cast<int>(queue / count), std::move(queues_[queue].front()));
    queues_[queue].pop_front();
    if (to.awaited) look(to);
  }

  void advance(Rank& rank) {
    if (rank.at == rank.actions.size()) {
      rank.replica.leave();
      rank.left = true;
      return;
    }
    const Action action = rank.actions[rank.at++];
    if (!action.isWait) return post(rank, action.step);
    if (std::count(rank.lost.begin(), rank.lost.end(), action.step)) return;
    const auto posted = rank.posted[action.step];
    if (!posted) return end(rank, false);  // not its business
    try {
      rank.replica.beginWait(*posted);
    } catch (const CommunicationError&) {
      return end(rank, true);
    }
    rank.awaited = posted;
    look(rank);
  }

  void look(Rank& rank) {
    try {
      if (!rank.replica.isOver(*rank.awaited)) return;
      end(rank, !rank.awaited->mismatch().empty());
    } catch (const CommunicationError&) {
      end(rank, true);
    }
    rank.awaited = nullptr;
  }

  static void end(Rank& rank, bool failed) { rank.transcript += failed ? "error\n\n" : "\n"; }

  void post(Rank& rank, size_t index) {
    Step step = faulty_.program.steps[index];
    if (!step.sends(rank.number) && !step.receives(rank.number)) return;
    for (const Fault& fault : faulty_.faults) {
      if (fault.rank == rank.number && fault.step == index) step.elements += fault.kind == Fault::Kind::MoreElements;
    }
    BoardEvent event;
    event.kind = BoardEvent::Kind::Post;
    event.circle.team = step.team;
    if (hasRoot(step.kind) && !step.inTeam(step.root)) event.circle.outsider = step.root;
    event.header = {step.kind, reduces(step.kind) ? step.reduction : Reduction::Sum, step.dtype, step.elements,
                    hasRoot(step.kind) ? step.root : -1};
    try {
      rank.posted[index] = rank.replica.post(event.circle, {event.header, {}});
    } catch (const CommunicationError&) {
      rank.transcript += "error\n";
      rank.lost.push_back(index);
      return;
    }
    event.number = rank.posted[index]->number;
    tell(rank.number, event);
  }

  const FaultyProgram& faulty_;
  std::mt19937_64 random_;
  std::deque<Rank> ranks_;
  std::vector<std::deque<BoardEvent>> queues_;  // by sender and receiver
};

// Without the errors' texts and what was received.
std::string pattern(const std::string& transcript) {
  const std::string errors = std::regex_replace(transcript, std::regex("[^\n]*[a-z][^\n]*"), "error");
  return std::regex_replace(errors, std::regex("[0-9]+"), "");
}

RC_GTEST_PROP(BoardReplicaTest, EveryWaitEndsAsInOneProcess, ()) {
  FaultyProgram faulty = *communicate_suite::arbitraryFaultyProgram(*rc::gen::resize(100, rc::gen::inRange(1, 7)));
  faulty.stubborn.assign(faulty.stubborn.size(), true);
  for (Fault& fault : faulty.faults) {
    if (fault.kind == Fault::Kind::Throw) fault.kind = Fault::Kind::Return;
  }
  std::vector<std::string> expected = transcripts(faulty, 1);
  expected.pop_back();  // what runRanks threw: nothing
  for (std::string& transcript : expected) transcript = pattern(transcript);
  for (uint64_t seed = 0; seed < 20; ++seed) RC_ASSERT(Simulation(faulty, seed).run() == expected);
}

}  // namespace
}  // namespace fuser

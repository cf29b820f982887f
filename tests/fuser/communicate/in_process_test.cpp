// The suite on all ranks in one process, and what holds there beyond it: outcomes do not depend on threads' speed.

#include "fuser/communicate/in_process.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <set>

#include "tests/fuser/communicate/suite/checks.h"
#include "tests/fuser/communicate/suite/faulty_program.h"

namespace fuser {
namespace {

using communicate_suite::arbitraryFaultyProgram;
using communicate_suite::arbitraryProgram;
using communicate_suite::Difference;
using communicate_suite::FaultyProgram;
using communicate_suite::RandomProgram;
using communicate_suite::transcripts;

int randomRanks() { return *rc::gen::resize(100, rc::gen::inRange(1, 9)); }

void checkProgramInProcess(const RandomProgram& program) {
  runRanks(program.ranks, [&](Communicator& communicator) { communicate_suite::checkProgram(communicator, program); });
}

class KindTest : public testing::TestWithParam<CollectiveKind> {};

TEST_P(KindTest, GivesWhatThePlainDefinitionGives) {
  const CollectiveKind kind = GetParam();
  EXPECT_TRUE(rc::check("", [&] { checkProgramInProcess(*arbitraryProgram(randomRanks(), 2, kind)); }));
}

INSTANTIATE_TEST_SUITE_P(All, KindTest, testing::ValuesIn(kAllCollectiveKinds),
                         [](const auto& info) { return std::string(collectiveName(info.param)); });

// Several teams are at work at once, and ranks post further collectives before they wait.
RC_GTEST_PROP(InProcessTest, ManyCollectivesAtOnce, ()) { checkProgramInProcess(*arbitraryProgram(randomRanks(), 12)); }

// What the two properties above are worth.
TEST(InProcessTest, RandomProgramsCoverAllFeatures) {
  std::set<std::string> seen;
  rc::Random random(20260101);
  for (int i = 0; i < 600; ++i) {
    const int ranks = 1 + i % 8;
    const RandomProgram program = arbitraryProgram(ranks, 12)(random.split(), 100).value();
    for (size_t i = 0; i + 1 < program.steps.size(); ++i) {
      const communicate_suite::Step& next = program.steps[i + 1];
      for (int rank : program.steps[i].team) {
        const bool waitsLater = program.steps[i].delay[static_cast<size_t>(rank)] > 0;
        if (waitsLater && next.inTeam(rank)) seen.insert(next.team == program.steps[i].team ? "overlap" : "two teams");
      }
    }
    for (const communicate_suite::Step& step : program.steps) {
      seen.insert(concat("kind ", collectiveName(step.kind), step.elements == 0 ? " empty" : ""));
      if (reduces(step.kind)) seen.insert(concat(reductionName(step.reduction), " ", step.dtype));
      if (step.kind != CollectiveKind::SendRecv) seen.insert(concat("team of ", step.team.size()));
      if (hasRoot(step.kind)) seen.insert(step.inTeam(step.root) ? "root in the team" : "root outside");
      if (step.team.size() < static_cast<size_t>(ranks)) seen.insert("part of the ranks");
    }
  }
  EXPECT_EQ(seen.size(), 2 * 9 + 4 * std::size(kAllDataTypes) + 8 + 5u);
}

class MismatchTest : public testing::TestWithParam<Difference> {};

TEST_P(MismatchTest, IsAnErrorOnEveryRank) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    for (int deviant = 0; deviant < ranks; ++deviant) {
      runRanks(ranks, [&](Communicator& communicator) {
        communicate_suite::checkMismatch(communicator, GetParam(), deviant);
        communicate_suite::checkMismatch(communicator, GetParam(), deviant);
      });
    }
  }
}

std::string differenceName(const testing::TestParamInfo<Difference>& info) {
  constexpr const char* kNames[] = {"Kind", "Reduction", "DataType", "Elements", "Root"};
  return kNames[static_cast<size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Of, MismatchTest, testing::ValuesIn(communicate_suite::kAllDifferences), differenceName);

TEST(InProcessTest, RanksThatWaitForEachOtherGetAnError) {
  for (int ranks = 2; ranks <= 8; ++ranks) runRanks(ranks, communicate_suite::checkDeadlock);
}

TEST(InProcessTest, WaitingForARankThatReturnsIsAnError) {
  for (int ranks = 2; ranks <= 8; ++ranks) runRanks(ranks, communicate_suite::checkEarlyReturn);
}

void waitForAll(Communicator& communicator) {
  char sent = 0;
  std::vector<char> received(static_cast<size_t>(communicator.size()));
  std::vector<int> team;
  for (int rank = 0; rank < communicator.size(); ++rank) team.push_back(rank);
  const int64_t count = communicator.size();
  const TensorRef send{&sent, DataType::Int8, {1}, {1}, {}};
  const TensorRef receive{received.data(), DataType::Int8, {count}, {1}, {}};
  communicator.post({CollectiveKind::Allgather, team, 0, Reduction::Sum, send, receive})->wait();
}

TEST(InProcessTest, ThrowsTheCauseAndNamesItToOtherRanks) {
  for (int guilty = 0; guilty < 3; ++guilty) {
    std::vector<std::string> texts(3);
    const auto rank = [&](Communicator& communicator) {
      const size_t me = static_cast<size_t>(communicator.rank());
      if (communicator.rank() == guilty) throw std::out_of_range("a bug");
      try {
        waitForAll(communicator);
      } catch (const CommunicationError& error) {
        EXPECT_EQ(error.reason(), CommunicationError::Reason::RankLeft);
        texts[me] = error.what();
        throw;
      }
    };
    EXPECT_THROW(runRanks(3, rank), std::out_of_range);
    for (int other = 0; other < 3; ++other) {
      if (other == guilty) continue;
      EXPECT_EQ(texts[static_cast<size_t>(other)],
                concat("rank ", other, " waits in allgather, collective 0 of team [0, 1, 2], for rank ", guilty,
                       ", which failed: a bug"));
    }
  }
}

TEST(InProcessTest, ThrowsTheErrorOfTheLowestRank) {
  const auto rank = [](Communicator& communicator) {
    if (communicator.rank() > 0) throw UserError(concat("rank ", communicator.rank()));
  };
  try {
    runRanks(4, rank);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "rank 1");
  }
  EXPECT_THROW(runRanks(2, [](Communicator&) { throw 1; }), int);
}

// Neither what is received nor the text of any error: whoever is slow, and whatever goes wrong.
RC_GTEST_PROP(InProcessTest, OutcomesDoNotDependOnSpeed, ()) {
  const FaultyProgram faulty = *arbitraryFaultyProgram(randomRanks());
  const std::vector<std::string> first = transcripts(faulty, 1);
  RC_ASSERT(transcripts(faulty, 2) == first);
  RC_ASSERT(transcripts(faulty, 3) == first);
}

TEST(InProcessTest, FaultyProgramsMeetEveryError) {
  std::set<std::string> met;
  rc::Random random(20260101);
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::string> texts =
        transcripts(arbitraryFaultyProgram(2 + i % 5)(random.split(), 100).value(), 1);
    for (const char* part :
         {"no rank can go on", "they differ in", "which has returned", "which failed: rank", "fails in step"}) {
      for (const std::string& text : texts) {
        if (text.find(part) != std::string::npos) met.insert(part);
      }
    }
  }
  EXPECT_EQ(met.size(), 5u);
}

// A wait that can be served no more is over, whatever another rank does about its own.
TEST(InProcessTest, ARankContinuesAfterAnotherLeft) {
  runRanks(3, [](Communicator& communicator) {
    if (communicator.rank() == 2) return;
    EXPECT_THROW(waitForAll(communicator), CommunicationError);
    int mine = communicator.rank();
    int sum = -1;
    const TensorRef send{&mine, DataType::Int32, {1}, {1}, {}};
    const TensorRef receive{&sum, DataType::Int32, {1}, {1}, {}};
    communicator.post({CollectiveKind::Allreduce, {1, 0}, 0, Reduction::Sum, send, receive})->wait();
    EXPECT_EQ(sum, 1);
  });
}

// Others get what a rank posted, though it never waits and its buffers are gone.
TEST(InProcessTest, AWorkMayBeDestroyedWithoutAWait) {
  runRanks(2, [](Communicator& communicator) {
    const Collective collective{CollectiveKind::SendRecv, {1}, 0, Reduction::Sum, {}, {}};
    if (communicator.rank() == 0) {
      auto sent = std::make_unique<int>(7);
      Collective send = collective;
      send.send = TensorRef{sent.get(), DataType::Int32, {}, {}, {}};
      communicator.post(send);
      return;
    }
    int got = 0;
    Collective receive = collective;
    receive.receive = TensorRef{&got, DataType::Int32, {}, {}, {}};
    communicator.post(receive)->wait();
    EXPECT_EQ(got, 7);
  });
}

TEST(InProcessTest, RejectsZeroOrTooManyRanks) {
  EXPECT_THROW(runRanks(0, [](Communicator&) {}), UserError);
  EXPECT_THROW(runRanks(kMaxRanksInProcess + 1, [](Communicator&) {}), UserError);
  std::atomic<int> ran = 0;
  runRanks(kMaxRanksInProcess, [&](Communicator& communicator) {
    waitForAll(communicator);
    ++ran;
  });
  EXPECT_EQ(ran, kMaxRanksInProcess);
}

}  // namespace
}  // namespace fuser

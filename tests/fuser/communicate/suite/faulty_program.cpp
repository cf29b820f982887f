#include "tests/fuser/communicate/suite/faulty_program.h"

#include <chrono>
#include <ostream>
#include <random>
#include <thread>

#include "fuser/communicate/in_process.h"

namespace fuser::communicate_suite {
namespace {

int number(int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }

struct Running {
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
  std::shared_ptr<Work> work;
};

class Rank {
 public:
  Rank(Communicator& communicator, const FaultyProgram& faulty, uint64_t haste, std::string& transcript)
      : communicator_(communicator), faulty_(faulty), random_(haste), transcript_(transcript) {}

  void run() {
    for (size_t step = 0; step < faulty_.program.steps.size(); ++step) {
      dawdle();
      if (!begin(step)) return;
      for (size_t earlier = 0; earlier <= step; ++earlier) {
        const size_t delay = static_cast<size_t>(faulty_.program.steps[earlier].delay[place()]);
        if (running_[earlier].work && earlier + delay <= step) end(earlier);
      }
    }
    for (size_t step = 0; step < running_.size(); ++step) {
      if (running_[step].work) end(step);
    }
  }

 private:
  size_t place() const { return static_cast<size_t>(communicator_.rank()); }

  void dawdle() {
    const uint64_t draw = random_();
    if (draw % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw / 4 % 200));
  }

  // False: the rank returns.
  bool begin(size_t index) {
    Step step = faulty_.program.steps[index];
    running_.emplace_back();
    for (const Fault& fault : faulty_.faults) {
      if (fault.rank != communicator_.rank() || fault.step != index) continue;
      switch (fault.kind) {
        case Fault::Kind::Skip: return true;
        case Fault::Kind::MoreElements: ++step.elements; break;
        case Fault::Kind::Return: return false;
        case Fault::Kind::Throw: throw UserError(concat("rank ", fault.rank, " fails in step ", index));
      }
    }
    post(step, running_.back());
    return true;
  }

  void post(const Step& step, Running& running) {
    const size_t size = dtypeSize(step.dtype);
    const auto tensor = [&](std::vector<std::byte>& bytes, int64_t elements) {
      bytes.assign(static_cast<size_t>(elements) * size,
                   std::byte{static_cast<unsigned char>(communicator_.rank() % 2)});
      return TensorRef{bytes.data(), step.dtype, {elements}, {1}, {}};
    };
    Collective collective{step.kind, step.team, step.root, step.reduction, {}, {}};
    if (step.sends(communicator_.rank())) collective.send = tensor(running.sent, step.sentElements());
    if (step.receives(communicator_.rank())) collective.receive = tensor(running.received, step.receivedElements());
    try {
      running.work = communicator_.post(collective);
    } catch (const CommunicationError& error) {
      note(error);
    }
  }

  void end(size_t step) {
    dawdle();
    const std::shared_ptr<Work> work = std::move(running_[step].work);
    try {
      work->wait();
    } catch (const CommunicationError& error) {
      note(error);
    }
    for (std::byte byte : running_[step].received) appendText(transcript_, static_cast<int>(byte));
    transcript_ += "\n";
  }

  void note(const CommunicationError& error) {
    transcript_ += concat(error.what(), "\n");
    if (!faulty_.stubborn[place()]) throw error;
  }

  Communicator& communicator_;
  const FaultyProgram& faulty_;
  std::mt19937_64 random_;
  std::string& transcript_;
  std::vector<Running> running_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const FaultyProgram& faulty) {
  out << faulty.program;
  for (const Fault& fault : faulty.faults)
    out << "  fault " << static_cast<int>(fault.kind) << " of rank " << fault.rank << " in step " << fault.step << "\n";
  return out;
}

rc::Gen<FaultyProgram> arbitraryFaultyProgram(int ranks) {
  return rc::gen::exec([ranks] {
    FaultyProgram faulty;
    faulty.program = *arbitraryProgram(ranks, 10);
    for (int count = number(1, 4); count > 0; --count) {
      const int last = static_cast<int>(faulty.program.steps.size()) - 1;
      faulty.faults.push_back(
          {static_cast<Fault::Kind>(number(0, 3)), number(0, ranks - 1), static_cast<size_t>(number(0, last))});
    }
    for (int rank = 0; rank < ranks; ++rank) faulty.stubborn.push_back(number(0, 1) == 1);
    return faulty;
  });
}

void liveThrough(Communicator& communicator, const FaultyProgram& faulty, uint64_t haste, std::string& transcript) {
  Rank(communicator, faulty, haste * 64 + static_cast<uint64_t>(communicator.rank()), transcript).run();
}

std::vector<std::string> transcripts(const FaultyProgram& faulty, uint64_t haste) {
  std::vector<std::string> texts(static_cast<size_t>(faulty.program.ranks) + 1);
  try {
    runRanks(faulty.program.ranks, [&](Communicator& communicator) {
      liveThrough(communicator, faulty, haste, texts[static_cast<size_t>(communicator.rank())]);
    });
  } catch (const std::exception& error) {
    texts.back() = error.what();
  }
  return texts;
}

}  // namespace fuser::communicate_suite

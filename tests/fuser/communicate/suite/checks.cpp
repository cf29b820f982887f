#include "tests/fuser/communicate/suite/checks.h"

#include <algorithm>
#include <numeric>

namespace fuser::communicate_suite {
namespace {

#define SUITE_CHECK(condition, ...)                                                          \
  do {                                                                                       \
    if (!(condition)) throw Failed(concat("rank ", communicator.rank(), ": ", __VA_ARGS__)); \
  } while (false)

constexpr std::byte kUntouched{0xa5};
constexpr size_t kMargin = 16;

TensorRef tensorOf(void* data, DataType dtype, int64_t elements, int shape) {
  TensorRef tensor;
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.sizes = shape == 0 ? Dims{elements} : shape == 1 ? Dims{1, elements} : Dims{elements, 1};
  tensor.strides = contiguousStrides(tensor.sizes);
  return tensor;
}

// One step of one rank on its way.
struct Running {
  std::vector<std::byte> sent;
  std::vector<std::byte> received;  // between margins
  std::shared_ptr<Work> work;
};

Running post(Communicator& communicator, const RandomProgram& program, size_t index) {
  const Step& step = program.steps[index];
  const int rank = communicator.rank();
  Running running;
  Collective collective{step.kind, step.team, step.root, step.reduction, std::nullopt, std::nullopt};
  if (step.sends(rank)) {
    running.sent = sentBytes(program, index, rank);
    collective.send = tensorOf(running.sent.data(), step.dtype, step.sentElements(), step.shape);
  }
  if (step.receives(rank)) {
    const size_t bytes = static_cast<size_t>(step.receivedElements()) * dtypeSize(step.dtype);
    running.received.assign(bytes + 2 * kMargin, kUntouched);
    collective.receive = tensorOf(running.received.data() + kMargin, step.dtype, step.receivedElements(), step.shape);
  }
  running.work = communicator.post(collective);
  return running;
}

void finish(Communicator& communicator, const RandomProgram& program, size_t index, Running& running) {
  const Step& step = program.steps[index];
  const int rank = communicator.rank();
  running.work->wait();
  running.work->wait();  // the same at once
  running.work = nullptr;
  if (step.sends(rank)) {
    SUITE_CHECK(running.sent == sentBytes(program, index, rank), "step ", index, " wrote what it sends\n", program);
  }
  if (!step.receives(rank)) return;
  const auto begin = running.received.begin() + kMargin;
  const auto end = running.received.end() - kMargin;
  const bool before = std::count(running.received.begin(), begin, kUntouched) == kMargin;
  const bool after = std::count(end, running.received.end(), kUntouched) == kMargin;
  SUITE_CHECK(before && after, "step ", index, " wrote beside the buffer\n", program);
  SUITE_CHECK(sameElements(step, {begin, end}, expectedBytes(program, index, rank)), "step ", index,
              " received something else\n", program);
}

std::vector<int> everyRank(const Communicator& communicator) {
  std::vector<int> team(static_cast<size_t>(communicator.size()));
  std::iota(team.begin(), team.end(), 0);
  return team;
}

// The error of a wait; a failure where there is none.
CommunicationError errorOf(Communicator& communicator, Work& work) {
  try {
    work.wait();
  } catch (const CommunicationError& error) {
    return error;
  }
  throw Failed(concat("rank ", communicator.rank(), ": no error"));
}

void checkText(Communicator& communicator, const CommunicationError& error, CommunicationError::Reason reason,
               const std::vector<std::string>& texts) {
  SUITE_CHECK(error.reason() == reason, "another reason: ", error.what());
  for (const std::string& text : texts) {
    SUITE_CHECK(std::string(error.what()).find(text) != std::string::npos, "no '", text, "' in: ", error.what());
  }
}

void checkSum(Communicator& communicator) {
  int32_t mine = communicator.rank() + 1;
  int32_t sum = 0;
  Collective collective{CollectiveKind::Allreduce,
                        everyRank(communicator),
                        0,
                        Reduction::Sum,
                        tensorOf(&mine, DataType::Int32, 1, 0),
                        tensorOf(&sum, DataType::Int32, 1, 0)};
  communicator.post(collective)->wait();
  SUITE_CHECK(sum == communicator.size() * (communicator.size() + 1) / 2, "the sum is ", sum);
}

}  // namespace

void checkProgram(Communicator& communicator, const RandomProgram& program) {
  std::vector<Running> running;
  const size_t count = program.steps.size();
  const size_t rank = static_cast<size_t>(communicator.rank());
  for (size_t now = 0; now < count + 4; ++now) {
    if (now < count) running.push_back(post(communicator, program, now));
    for (size_t step = std::min(now + 1, count); step-- > 0;) {
      if (running[step].work && step + static_cast<size_t>(program.steps[step].delay[rank]) <= now)
        finish(communicator, program, step, running[step]);
    }
  }
}

void checkMismatch(Communicator& communicator, Difference difference, int deviant) {
  const bool deviates = communicator.rank() == deviant;
  std::vector<double> sent(4, 1.0);
  std::vector<double> received(4, -1.0);
  Collective collective{CollectiveKind::Reduce, everyRank(communicator), 0, Reduction::Sum, {}, {}};
  DataType dtype = DataType::Float;
  int64_t elements = 3;
  std::string what;
  switch (difference) {
    case Difference::Kind:
      if (deviates) collective.kind = CollectiveKind::Gather;
      what = "the kind (";
      break;
    case Difference::Reduction:
      if (deviates) collective.reduction = Reduction::Max;
      what = "the reduction (";
      break;
    case Difference::DataType:
      if (deviates) dtype = DataType::Int32;
      what = "the data type (";
      break;
    case Difference::Elements:
      if (deviates) elements = 4;
      what = "the number of elements (";
      break;
    case Difference::Root:
      if (deviates) collective.root = 1;
      what = "the root (";
      break;
  }
  std::vector<double> gathered(static_cast<size_t>(communicator.size()) * 4, -1.0);
  const bool gathers = collective.kind == CollectiveKind::Gather;
  collective.send = tensorOf(sent.data(), dtype, elements, 0);
  collective.receive = gathers ? tensorOf(gathered.data(), dtype, elements * communicator.size(), 0)
                               : tensorOf(received.data(), dtype, elements, 0);
  const std::shared_ptr<Work> work = communicator.post(collective);
  // The first rank, and the first that says something else.
  const int other = deviant == 0 ? 1 : deviant;
  for (int turn = 0; turn < 2; ++turn) {
    checkText(communicator, errorOf(communicator, *work), CommunicationError::Reason::Mismatch,
              {"rank 0 posted", concat("rank ", other, " posted"), "they differ in " + what});
  }
  SUITE_CHECK(received == std::vector<double>(4, -1.0) && gathered == std::vector<double>(gathered.size(), -1.0),
              "received something after all");
  checkSum(communicator);
}

void checkDeadlock(Communicator& communicator) {
  if (communicator.rank() > 1) return;
  float sent = 1;
  float received = 0;
  Collective collective{CollectiveKind::Allreduce,
                        {0, 1},
                        0,
                        Reduction::Sum,
                        tensorOf(&sent, DataType::Float, 1, 0),
                        tensorOf(&received, DataType::Float, 1, 0)};
  if (communicator.rank() == 1) collective.team = {1, 0};
  const std::shared_ptr<Work> work = communicator.post(collective);
  for (int turn = 0; turn < 2; ++turn) {
    checkText(communicator, errorOf(communicator, *work), CommunicationError::Reason::Deadlock,
              {"no rank can go on: rank 0 waits in allreduce, collective 0 of team [0, 1], for rank 1; "
               "rank 1 waits in allreduce, collective 0 of team [1, 0], for rank 0"});
  }
  try {
    communicator.post(collective);
  } catch (const CommunicationError& error) {
    return checkText(communicator, error, CommunicationError::Reason::Deadlock, {});
  }
  SUITE_CHECK(false, "posted after a deadlock");
}

void checkEarlyReturn(Communicator& communicator) {
  const int last = communicator.size() - 1;
  checkSum(communicator);
  if (communicator.rank() == last) return;
  float sent = 1;
  std::vector<float> received(static_cast<size_t>(communicator.size()));
  const Collective collective{CollectiveKind::Allgather,
                              everyRank(communicator),
                              0,
                              Reduction::Sum,
                              tensorOf(&sent, DataType::Float, 1, 0),
                              tensorOf(received.data(), DataType::Float, communicator.size(), 0)};
  const std::shared_ptr<Work> work = communicator.post(collective);
  checkText(communicator, errorOf(communicator, *work), CommunicationError::Reason::RankLeft,
            {concat("rank ", communicator.rank(), " waits in allgather, collective 1 of team ",
                    ranksText(collective.team), ", for rank ", last, ", which has returned")});
}

}  // namespace fuser::communicate_suite

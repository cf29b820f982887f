// What of the transport over NCCL can be tested without a GPU: its errors, and, on stand-ins for libcuda and libnccl
// that keep "device" memory on the host and carry bytes between threads, the suite that every transport passes.

#include "fuser/communicate/nccl/nccl_communicator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "fuser/communicate/in_process.h"
#include "fuser/execute/clang_compiler.h"
#include "fuser/support/set_up_error.h"
#include "tests/fuser/communicate/suite/checks.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"

namespace fuser {
namespace {

using Bytes = std::vector<char>;
using Rank = NcclLibrary::Handle;  // its number, plus one

// What has been sent and not received, for each pair of ranks in order.
struct Mail {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<Rank, Rank>, std::deque<Bytes>> letters;
};

Rank rankHandle(int rank) { return reinterpret_cast<Rank>(static_cast<uintptr_t>(rank) + 1); }

void sendLetter(void* state, const void* data, size_t bytes, int to, Rank from) {
  Mail& mail = *static_cast<Mail*>(state);
  const char* begin = static_cast<const char*>(data);
  const std::lock_guard lock(mail.mutex);
  mail.letters[{from, rankHandle(to)}].emplace_back(begin, begin + bytes);
  mail.arrived.notify_all();
}

// Blocks; the length is checked.
int receiveLetter(void* state, void* data, size_t bytes, int from, Rank to) {
  Mail& mail = *static_cast<Mail*>(state);
  std::unique_lock lock(mail.mutex);
  std::deque<Bytes>& letters = mail.letters[{rankHandle(from), to}];
  mail.arrived.wait(lock, [&] { return !letters.empty(); });
  const Bytes letter = std::move(letters.front());
  letters.pop_front();
  if (letter.size() != bytes) return 5;
  std::memcpy(data, letter.data(), bytes);
  return 0;
}

// libnccl as far as the transport calls it. Receives are carried out when the group ends, as NCCL's are.
constexpr const char* kStandIn = R"(
typedef unsigned long size_t;
struct Id { char bytes[128]; };
struct Receive { void* data; size_t bytes; int from; void* to; };
static thread_local Receive receives[64];
static thread_local int count = -1;  // -1: outside a group
extern "C" {
void* standInMail = 0;
void (*standInSend)(void*, const void*, size_t, int, void*) = 0;
int (*standInReceive)(void*, void*, size_t, int, void*) = 0;
int standInFailure = 0;
const char* ncclGetErrorString(int) { return "of the stand-in"; }
int ncclGetUniqueId(Id* id) {
  for (int i = 0; i < 128; ++i) id->bytes[i] = i;
  return 0;
}
int ncclCommInitRank(void** handle, int, Id id, int rank) {
  for (int i = 0; i < 128; ++i) if (id.bytes[i] != i) return 4;
  *handle = (void*)((size_t)rank + 1);
  return 0;
}
int ncclCommDestroy(void*) { return 0; }
int ncclGroupStart() { if (standInFailure == 0) count = 0; return standInFailure; }
int ncclSend(const void* data, size_t bytes, int type, int to, void* from, void*) {
  if (type != 0 || count < 0) return 4;
  standInSend(standInMail, data, bytes, to, from);
  return 0;
}
int ncclRecv(void* data, size_t bytes, int type, int from, void* to, void*) {
  if (type != 0 || count < 0 || count == 64) return 4;
  receives[count++] = {data, bytes, from, to};
  return 0;
}
int ncclGroupEnd() {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    const Receive& one = receives[i];
    result |= standInReceive(standInMail, one.data, one.bytes, one.from, one.to);
  }
  count = -1;
  return result;
}
}
)";

class NcclStandInTest : public testing::Test {
 protected:
  void SetUp() override {
    SharedLibrary library = ClangCompiler::find().compile(kStandIn);
    *library.find<void*>("standInMail") = &mail_;
    *library.find<decltype(&sendLetter)>("standInSend") = &sendLetter;
    *library.find<decltype(&receiveLetter)>("standInReceive") = &receiveLetter;
    failure_ = library.find<int>("standInFailure");
    nccl_ = std::make_shared<NcclLibrary>(std::move(library));
  }

  // All memory of the device is free again, and all that was sent was received.
  void TearDown() override {
    EXPECT_EQ(cuda_.allocations(), 0);
    for (const auto& [ranks, letters] : mail_.letters) EXPECT_TRUE(letters.empty());
  }

  void run(int ranks, const std::function<void(Communicator&)>& function) {
    runRanks(ranks, [&](Communicator& others) { function(*makeNcclCommunicator(others, cuda_.driver(), nccl_)); });
  }

  Mail mail_;
  std::shared_ptr<const NcclLibrary> nccl_;
  int* failure_ = nullptr;  // what the start of a group answers
  CudaStandIn cuda_;
};

TEST_F(NcclStandInTest, PassesTheSuiteOfEveryTransport) {
  rc::Random random(20260101);
  for (int i = 0; i < 300; ++i) {
    const auto program = communicate_suite::arbitraryProgram(1 + i % 8, 12)(random.split(), 100).value();
    run(program.ranks, [&](Communicator& communicator) { communicate_suite::checkProgram(communicator, program); });
  }
}

TEST_F(NcclStandInTest, MismatchesAreErrorsOnEveryRank) {
  for (communicate_suite::Difference difference : communicate_suite::kAllDifferences) {
    for (int deviant = 0; deviant < 4; ++deviant)
      run(4, [&](Communicator& communicator) { communicate_suite::checkMismatch(communicator, difference, deviant); });
  }
}

Collective sumOfAll(const Communicator& communicator, const int32_t& mine, int32_t& sum, DeviceKind where) {
  std::vector<int> team;
  for (int rank = 0; rank < communicator.size(); ++rank) team.push_back(rank);
  const TensorRef send{const_cast<int32_t*>(&mine), DataType::Int32, {1}, {1}, {where, 0}};
  const TensorRef receive{&sum, DataType::Int32, {1}, {1}, {where, 0}};
  return {CollectiveKind::Allreduce, team, 0, Reduction::Sum, send, receive};
}

// Memory of the stand-in's device is the host's.
TEST_F(NcclStandInTest, BuffersMayLieOnTheGpu) {
  run(3, [](Communicator& communicator) {
    const int32_t mine = communicator.rank() + 1;
    int32_t sum = 0;
    communicator.post(sumOfAll(communicator, mine, sum, DeviceKind::Cuda))->wait();
    EXPECT_EQ(sum, 6);
  });
}

TEST_F(NcclStandInTest, OthersGetWhatADroppedWorkSends) {
  run(2, [](Communicator& communicator) {
    const int32_t mine = communicator.rank() + 1;
    int32_t sum = 0;
    const auto work = communicator.post(sumOfAll(communicator, mine, sum, DeviceKind::Cpu));
    if (communicator.rank() == 0) return;
    work->wait();
    EXPECT_EQ(sum, 3);
  });
}

TEST_F(NcclStandInTest, WaitingForARankThatReturnsIsAnError) {
  run(3, [](Communicator& communicator) {
    if (communicator.rank() == 1) return;
    const int32_t mine = 1;
    int32_t sum = 0;
    const auto work = communicator.post(sumOfAll(communicator, mine, sum, DeviceKind::Cpu));
    try {
      work->wait();
      ADD_FAILURE();
    } catch (const CommunicationError& error) {
      EXPECT_EQ(error.reason(), CommunicationError::Reason::RankLeft);
      EXPECT_NE(std::string(error.what()).find("for rank 1, which has returned"), std::string::npos) << error.what();
    }
    EXPECT_EQ(sum, 0);
  });
}

// ncclSystemError; any other is an error of ours.
TEST_F(NcclStandInTest, AnErrorOfTheSystemIsASetUpError) {
  *failure_ = 2;
  EXPECT_THROW(nccl_->beginGroup(), SetUpError);
  *failure_ = 3;
  EXPECT_THROW(nccl_->beginGroup(), CheckError);
}

TEST(NcclLibraryTest, SaysWhatIsMissing) {
  const std::string nowhere[] = {"libnccl-that-is-nowhere.so"};
  try {
    NcclLibrary{SharedLibrary(nowhere)};
    FAIL();
  } catch (const SetUpError& error) {
    EXPECT_NE(std::string(error.what()).find("libnccl.so.2 was not found"), std::string::npos) << error.what();
  }
  const std::string another[] = {"libm.so.6"};
  try {
    NcclLibrary{SharedLibrary(another)};
    FAIL();
  } catch (const SetUpError& error) {
    EXPECT_STREQ(error.what(), "libnccl has no ncclGetErrorString; version 2.7 or later is needed");
  }
}

TEST(NcclLibraryTest, EveryRankHearsOfAMissingGpu) {
  if (CudaDriver::open().isOpen()) GTEST_SKIP() << "this machine has NVIDIA's driver";
  runRanks(2, [](Communicator& others) { EXPECT_THROW(makeNcclCommunicator(others), SetUpError); });
}

}  // namespace
}  // namespace fuser

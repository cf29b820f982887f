// What is wrong with a collective by itself is said by post(), before any other rank hears of it.

#include "fuser/communicate/collective.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fuser/communicate/in_process.h"

namespace fuser {
namespace {

TensorRef tensor(void* data, DataType dtype, const Dims& sizes) {
  return {data, dtype, sizes, contiguousStrides(sizes), {}};
}

// The message of post(), on rank 0 of two; the other rank has nothing to do.
std::string errorOf(const std::function<void(Collective&)>& spoil) {
  std::vector<double> sent(8, 0.0);
  std::vector<double> received(8, 0.0);
  Collective collective{CollectiveKind::AllToAll,
                        {0, 1},
                        0,
                        Reduction::Sum,
                        tensor(sent.data(), DataType::Double, {2, 3}),
                        tensor(received.data(), DataType::Double, {2, 3})};
  spoil(collective);
  std::string message;
  runRanks(2, [&](Communicator& communicator) {
    if (communicator.rank() != 0) return;
    try {
      communicator.post(collective);
    } catch (const UserError& error) {
      message = error.what();
    }
  });
  return message;
}

TEST(CollectiveTest, AValidCollectiveIsPosted) {
  EXPECT_EQ(errorOf([](Collective&) {}), "");
}

TEST(CollectiveTest, TeamsAndRootsAreRanks) {
  EXPECT_EQ(errorOf([](Collective& c) { c.team = {}; }), "all_to_all: the team is empty");
  EXPECT_EQ(errorOf([](Collective& c) {
              c.team = {0, 2};
            }),
            "all_to_all: the team's rank 2 is none of the ranks 0 to 1");
  EXPECT_EQ(errorOf([](Collective& c) {
              c.team = {0, -1};
            }),
            "all_to_all: the team's rank -1 is none of the ranks 0 to 1");
  EXPECT_EQ(errorOf([](Collective& c) { c.team = {0, 1, 0}; }), "all_to_all: rank 0 is twice in the team [0, 1, 0]");
  EXPECT_EQ(errorOf([](Collective& c) {
              c = {CollectiveKind::Broadcast, {0, 1}, 2, Reduction::Sum, c.send, c.receive};
            }),
            "broadcast: the root 2 is none of the ranks 0 to 1");
  EXPECT_EQ(errorOf([](Collective& c) { c.kind = CollectiveKind::SendRecv; }),
            "send_recv: the team is the one receiver, but it has 2 ranks");
}

TEST(CollectiveTest, BuffersArePresentAndContiguous) {
  EXPECT_EQ(errorOf([](Collective& c) { c.send.reset(); }), "all_to_all: the buffer that rank 0 sends is missing");
  EXPECT_EQ(errorOf([](Collective& c) { c.receive.reset(); }),
            "all_to_all: the buffer that rank 0 receives in is missing");
  EXPECT_EQ(errorOf([](Collective& c) {
              c.send->strides = {1, 2};
            }),
            "all_to_all: the buffer that rank 0 sends is not contiguous: sizes [2, 3], strides [1, 2]");
  EXPECT_EQ(errorOf([](Collective& c) { c.send->strides = {3}; }),
            "all_to_all: the buffer that rank 0 sends has 2 sizes and 1 strides");
  EXPECT_EQ(errorOf([](Collective& c) {
              c.send->sizes = {-2, 3};
            }),
            "all_to_all: the buffer that rank 0 sends has the size -2");
  EXPECT_EQ(errorOf([](Collective& c) { c.send->data = nullptr; }),
            "all_to_all: the buffer that rank 0 sends has no memory");
  EXPECT_EQ(
      errorOf([](Collective& c) { c.receive->device.kind = DeviceKind::Cuda; }),
      "all_to_all: the buffer that rank 0 receives in does not lie where this transport can reach it: in the memory of "
      "the host");
  EXPECT_EQ(
      errorOf([](Collective& c) { c.receive->dtype = DataType::Float; }),
      "all_to_all: the buffer that rank 0 sends is of f64, all_to_all: the buffer that rank 0 receives in of f32");
  EXPECT_EQ(errorOf([](Collective& c) { c.receive->data = static_cast<double*>(c.send->data) + 1; }),
            "all_to_all: what is sent and what is received overlap");
}

// The strides of axes of size 1, and of tensors without elements, address nothing.
TEST(CollectiveTest, StridesOfEmptyTensorsAreIgnored) {
  EXPECT_EQ(errorOf([](Collective& c) {
              c.send->sizes = {1, 6};
              c.send->strides = {77, 1};
            }),
            "");
  EXPECT_EQ(errorOf([](Collective& c) {
              c.send->sizes = c.receive->sizes = {0, 6};
              c.send->strides = {0, 5};
              c.send->data = nullptr;
            }),
            "");
}

TEST(CollectiveTest, SizesFit) {
  EXPECT_EQ(errorOf([](Collective& c) {
              c.send->sizes = c.receive->sizes = {1, 3};
            }),
            "all_to_all: the buffer that rank 0 sends has 3 elements, which cannot be divided by 2 ranks");
  EXPECT_EQ(
      errorOf([](Collective& c) {
        c.receive->sizes = {2, 2}, c.receive->strides = {2, 1};
      }),
      "all_to_all: the buffer that rank 0 sends has 6 elements and all_to_all: the buffer that rank 0 receives in 4, "
      "which do not fit: parts of 3 and of 2");
  EXPECT_EQ(
      errorOf([](Collective& c) {
        c = {CollectiveKind::Gather, {0, 1}, 0, Reduction::Sum, c.send, tensor(c.receive->data, DataType::Double, {7})};
      }),
      "gather: the buffer that rank 0 receives in has 7 elements, which cannot be divided by 2 ranks");
}

}  // namespace
}  // namespace fuser

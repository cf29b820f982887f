// What is checked and learnt of an input's memory.

#include "fuser/runtime/input_facts.h"

#include <gtest/gtest.h>

#include <functional>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

std::string userError(const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

struct InputFactsTest : testing::Test {
  InputFactsTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
  }
  InputFacts inspect(Dims sizes, Dims strides, size_t offset = 0) {
    const std::vector<HostValue> inputs{TensorRef{memory + offset, DataType::Float, sizes, strides, {}}};
    return inspectInputs(fusion, inputs).at(0);
  }
  std::string rejection(Dims sizes, Dims strides, size_t offset = 0) {
    return userError([&] { inspect(sizes, strides, offset); });
  }
  void declare(std::vector<int> order, std::vector<std::optional<bool>> contiguity) {
    x->domain().allocationOrder = std::move(order);
    x->domain().contiguity = std::move(contiguity);
  }

  Fusion fusion{"f"};
  TensorView* x;
  alignas(64) std::byte memory[64] = {};
};

TEST_F(InputFactsTest, StridesMustBeAsDeclared) {
  EXPECT_EQ(rejection({3, 4}, {4, 1}), "no UserError");
  EXPECT_EQ(rejection({3, 4}, {5, 1}), "axis 0 of %x is declared contiguous: its stride must be 4, not 5");
  EXPECT_EQ(rejection({3, 4}, {4, 2}), "axis 1 of %x is declared contiguous: its stride must be 1, not 2");
  declare({0, 1}, {false, true});
  EXPECT_EQ(rejection({3, 4}, {5, 1}), "no UserError");
  declare({0, 1}, {true, false});
  EXPECT_EQ(rejection({3, 4}, {8, 2}), "no UserError");
  EXPECT_NE(rejection({3, 4}, {4, 2}), "no UserError");
  declare({1, 0}, {true, true});
  EXPECT_EQ(rejection({3, 4}, {1, 3}), "no UserError");
}

TEST_F(InputFactsTest, StridesOfAxesOfSizeOneAndOfEmptyTensorsDoNotMatter) {
  EXPECT_EQ(rejection({1, 4}, {99, 1}), "no UserError");
  EXPECT_EQ(rejection({4, 1}, {1, 99}), "no UserError");
  EXPECT_EQ(rejection({4, 0}, {99, 99}), "no UserError");
}

TEST_F(InputFactsTest, ExpandedAxesHaveStrideZero) {
  Fusion other("g");
  IterDomain* axis = other.newIterDomain(IterType::Broadcast, other.ints().constant(1), other.extentSymbol("i0"));
  TensorDomain domain;
  domain.logical = {axis};
  other.addInput(other.newTensor(DataType::Float, domain, "e"));
  const std::vector<HostValue> good{TensorRef{memory, DataType::Float, {5}, {0}, {}}};
  EXPECT_NO_THROW(inspectInputs(other, good));
  const std::vector<HostValue> bad{TensorRef{memory, DataType::Float, {5}, {1}, {}}};
  EXPECT_EQ(userError([&] { inspectInputs(other, bad); }), "axis 0 of %e is expanded: its stride must be 0, not 1");
}

TEST_F(InputFactsTest, RejectsMisalignedNullAndNegativeStrideMemory) {
  EXPECT_EQ(rejection({3, 4}, {4, 1}, 2), "the address of %x is not a multiple of 4 bytes, the size of f32");
  EXPECT_EQ(rejection({3, 4}, {-4, 1}), "%x has the negative stride -4");
  EXPECT_EQ(rejection({3, 4}, {1}), "%x has sizes [3, 4] and strides [1]");
  const std::vector<HostValue> inputs{TensorRef{nullptr, DataType::Float, {3, 4}, {4, 1}, {}}};
  EXPECT_EQ(userError([&] { inspectInputs(fusion, inputs); }), "%x has no memory");
}

TEST_F(InputFactsTest, AlignmentCoversTheAddressAndFreeStrides) {
  EXPECT_EQ(inspect({2, 2}, {2, 1}).layout.alignment, 16);
  EXPECT_EQ(inspect({2, 2}, {2, 1}, 8).layout.alignment, 8);
  EXPECT_EQ(inspect({2, 2}, {2, 1}, 4).layout.alignment, 4);
  declare({0, 1}, {false, true});
  EXPECT_EQ(inspect({2, 2}, {4, 1}).layout.alignment, 16);
  EXPECT_EQ(inspect({2, 2}, {6, 1}).layout.alignment, 8);
  EXPECT_EQ(inspect({2, 2}, {3, 1}).layout.alignment, 4);
  EXPECT_EQ(inspect({1, 2}, {3, 1}).layout.alignment, 16);
}

TEST_F(InputFactsTest, KeyNamesDtypeRankDensityAndAlignment) {
  declare({0, 1}, {false, true});
  EXPECT_EQ(inputKey(fusion, {inspect({2, 2}, {2, 1})}), "f32[2] dense align 8");
  EXPECT_EQ(inputKey(fusion, {inspect({2, 2}, {4, 1})}), "f32[2] strided align 16");
}

}  // namespace
}  // namespace fuser

// Bodies: which way an if takes.

#include "fuser/host_run/host_ir_evaluator.h"

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// f(%x: f32[i0], %c: bool) { %y = set(%x); return %y }
struct BodiesTest : testing::Test {
  BodiesTest() {
    TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
    fusion.addInput(fusion.newScalar(DataType::Bool, "c"));
    fusion.addOutput(build::set(fusion, x, "y"));
  }
  // The memory of %y.
  const void* run(const std::string& body, bool condition) {
    const HostIrContainer program =
        parseHostIr(concat("host f(%x: f32[i0], %c: bool) {\n", body, "  return %y\n}\n"), fusion, {});
    verifyHostIr(program);
    const std::vector<HostValue> inputs{TensorRef{data.data(), DataType::Float, {3}, {1}, {}}, ScalarValue(condition)};
    ExpressionEvaluator evaluator(fusion);
    evaluator.bindInputs(inputs);
    record = HostIrEvaluator(program, {}).run(inputs, evaluator, {});
    return std::get<TensorRef>(record.outputs.at(0)).data;
  }

  Fusion fusion{"f"};
  std::vector<float> data{1, 2, 3};
  RunRecord record;
};

TEST_F(BodiesTest, AnIfRunsTheBranchOfItsCondition) {
  const std::string body = "  if %c {\n    view %y of %x\n  } else {\n    allocate %y: f32[i0]\n  }\n";
  EXPECT_EQ(run(body, true), data.data());
  try {
    run(body, false);
    ADD_FAILURE() << "nothing writes %y on this way";
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "%y is returned, and nothing has written it");
  }
}

TEST_F(BodiesTest, AnOutputThatReusesAnInputMustBeWritten) {
  try {
    run("  reuse %x for %y\n", true);
    ADD_FAILURE() << "%y still holds %x";
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "%y is returned, and nothing has written it");
  }
}

// A loop over one tensor's axis, in which a shorter tensor's slices are selected.
TEST(SelectTest, ASliceBehindTheEndIsAViolation) {
  Fusion fusion{"f"};
  TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  TensorView* z = build::input(fusion, DataType::Float, {fusion.extentSymbol("i1")}, "z");
  fusion.addOutput(build::set(fusion, x, "y"));
  fusion.addOutput(build::set(fusion, z, "w"));
  const HostIrContainer program = parseHostIr(
      "host f(%x: f32[i0], %z: f32[i1]) {\n"
      "  tensor %z.s0: f32[]\n"
      "  for index0 in %x {axis = 0} {\n"
      "    select %z.s0: f32[] of %z {axis = 0, index = index0}\n"
      "  }\n"
      "  view %y of %x\n"
      "  view %w of %z\n"
      "  return %y, %w\n"
      "}\n",
      fusion, {});
  verifyHostIr(program);
  const auto run = [&](int64_t length, int64_t shorter) {
    std::vector<float> data(static_cast<size_t>(length));
    const std::vector<HostValue> inputs{TensorRef{data.data(), DataType::Float, {length}, {1}, {}},
                                        TensorRef{data.data(), DataType::Float, {shorter}, {1}, {}}};
    ExpressionEvaluator evaluator(fusion);
    evaluator.bindInputs(inputs);
    HostIrEvaluator(program, {}).run(inputs, evaluator, {});
  };
  run(3, 3);
  try {
    run(3, 2);
    ADD_FAILURE() << "%z has no third slice";
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "select of slice 2 behind the end of %z");
  }
}

}  // namespace
}  // namespace fuser

// The declarations of a host program's text: tensors that the fusion lacks are made, layouts and stream axes are given.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/clone.h"

namespace fuser {
namespace {

// f(%x: f32[i0, i1], %n: i64) { %t = unsqueeze(%x) {dims = [1]}; %f = full of [i0 + i1, %n]; return %t, %f }
struct DeclarationsTest : testing::Test {
  DeclarationsTest() {
    const IntExpr rows = fusion.extentSymbol("i0"), columns = fusion.extentSymbol("i1");
    TensorView* x = build::input(fusion, DataType::Float, {rows, columns}, "x");
    Scalar* n = fusion.newScalar(DataType::Int64, "n");
    fusion.addInput(n);
    fusion.addOutput(build::unsqueeze(fusion, x, {1}, "t"));
    fusion.addOutput(build::full(fusion, {fusion.ints().add(columns, rows), fusion.scalarSymbol(n)},
                                 fusion.newConstant(ScalarValue(0.0)), DataType::Float, "f"));
  }

  static std::string textOf(const std::string& declarations) {
    return concat("host f(%x: f32[i0, i1], %n: i64) {\n", declarations,
                  "  take output 0 for %t\n  take output 1 for %f\n  return %t, %f\n}\n");
  }
  std::string errorOf(const std::string& declarations) {
    try {
      parseHostIr(textOf(declarations), fusion, {});
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  Fusion fusion{"f"};
};

TEST_F(DeclarationsTest, PrintsWhatTypesDoNotSayAndReadsItBack) {
  const std::string text = textOf(
      "  tensor %t: f32[i0, 1, i1] {allocation_order = [1, 2, 0], contiguity = [none, false, true], stream = 2}\n"
      "  tensor %f: f32[(i0 + i1), %n] {contiguity = [false, true]}\n");
  const std::unique_ptr<Fusion> fresh = cloneInOrderOfUse(fusion);
  for (Fusion* read : {&fusion, fresh.get()}) {
    const HostIrContainer program = parseHostIr(text, *read, {});
    EXPECT_NO_THROW(verifyHostIr(program));
    const auto* t = read->outputs()[0]->as<TensorView>();
    EXPECT_EQ(t->streamAxis(), std::optional<size_t>(2));
    EXPECT_EQ(t->domain().allocationOrder, (std::vector<int>{1, 2, 0}));
    EXPECT_EQ(t->domain().contiguity[1], std::optional<bool>(false));
  }
}

// A tensor that some host pass added, with axes as the fusion has them, and new ones.
TEST_F(DeclarationsTest, MakesTensorsThatTheFusionLacks) {
  const std::string text =
      "host f(%x: f32[i0, i1], %n: i64) {\n"
      "  tensor %a: bf16[(i0 + i1), 1, 1*i0, %n, k, 3] {allocation_order = [0, 1, 2, 3, 5, 4]}\n"
      "  tensor %b: f32[]\n"
      "  allocate %a: bf16[(i0 + i1), 1, 1*i0, %n, k, 3]\n"
      "  allocate %b: f32[]\n"
      "  free %a\n"
      "  free %b\n"
      "  take output 0 for %t\n"
      "  take output 1 for %f\n"
      "  return %t, %f\n"
      "}\n";
  const HostIrContainer program = parseHostIr(text, fusion, {});
  EXPECT_NO_THROW(verifyHostIr(program));
  const auto* tensor = std::get<hir::Allocate>(hostExprsOf<hir::Allocate>(program).front()->node).tensor;
  EXPECT_EQ(tensor->definition(), nullptr);
  EXPECT_EQ(tensor->axes()[0]->extent(), fusion.outputs()[1]->as<TensorView>()->axes()[0]->extent())
      << "the extent that is there";
  EXPECT_TRUE(tensor->axes()[2]->isExpanded());
  EXPECT_TRUE(tensor->axes()[5]->extent()->isConstant(3));
}

// min(min(4, i0), max(2, i1), 3) is another expression, although it has the same value.
TEST_F(DeclarationsTest, NestedExtremesStayNested) {
  const std::string size = "min(3, min(max(2, i1), min(4, i0)))";
  const std::string text =
      concat("host f(%x: f32[i0, i1], %n: i64) {\n  tensor %a: f32[", size, "]\n  allocate %a: f32[", size,
             "]\n  free %a\n  take output 0 for %t\n  take output 1 for %f\n", "  return %t, %f\n}\n");
  EXPECT_EQ(toString(parseHostIr(text, fusion, {})), text);
}

TEST_F(DeclarationsTest, AWrongOneIsRejectedWithItsLine) {
  EXPECT_EQ(errorOf("  tensor t\n"), "host program, line 2: '%name: dtype[axes] {layout}' expected");
  EXPECT_EQ(errorOf("  tensor %a: f31[i0]\n"), "host program, line 2: no dtype is called f31");
  EXPECT_EQ(errorOf("  tensor %x: f32[i0, i1]\n"), "host program, line 2: %x is an input or a scalar of the fusion");
  EXPECT_EQ(errorOf("  tensor %t: f32[i0, i1]\n"), "host program, line 2: %t is f32[i0, 1, i1]");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0 i1]\n"), "host program, line 2: the fusion has no extent i0 i1");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0] {stream = 1}\n"),
            "host program, line 2: %a has no axis 1 to spread over streams");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0] {allocation_order = [1]}\n"),
            "host program, line 2: an allocation order names each axis once");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0] {contiguity = [none]}\n"),
            "host program, line 2: contiguity is none exactly on broadcast axes");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0] {contiguity = [true, true]}\n"), "host program, line 2: %a has 1 axes");
  EXPECT_EQ(errorOf("  tensor %a: f32[i0] {colour = [1]}\n"),
            "host program, line 2: no 'colour' is declared of tensors");
  EXPECT_EQ(errorOf("  kernel k0\n"), "host program, line 2: kernel 0 is not k0");
  EXPECT_EQ(errorOf(""), "");
}

// Any prefix, and any change of one byte, is parsed or rejected, never worse.
TEST_F(DeclarationsTest, TakesAnyText) {
  const std::string text = textOf(
      "  tensor %q: f32[(i0 + i1), 1, 1*i0] {allocation_order = [1, 2, 0], contiguity = [none, none, true], stream = "
      "0}\n");
  size_t rejected = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'%', ';', '9', '\n', ']', '}', ',', '\xff'}) {
      for (const std::string& changed : {text.substr(0, i) + c + text.substr(i + 1), text.substr(0, i)}) {
        const std::unique_ptr<Fusion> fresh = cloneInOrderOfUse(fusion);
        try {
          parseHostIr(changed, *fresh, {});
        } catch (const UserError&) {
          ++rejected;
        }
      }
    }
  }
  EXPECT_GT(rejected, text.size());
}

}  // namespace
}  // namespace fuser

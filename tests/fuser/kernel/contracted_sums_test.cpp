#include "fuser/kernel/contracted_sums.h"

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

// The forms of the sums of a kernel that computes sub(a, b), and nothing else.
std::vector<SumForms> formsIn(const std::string& flags, const std::string& statements) {
  Fusion fusion;
  TensorView* a = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "a");
  TensorView* b = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "b");
  const Val* difference = build::binary(fusion, OpKind::Sub, a, b);
  const std::unique_ptr<Kernel> kernel =
      parseKernel("kernel k " + flags + "{\n tensor a : f32 rank 1 argument 0\n tensor b : f32 rank 1 argument 1\n"
                  " tensor y : f32 rank 1 argument 2 written\n local t : f32 [1]\n block 1, 1, 1\n grid 1, 1, 1\n"
                  " alloc t\n" + statements + "}\n");
  for (Statement& statement : kernel->body) {
    if (Compute* compute = std::get_if<Compute>(&statement.node)) compute->source = difference->definition();
  }
  std::vector<SumForms> forms;
  for (const auto& [sum, form] : contractedSums(*kernel)) {
    EXPECT_EQ(sum, difference);
    forms.push_back(form);
  }
  return forms;
}

constexpr const char* kSub = " y[0] = Sub f32 (a[0], b[0])\n";
constexpr const char* kFma = " t[0] = Neg f32 (b[0])\n y[0] = Fma f32 (a[0], b[0], t[0])\n";

TEST(ContractedSumsTest, AreRoundedFusedOrBoth) {
  const auto forms = [](const std::string& statements) { return formsIn("contraction ", statements).at(0); };
  EXPECT_EQ(forms(kSub), (SumForms{true, false}));
  EXPECT_EQ(forms(kFma), (SumForms{false, true}));
  EXPECT_EQ(forms(concat(kFma, kSub)), (SumForms{true, true}));
}

TEST(ContractedSumsTest, AreToldWhereTheyMayBeContracted) { EXPECT_TRUE(formsIn("", kSub).empty()); }

}  // namespace
}  // namespace fuser

// The width of indices: chosen for each launch by the sizes and strides that it has, or said by the schedule.

#include <gtest/gtest.h>

#include "fuser/kernel/text.h"
#include "fuser/runtime/compiled_program.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

// What launches took, and what the programs' kernels are.
struct Widths final : CompileObserver {
  std::vector<bool> narrow;
  std::vector<bool> built;
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override {
    narrow.push_back(arguments.narrow);
    built.push_back(kernel.narrowIndices);
  }
  std::function<void(FusionExecutorCache::Settings&)> adapt() {
    return [this](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(this); };
  }
};

std::string caseOf(const std::string& lines) {
  return concat(R"(
fusion f(%x: f32[i0, i1] {contiguity = [false, true]}) {
  %y = neg(%x)
  return %y
}
)",
                lines);
}

constexpr const char* kSmall = "run { %x = values [1, 2] : f32[1, 2] }\n";
constexpr const char* kLarge = "run { %x = normal(seed = 1) : f32[40, 70] }\n";

TEST(IndexWidthTest, IndicesAreNarrowWhereTheyFit) {
  Widths widths;
  Session session(caseOf(kLarge), widths.adapt());
  session.run();
  EXPECT_EQ(widths.narrow, std::vector{true});
  EXPECT_EQ(widths.built, widths.narrow);
}

TEST(IndexWidthTest, AndWideWhereTheyDoNot) {
  Widths widths;
  Session session(caseOf(concat("option device_index_bound = 2048\n", kLarge)), widths.adapt());
  session.run();
  EXPECT_EQ(widths.narrow, std::vector{false});
  EXPECT_EQ(widths.built, widths.narrow) << "foretold, so that it is compiled with the other kernels";
  EXPECT_EQ(session.cache->counters().kernelCompilations, 1u);
}

TEST(IndexWidthTest, StridesCount) {
  Widths widths;
  Session session(caseOf("option device_index_bound = 4096\n"
                         "run { %x = normal(seed = 1) : f32[40, 8] {strides = [8, 1]} }\n"
                         "run { %x = normal(seed = 1) : f32[40, 8] {strides = [800, 1]} }\n"),
                  widths.adapt());
  session.run(0);
  session.run(1);
  EXPECT_EQ(widths.narrow, (std::vector{true, false}));
}

// One program for all of these sizes: each launch takes the width that it needs, and a width is compiled once.
TEST(IndexWidthTest, EachLaunchOfAProgramTakesItsOwnWidth) {
  Widths widths;
  Session session(caseOf("option device_index_bound = 2048\n"
                         "run { %x = normal(seed = 1) : f32[7, 70] }\n"
                         "run { %x = normal(seed = 1) : f32[47, 70] }\n"),
                  widths.adapt());
  for (const size_t run : {0, 1, 0, 1}) EXPECT_EQ(elements(session.run(run).outputs.at(0)).size(), run ? 3290u : 490u);
  EXPECT_EQ(session.cache->counters().compilations, 1u);
  EXPECT_EQ(session.cache->counters().kernelCompilations, 2u);
  EXPECT_EQ(widths.narrow, (std::vector{true, false, true, false}));
  EXPECT_EQ(widths.built, std::vector<bool>(4, true));
}

TEST(IndexWidthTest, ALaunchThatIsNarrowAndDoesNotFitIsAViolation) {
  BeforeLaunch wrapping([](const Kernel&, KernelArguments& arguments) { arguments.narrow = true; });
  Session session(caseOf(concat("option device_index_bound = 2048\n", kLarge)),
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&wrapping); });
  try {
    session.run();
    ADD_FAILURE() << "no violation";
  } catch (const ViolationError& error) {
    EXPECT_NE(std::string(error.what()).find("index overflow of 32 bits (index_bound 2048)"), std::string::npos)
        << error.what();
  }
}

constexpr const char* kSchedule = R"(schedule {
  split %y {axis = 1, factor = 32}
  parallelize %y {axis = 0, type = BIDx}
  parallelize %y {axis = 2, type = TIDx}
  indexType {type = )";

TEST(IndexWidthTest, AScheduleMaySayTheWidth) {
  for (const bool narrow : {false, true}) {
    Widths widths;
    Session session(caseOf(concat(kSchedule, narrow ? "int32" : "int64", "}\n}\n", kSmall)), widths.adapt());
    session.run();
    EXPECT_EQ(widths.narrow, std::vector{narrow});
    EXPECT_EQ(widths.built, std::vector{narrow});
  }
}

TEST(IndexWidthTest, Rule11SaysWhatDoesNotFit) {
  Session session(caseOf(concat("option device_index_bound = 2048\n", kSchedule, "int32}\n}\n", kSmall, kLarge)));
  EXPECT_EQ(session.rejection(0), "");
  EXPECT_EQ(session.rejection(1),
            "rule 11: the indices of k0_none do not fit in int32: (blockIdx.x * s0_0) may be 2730, and the device's "
            "index_bound is 2048");
}

}  // namespace
}  // namespace fuser

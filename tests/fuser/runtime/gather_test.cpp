// What runs of programs do that read at indices: elements, errors, and what kernels check.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/kernel/shared_layout.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

constexpr const char* kEngines[] = {"interp", "cpu"};

std::string onEngine(const std::string& program, const char* engine, const std::string& runs) {
  return program + "option engine = \"" + engine + "\"\n" + runs;
}

TEST(GatherTest, ReadsTheElementAtEachIndex) {
  for (const char* engine : kEngines) {
    Session session(onEngine(
        "fusion f(%x: f32[i0, i1], %i: i32[i2, i1]) {\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\n", engine,
        "run { %x = values [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] : f32[2, 3]\n"
        "      %i = values [1, 0, 1, 0, 0, 1] : i32[2, 3] }\n"));
    EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{4, 2, 6, 1, 2, 6})) << engine;
  }
}

TEST(GatherTest, NamesTheLowestBadElementWithItsIndexAndSize) {
  for (const char* engine : kEngines) {
    Session session(onEngine(
        "fusion f(%x: f32[i0], %i: i64[i1]) {\n  %a = exp(%x)\n  %y = gather(%a, %i) {dim = 0}\n  return %y\n}\n",
        engine,
        "run { %x = normal(seed = 1) : f32[3]  %i = values [0, 2, 1, -1, 2, 3, 99] : i64[7] }\nexpect rejected\n"
        "run { %x = normal(seed = 1) : f32[3]  %i = values [0, 2, 1, 1, 2, 3, -5] : i64[7] }\nexpect rejected\n"
        "run { %x = normal(seed = 1) : f32[3]  %i = values [0, 2, 1, 1, 2, 0, 1] : i64[7] }\n"));
    EXPECT_EQ(session.rejection(0),
              "%y = gather(%a, %i): index -1 for element 3 is out of range for axis 0 of %a, of size 3")
        << engine;
    EXPECT_EQ(session.rejection(1),
              "%y = gather(%a, %i): index 3 for element 5 is out of range for axis 0 of %a, of size 3")
        << engine;
    EXPECT_EQ(session.rejection(2), "") << engine;
  }
}

TEST(GatherTest, AnIndexTooLargeToBeNotedIsSaidToBeBeyond) {
  static_assert(indexOfNote(noteOf(5, -7)) == -7 && placeOfNote(noteOf(5, -7)) == 5);
  static_assert(indexOfNote(noteOf(0, int64_t{1} << 60)) == (int64_t{1} << 32) - 1);
  static_assert(indexOfNote(noteOf(kNotedPlaces - 1, -(int64_t{1} << 60))) == 1 - (int64_t{1} << 32));
  for (const char* engine : kEngines) {
    Session session(onEngine("fusion f(%x: f32[i0], %i: i64[i1]) {\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\n",
                             engine,
                             "run { %x = normal(seed = 1) : f32[3]  %i = values [0, -9007199254740992] : i64[2] }\n"
                             "expect rejected\n"));
    EXPECT_EQ(session.rejection(),
              "%y = gather(%x, %i): index -4294967295 or beyond for element 1 is out of range for "
              "axis 0 of %x, of size 3")
        << engine;
  }
}

TEST(GatherTest, NamesTheFirstOpThatIsGivenABadIndex) {
  for (const char* engine : kEngines) {
    Session session(
        onEngine("fusion f(%x: f32[i0], %i: i64[i1], %j: i64[i1]) {\n  %y = gather(%x, %i) {dim = 0}\n"
                 "  %z = gather(%x, %j) {dim = 0}\n  %s = add(%y, %z)\n  return %s\n}\n",
                 engine,
                 "run { %x = normal(seed = 1) : f32[3]  %i = values [0, 0, 7] : i64[3]\n"
                 "      %j = values [9, 0, 0] : i64[3] }\nexpect rejected\n"));
    EXPECT_EQ(session.rejection(),
              "%y = gather(%x, %i): index 7 for element 2 is out of range for axis 0 of %x, of size 3")
        << engine;
  }
}

TEST(GatherTest, OfAnEmptyAxisEachIndexIsBad) {
  Session session(
      "fusion f(%x: f32[i0, i1], %i: i64[i2, i1]) {\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[0, 2]  %i = values [] : i64[0, 2] }\n"
      "run { %x = normal(seed = 1) : f32[0, 2]  %i = values [0, 0] : i64[1, 2] }\nexpect rejected\n");
  EXPECT_EQ(session.rejection(0), "");
  EXPECT_EQ(session.rejection(1),
            "%y = gather(%x, %i): index 0 for element 0 is out of range for axis 0 of %x, of size 0");
}

// A quarter of the indices are bad, in all blocks.
TEST(GatherTest, TheLowestElementIsThatOfTheData) {
  for (const char* engine : kEngines) {
    Session session(onEngine(
        "fusion f(%x: f32[i0], %i: i64[i1]) {\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\n", engine,
        "run { %x = normal(seed = 1) : f32[3]\n      %i = integers(seed = 4, low = 0, high = 4) : i64[5000] }\n"
        "expect rejected\n"));
    const std::string text = session.rejection();
    const auto* indices = static_cast<const int64*>(session.data.back().tensors.at(1).ref.data);
    const auto first = std::find(indices, indices + 5000, 3) - indices;
    EXPECT_GT(first, 0);
    EXPECT_NE(text.find(concat(" for element ", first, " is out of range")), std::string::npos) << first << text;
  }
}

int64_t checksIn(const std::string& program) {
  int64_t checks = 0;
  AfterLower count([&](int, Kernel& kernel) {
    forEachStatement(kernel.body,
                     [&](const Statement& statement) { checks += std::holds_alternative<Report>(statement.node); });
  });
  Session session(program,
                  [&](FusionExecutorCache::Settings& settings) { settings.context.observers.push_back(&count); });
  session.run();
  return checks;
}

TEST(GatherTest, WhatIsProvedCostsNoCheck) {
  const std::string data = "run { %x = normal(seed = 1) : f32[8]  %i = values [0, 2, 1] : i64[3] }\n";
  EXPECT_GT(checksIn("fusion f(%x: f32[i0], %i: i64[i1]) {\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\n" + data),
            0);
  EXPECT_EQ(checksIn("fusion f(%x: f32[8], %i: i64[i1]) {\n  %j = remainder(%i, 8)\n  %y = gather(%x, %j) {dim = 0}\n"
                     "  return %y\n}\n" +
                     data),
            0);
}

}  // namespace
}  // namespace fuser

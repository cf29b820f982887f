// The numbered constraints of host programs: a text that breaks each, and what is said of it.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/builder.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

// f(%x: f32[i0, i1], %c: bool) { %t = set(%x); %y = set(%t); return %y }
struct VerifyHostIrTest : testing::Test {
  VerifyHostIrTest() {
    TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    fusion.addInput(fusion.newScalar(DataType::Bool, "c"));
    TensorView* t = build::set(fusion, x, "t");
    fusion.addOutput(build::set(fusion, t, "y"));
  }
  static std::string withoutDeclarations(std::string text) {
    for (size_t at = text.find("  tensor "); at != std::string::npos; at = text.find("  tensor ")) {
      text.erase(at, text.find('\n', at) + 1 - at);
    }
    return text;
  }
  // What the verifier says of a program with this body; "" where it takes it.
  std::string problem(const std::string& body, HostLeaks leaks = HostLeaks::Forbidden) {
    const std::string text = concat("host f(%x: f32[i0, i1], %c: bool) {\n", body, "  return %y\n}\n");
    const HostIrContainer program = parseHostIr(text, fusion, {});
    EXPECT_EQ(withoutDeclarations(toString(program)), withoutDeclarations(text));
    return complaint(program, leaks);
  }
  // "" where the verifier takes it.
  static std::string complaint(const HostIrContainer& program, HostLeaks leaks) {
    try {
      verifyHostIr(program, leaks);
    } catch (const CheckError& error) {
      const std::string message = error.what();
      return message.substr(message.find("constraint "));
    }
    return "";
  }

  static constexpr const char* kY = "  allocate %y: f32[i0, i1]\n";
  static constexpr const char* kT = "  allocate %t: f32[i0, i1]\n";
  Fusion fusion{"f"};
};

TEST_F(VerifyHostIrTest, AcceptsAValidProgram) {
  EXPECT_EQ(problem(kY), "");
  EXPECT_EQ(problem(concat(kT, kY, "  free %t\n")), "");
}

TEST_F(VerifyHostIrTest, AValueExistsBeforeItIsRead) {
  EXPECT_EQ(problem(concat(kY, "  view %t of %y\n")), "");
  EXPECT_EQ(problem(concat("  view %y of %t\n")), "constraint 1: %t is read where it does not exist");
  EXPECT_EQ(problem(concat(kT, "  free %t\n  copy %t to %x\n", kY)),
            "constraint 1: %t is read where it does not exist");
}

TEST_F(VerifyHostIrTest, AScalarIsEvaluatedBeforeASizeThatUsesIt) {
  const Case testCase = parseCase(
      "fusion g(%n: i64) {\n  %k = mul(%n, 2)\n"
      "  %a = arange() {start = 0, end = %k, step = 1, dtype = f32}\n  return %a\n}\n",
      "g");
  const auto problemIn = [&](const std::string& body) {
    return complaint(parseHostIr(concat("host g(%n: i64) {\n", body, "  return %a\n}\n"), *testCase.fusion, {}),
                     HostLeaks::Forbidden);
  };
  const std::string segment = "  segment 0 ExprEval (%n) -> (%k) {\n    evaluate %k\n  }\n",
                    allocate = "  allocate %a: f32[%k]\n";
  EXPECT_EQ(problemIn(concat(segment, allocate)), "");
  EXPECT_EQ(problemIn(concat(allocate, segment)), "constraint 1: %k is read where it does not exist");
}

TEST_F(VerifyHostIrTest, NothingIsDefinedTwice) {
  EXPECT_EQ(problem(concat(kY, kY)), "constraint 2: %y is there already");
}

TEST_F(VerifyHostIrTest, OnlyOwnedMemoryIsFreed) {
  EXPECT_EQ(problem(concat(kY, "  free %x\n")), "constraint 3: %x is not the program's to free");
  EXPECT_EQ(problem(concat(kY, "  free %y\n")), "constraint 3: %y is not the program's to free");
}

TEST_F(VerifyHostIrTest, NothingIsLeaked) {
  EXPECT_EQ(problem(concat(kT, kY)), "constraint 4: %t is allocated and never freed");
  EXPECT_EQ(problem(concat(kT, kY), HostLeaks::Allowed), "");
  EXPECT_EQ(problem(concat("  for index0 in %x {axis = 0} {\n  ", kT, "  }\n", kY)),
            "constraint 4: %t is allocated and never freed");
}

// The builders take no such expression.
TEST_F(VerifyHostIrTest, AHostScalarDependsOnHostScalarsOnly) {
  TensorView* s = build::hostInput(fusion, DataType::Float, "s");
  const Scalar* k = build::item(fusion, s, "k");
  const Scalar* n = build::size(fusion, fusion.inputs().front()->as<TensorView>(), 0, "n");
  const auto* y = fusion.outputs().front()->as<TensorView>();
  const auto evaluated = [&](const std::vector<const Val*>& results) {
    HostIrContainer program(fusion);
    hir::EvaluateScalars node;
    for (const Val* result : results) node.exprs.push_back(result->definition());
    program.append(node);
    program.append(hir::Allocate{y});
    return complaint(program, HostLeaks::Forbidden);
  };
  EXPECT_EQ(evaluated({k, n}), "");
  EXPECT_EQ(evaluated({k, n, k}), "constraint 5: %k is evaluated twice");
  EXPECT_EQ(evaluated({y->definition()->input(0)}), "constraint 5: %t is not a scalar");
  s->setCpuScalar(false);
  EXPECT_EQ(evaluated({k, n}), "constraint 5: host scalar %k depends on the device's data %s");
}

TEST_F(VerifyHostIrTest, OnlyAnOutputReusesAnInput) {
  EXPECT_EQ(problem("  reuse %x for %y\n"), "");
  EXPECT_EQ(problem(concat(kY, "  reuse %x for %t\n")),
            "constraint 7: only an output, or what is in place, reuses an input's memory");
}

TEST_F(VerifyHostIrTest, AnIndexIsUsedInItsLoop) {
  const std::string slice = "  tensor %x.s0: f32[i1] {contiguity = [false]}\n";
  const std::string select = "select %x.s0: f32[i1] of %x {axis = 0, index = index0}\n";
  EXPECT_EQ(problem(concat(slice, "  for index0 in %x {axis = 0} {\n    ", select, "  }\n", kY)), "");
  EXPECT_EQ(problem(concat(slice, "  for index0 in %x {axis = 0} {\n  }\n  ", select, kY)),
            "constraint 8: an index is used outside its loop");
}

TEST_F(VerifyHostIrTest, StreamsAreDefinedAndBalanced) {
  const std::string loop = "  for index0 in %x {axis = 0} {\n    get stream saved0\n    set stream by index0\n";
  EXPECT_EQ(problem(concat(loop, "    set stream saved0\n  }\n", kY)), "");
  EXPECT_EQ(problem(concat(loop, "  }\n", kY)), "constraint 9: a body leaves another stream current");
  const std::string before = "  get stream saved0\n", turn = "  for index0 in %x {axis = 0} {\n    get stream saved1\n";
  const std::string onItsStream = "    set stream by index0\n", anew = "    get stream saved0\n";
  const std::string end = concat("    set stream saved1\n  }\n", kY);
  EXPECT_EQ(problem(concat(before, turn, anew, onItsStream, end)), "") << "the same stream again";
  EXPECT_EQ(problem(concat(before, turn, onItsStream, anew, end)),
            "constraint 9: a loop iteration finds stream 0 anew");
  const std::string unknown = "constraint 9: stream 0 is named before it is found";
  EXPECT_EQ(problem(concat(kY, "  get stream saved0\n  synchronize saved0\n")), "");
  EXPECT_EQ(problem(concat(kY, "  synchronize saved0\n")), unknown);
  EXPECT_EQ(problem(concat(kY, "  set stream saved0\n")), unknown);
}

TEST_F(VerifyHostIrTest, BothBranchesOfAnIfHaveTheSameEffect) {
  EXPECT_EQ(problem(concat("  if %c {\n  ", kY, "  } else {\n  ", kY, "  }\n")), "");
  EXPECT_EQ(problem(concat("  if %c {\n  ", kY, "  } else {\n  }\n")),
            "constraint 10: the branches of an if leave different values");
  EXPECT_EQ(problem(concat(kT, "  for index0 in %x {axis = 0} {\n    free %t\n  }\n", kY)),
            "constraint 10: a loop iteration takes %t away, which the next one may read");
}

TEST_F(VerifyHostIrTest, AViewOfFreedMemoryDoesNotReferToALaterAllocation) {
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "u");
  const std::string freed = "  free %t\n", again = concat(freed, kT), read = "  compute (%y) from (%u) as %y\n";
  EXPECT_EQ(problem(concat(kT, again, "  view %u of %t\n", read, freed)), "");
  EXPECT_EQ(problem(concat(kT, "  view %u of %t\n", again, read, freed)),
            "constraint 2: %u is in the memory of %t, which is allocated anew");
}

TEST_F(VerifyHostIrTest, ALoopBalancesItsAllocations) {
  const auto loop = [](const std::string& body) { return concat("  for index0 in %x {axis = 0} {\n", body, "  }\n"); };
  EXPECT_EQ(problem(concat(kY, kT, loop(concat("    free %t\n  ", kT)), "  free %t\n")), "");
  EXPECT_EQ(problem(concat(kY, kT, loop("    free %t\n    view %t of %x\n"), "  free %t\n")),
            "constraint 10: a loop iteration leaves %t in other memory than it found it in");
  EXPECT_EQ(
      problem(concat(kY, kT, loop("    free %t\n    allocate %t: f32[i0, i1] {sliced_axis = 0}\n"), "  free %t\n"),
              HostLeaks::Allowed),
      "constraint 10: a loop iteration leaves %t in other memory than it found it in");
}

TEST_F(VerifyHostIrTest, AWriteThroughAViewOverwritesTheInput) {
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "u");
  const std::string reuse = "  reuse %x for %y\n  view %u of %y\n", write = "  compute into (%u) from (%x) as %u\n";
  EXPECT_EQ(problem(concat(kT, reuse, write, "  free %t\n")), "");
  EXPECT_EQ(problem(concat(kT, reuse, write, "  copy %t to %x\n  free %t\n")),
            "constraint 1: %x is read where it does not exist");
}

TEST_F(VerifyHostIrTest, OneOutputReusesAnInput) {
  fusion.addOutput(build::set(fusion, fusion.inputs().front()->as<TensorView>(), "z"));
  const std::string text =
      "host f(%x: f32[i0, i1], %c: bool) {\n  reuse %x for %y\n  reuse %x for %z\n"
      "  return %y, %z\n}\n";
  EXPECT_EQ(complaint(parseHostIr(text, fusion, {}), HostLeaks::Forbidden),
            "constraint 7: two outputs reuse the memory of %x");
}

TEST_F(VerifyHostIrTest, MemoryKeepsItsDtype) {
  build::cast(fusion, fusion.inputs().front()->as<TensorView>(), DataType::Half, "h");
  const std::string other = "constraint 12: %h is f16 in memory of %";
  EXPECT_EQ(problem(concat(kT, kY, "  view %h of %t\n  free %t\n")), concat(other, "t, which is f32"));
  EXPECT_EQ(problem(concat(kY, "  allocate %h: f16[i0, i1]\n  copy %h to %x\n  free %h\n")),
            concat(other, "x, which is f32"));
}

TEST_F(VerifyHostIrTest, ASelectIsItsSourceWithoutTheAxis) {
  const auto selected = [&](const std::string& name, const std::string& type, int axis) {
    return problem(concat("  tensor %", name, ": ", type, " {contiguity = [false]}\n  for index0 in %x {axis = 0} {\n",
                          "    select %", name, ": ", type, " of %x {axis = ", axis, ", index = index0}\n  }\n", kY));
  };
  EXPECT_EQ(selected("row", "f32[i1]", 0), "");
  EXPECT_EQ(selected("column", "f32[i0]", 0), "constraint 12: %column is no %x without axis 0");
  EXPECT_EQ(selected("row", "f32[i1]", 1), "constraint 12: %row is no %x without axis 1");
  EXPECT_EQ(selected("half", "f16[i1]", 0), "constraint 12: %half is no %x without axis 0");
}

TEST_F(VerifyHostIrTest, AShardIsAPartOfItsSource) {
  const auto shard = [&](const std::string& name, const std::string& type, int axis) {
    return problem(concat("  tensor %", name, ": ", type, " {contiguity = [false, false]}\n  shard %", name, ": ", type,
                          " of %x {axis = ", axis, ", part = 1, parts = 2}\n", kY));
  };
  EXPECT_EQ(shard("part", "f32[(i0 // 2), i1]", 0), "");
  EXPECT_EQ(shard("part", "f32[(i0 // 2), i1]", 1), "constraint 12: %part is no part of %x along axis 1");
  EXPECT_EQ(shard("whole", "f32[i0, i1]", 0), "constraint 12: %whole is no part of %x along axis 0");
  EXPECT_EQ(shard("half", "f16[(i0 // 2), i1]", 0), "constraint 12: %half is no part of %x along axis 0");
}

TEST_F(VerifyHostIrTest, AStandaloneOpHasItsExpressionsOperandsAndResults) {
  const std::string other = "constraint 12: %y is computed with other operands or results than its expression has";
  const auto computed = [&](const std::string& line) {
    return problem(concat(kT, "  compute ", line, "\n  free %t\n"));
  };
  EXPECT_EQ(computed("(%y) from (%t) as %y"), "");
  EXPECT_EQ(computed("() from (%t) as %y"), other);
  EXPECT_EQ(computed("(%y) from (%t) as %y {without_axis = 2}"), other);
  EXPECT_EQ(computed("(%y) from (%t) as %y {axis = 2, parts = 2}"), other);
  EXPECT_EQ(computed("(%y) from (%t) as set"), "");
  for (const char* line : {"(%y) from (%t, %x) as set", "(%y) from (%c) as set", "() from (%t) as set"}) {
    EXPECT_EQ(computed(line), "constraint 12: a set is of one tensor") << line;
  }
}

// Where the ways leave a tensor in different memory, what follows may be in either.
TEST_F(VerifyHostIrTest, AnIfMayAliasTheMemoryOfEitherBranch) {
  const auto ways = [](const std::string& one, const std::string& other) {
    return concat("  if %c {\n    view %u of %", one, "\n  } else {\n    view %u of %", other, "\n  }\n");
  };
  const std::string freed = "  free %t\n", read = "  compute (%y) from (%u) as %y\n";
  const char* problemOfT = "constraint 1: %u is read in the memory of %t, which is freed or overwritten";
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "u");
  EXPECT_EQ(problem(concat(kT, ways("t", "x"), read, freed)), "");
  EXPECT_EQ(problem(concat(kT, ways("t", "x"), freed, read)), problemOfT);
  EXPECT_EQ(problem(concat(kT, ways("x", "t"), freed, read)), problemOfT);
  EXPECT_EQ(problem(concat(kT, kY, ways("t", "x"), "  copy %t to %x\n  copy %u to %x\n", freed)),
            "constraint 1: %u is read in the memory of %x, which is freed or overwritten");
  EXPECT_EQ(problem(concat(kT, kY, ways("x", "t"), "  compute into (%u) from (%t) as %y\n", freed)),
            "constraint 7: %u is written in an input's memory");
  // Through a chain, and where one way alone is a view.
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "v");
  EXPECT_EQ(problem(concat(kT, ways("t", "x"), "  view %v of %u\n", freed, "  compute (%y) from (%v) as %y\n")),
            "constraint 1: %v is read in the memory of %t, which is freed or overwritten");
  EXPECT_EQ(problem(concat(kT, "  if %c {\n    view %y of %t\n  } else {\n  ", kY, "  }\n", freed)),
            "constraint 11: %y is read in the memory of %t, which is freed or overwritten");
  EXPECT_EQ(problem(concat(kT, "  if %c {\n  ", kY, "  } else {\n    view %y of %t\n  }\n", freed)),
            "constraint 11: %y is read in the memory of %t, which is freed or overwritten");
}

TEST_F(VerifyHostIrTest, AnInputReusedInEitherBranchIsOverwritten) {
  TensorView* z = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "z");
  build::set(fusion, z, "u");
  const auto readBehind = [&](const std::string& input) {
    const std::string text =
        concat("host f(%x: f32[i0, i1], %c: bool, %z: f32[i0, i1]) {\n  if %c {\n    reuse %x for %y\n  } else {\n",
               "    reuse %z for %y\n  }\n", kT, "  compute into (%y) from (%t) as %y\n  free %t\n  view %u of %",
               input, "\n  return %y\n}\n");
    return complaint(parseHostIr(text, fusion, {}), HostLeaks::Forbidden);
  };
  EXPECT_EQ(readBehind("x"), "constraint 1: %x is read where it does not exist");
  EXPECT_EQ(readBehind("z"), "constraint 1: %z is read where it does not exist");
}

// A segment's cache may be given an input for its sizes: then the segment does not name it.
TEST_F(VerifyHostIrTest, OverwrittenInputsAreUsedOnlyForTheirSizes) {
  const auto problemWith = [&](const std::string& segmentInputs) {
    return problem(concat("  reuse %x for %y\n", kT, "  compute into (%y) from (%t) as %y\n  segment 0 None (",
                          segmentInputs, ") -> (%t) {\n    run cache 0(%x) -> (%t)\n  }\n  free %t\n"));
  };
  EXPECT_EQ(problemWith(""), "");
  EXPECT_EQ(problemWith("%x"), "constraint 1: %x is read where it does not exist");
}

TEST_F(VerifyHostIrTest, AnOutputOfACacheMayOverwriteAnInput) {
  const std::string run = "  segment 0 None (%t) -> (%y) {\n    run cache 0(%t) -> (%y)\n  }\n  free %t\n";
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "u");
  EXPECT_EQ(problem(concat("  reuse %x for %y\n", kT, run)), "");
  EXPECT_EQ(problem(concat("  reuse %x for %y\n", kT, run, "  view %u of %x\n")),
            "constraint 1: %x is read where it does not exist");
}

TEST_F(VerifyHostIrTest, BothBranchesOfAnIfAllocateTheSameSlices) {
  EXPECT_EQ(problem(concat("  if %c {\n  ", kT, "  } else {\n  ", kT, "  }\n  free %t\n", kY)), "");
  EXPECT_EQ(problem(concat("  if %c {\n    allocate %t: f32[i0, i1] {sliced_axis = 0}\n  } else {\n  ", kT,
                           "  }\n  free %t\n", kY)),
            "constraint 10: the branches of an if allocate %t in different slices");
  EXPECT_EQ(problem(concat("  if %c {\n  ", kT, "  } else {\n    view %t of %x\n  }\n", kY)),
            "constraint 10: the branches of an if leave %t in different memory");
}

// No text says so, and no edit of the container: only a node that is written over behind its back.
TEST_F(VerifyHostIrTest, TheProgramRecordsExactlyItsAliases) {
  const auto* x = fusion.inputs().front()->as<TensorView>();
  const auto* y = fusion.outputs().front()->as<TensorView>();
  const auto* t = y->definition()->input(0)->as<TensorView>();
  HostIrContainer program(fusion);
  hir::HostExpr* view = program.append(hir::View{t, x});
  hir::HostExpr* output = program.append(hir::Allocate{y});
  EXPECT_EQ(complaint(program, HostLeaks::Forbidden), "");
  std::get<hir::View>(view->node).source = y;
  program.moveBefore(output, view);
  EXPECT_EQ(complaint(program, HostLeaks::Forbidden), "constraint 15: %t is in other memory than the program records");
}

TEST_F(VerifyHostIrTest, TheProgramRecordsNoAliasWithoutANode) {
  const auto* x = fusion.inputs().front()->as<TensorView>();
  const auto* y = fusion.outputs().front()->as<TensorView>();
  for (const bool anotherSaysSo : {false, true}) {
    HostIrContainer program(fusion);
    hir::HostExpr* branch = program.append(hir::IfThenElse{fusion.inputs().back()});
    hir::HostExpr* view = program.append(hir::View{y, x}, branch);
    program.append(anotherSaysSo ? hir::Node(hir::View{y, x}) : hir::Node(hir::Allocate{y}), branch, 1);
    EXPECT_EQ(complaint(program, HostLeaks::Forbidden), "");
    view->node = hir::Allocate{y};
    EXPECT_EQ(complaint(program, HostLeaks::Forbidden),
              "constraint 18: the program knows of %y in the memory of %x, which no node says");
  }
}

TEST_F(VerifyHostIrTest, ABufferIsUsedOnceForItsOutput) {
  const std::string takeOutput = "  take output 0 for %y\n";
  EXPECT_EQ(problem(takeOutput), "");
  EXPECT_EQ(problem(concat(kY, "  copy %y to output 0\n")), "");
  EXPECT_EQ(problem(concat(takeOutput, kT, "  copy %t to output 0\n")), "constraint 14: %t is not output 0");
  EXPECT_EQ(problem(concat(takeOutput, "  copy %y to output 0\n")),
            "constraint 14: the memory for output 0 is taken twice");
  EXPECT_EQ(problem(concat(takeOutput, takeOutput)), "constraint 14: the memory for output 0 is taken twice");
  EXPECT_EQ(problem("  copy %y to output 0\n"), "constraint 1: %y is read where it does not exist");
  EXPECT_EQ(problem(concat("  if %c {\n  ", takeOutput, "  } else {\n  ", kY, "  }\n")),
            "constraint 14: the branches of an if take the memory for different outputs");
  EXPECT_EQ(problem(concat(kY, "  for index0 in %x {axis = 0} {\n    copy %y to output 0\n  }\n")),
            "constraint 14: a loop takes the memory for an output, which each of its iterations would");
}

TEST_F(VerifyHostIrTest, EveryOutputIsDefined) {
  EXPECT_EQ(problem(""), "constraint 11: %y is read where it does not exist");
  EXPECT_EQ(problem(concat("  for index0 in %x {axis = 0} {\n  ", kY, "  }\n")),
            "constraint 11: %y is read where it does not exist");
}

// A loop over streams, with this where turns do their work.
std::string turns(const std::string& work) {
  return concat("  for index0 in %x {axis = 0} {\n    get stream saved0\n    set stream by index0\n", work,
                "    set stream saved0\n  }\n");
}

TEST_F(VerifyHostIrTest, EachIterationUsesOneSlice) {
  const std::string sliced = "  allocate %t: f32[i0, i1] {sliced_axis = 0}\n", freed = concat("  free %t\n", kY);
  const std::string wraps = "    select %t.s0: f32[i1] of %t {axis = 0, index = index0, wraps}\n";
  const std::string plain = "    select %t.s0: f32[i1] of %t {axis = 0, index = index0}\n";
  EXPECT_EQ(problem(concat(sliced, turns(wraps), freed)), "");
  EXPECT_EQ(problem(concat(sliced, turns(plain), freed)),
            "constraint 13: %t.s0 selects of %t, which is allocated in slices, and does not wrap");
  EXPECT_EQ(problem(concat(kT, turns(wraps), freed)),
            "constraint 13: %t.s0 selects of %t, which is not allocated in slices along that axis, and wraps");
  EXPECT_EQ(problem(concat("  allocate %t: f32[i0, i1] {sliced_axis = 1}\n", turns(wraps), freed)),
            "constraint 13: %t.s0 selects of %t, which is not allocated in slices along that axis, and wraps");
  EXPECT_EQ(problem(concat(sliced, "  for index0 in %x {axis = 0} {\n", wraps, "  }\n", freed)),
            "constraint 13: %t.s0 is selected on another stream than its turn's");
  const std::string again =
      "  for index1 in %x {axis = 0} {\n    get stream saved1\n    set stream by index1\n"
      "    select %t.s1: f32[i1] of %t {axis = 0, index = index1, wraps}\n    set stream saved1\n  }\n";
  EXPECT_EQ(problem(concat(sliced, turns(wraps), again, freed)), "constraint 13: two loops use the slices of %t");
  EXPECT_EQ(problem(concat(sliced, turns(wraps), "  copy %t to %x\n", freed)),
            "constraint 13: %t, which is allocated in slices, is used whole");
  EXPECT_EQ(problem("  allocate %y: f32[i0, i1] {sliced_axis = 0}\n"),
            "constraint 13: output %y is allocated in slices");
}

// The program of device 0 of two: %t is sent, %y received.
struct VerifyCommunicationTest : VerifyHostIrTest {
  std::string problemOnDevice(const std::string& body, HostLeaks leaks = HostLeaks::Allowed,
                              const std::string& declarations = "") {
    const std::string text = concat("host f(%x: f32[i0, i1], %c: bool) {\n", declarations,
                                    "  device 0 (%x, %c) -> (%y)\n", body, "  return %y\n}\n");
    const HostIrContainer program = parseHostIr(text, fusion, {});
    EXPECT_EQ(withoutDeclarations(toString(program)), withoutDeclarations(text));
    return complaint(program, leaks);
  }
  static constexpr const char* kAllreduce = "  allreduce %t -> %y {team = [0, 1], reduction = sum}\n";
  static constexpr const char* kWait = "  wait for communication 0\n";
};

TEST_F(VerifyCommunicationTest, EveryCommunicationHasAWait) {
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, kWait)), "");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce)),
            "constraint 16: a body leaves a communication that it started, or waits for another's");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, kWait, kWait)),
            "constraint 16: a wait for a communication that does not run");
  const std::string send = "  send_recv %t -> none {team = [1], root = 0}\n";
  EXPECT_EQ(problemOnDevice(concat(kT, kY, send, kWait)), "");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, send)),
            "constraint 16: a body leaves a communication that it started, or waits for another's");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, "  if %c {\n  ", send, "  } else {\n  }\n", kWait)),
            "constraint 16: a body leaves a communication that it started, or waits for another's");
}

TEST_F(VerifyCommunicationTest, BuffersInFlightAreNotAccessed) {
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, "  copy %y to %x\n", kWait)),
            "constraint 16: %y is used before a wait for what brings it");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, "  copy %t to %x\n", kWait)), "");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, "  free %t\n", kWait), HostLeaks::Forbidden),
            "constraint 16: %t changes before a wait for what sends it");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, kWait, "  free %t\n"), HostLeaks::Forbidden), "");
  const std::string send = "  send_recv %x -> none {team = [1], root = 0}\n";
  EXPECT_EQ(problemOnDevice(concat(kT, kY, send, "  copy %t to %x\n", kWait)),
            "constraint 16: %x changes before a wait for what sends it");
  const std::string sendOwn = "  send_recv %t -> none {team = [1], root = 0}\n";
  EXPECT_EQ(problemOnDevice(concat(kT, kY, sendOwn, "  compute into (%t) from (%x) as %t\n", kWait)),
            "constraint 16: %t changes before a wait for what sends it");
}

TEST_F(VerifyCommunicationTest, BuffersInFlightAreNotAccessedThroughEitherBranchsAlias) {
  build::set(fusion, fusion.inputs().front()->as<TensorView>(), "u");
  const std::string either = "  if %c {\n    view %u of %y\n  } else {\n    view %u of %x\n  }\n";
  EXPECT_EQ(problemOnDevice(concat(kT, kY, either, kAllreduce, "  copy %u to %x\n", kWait)),
            "constraint 16: %u is used before a wait for what brings it");
  const std::string sent = "  send_recv %x -> none {team = [1], root = 0}\n";
  EXPECT_EQ(problemOnDevice(concat(kT, "  reuse %x for %y\n", sent, "  compute into (%y) from (%t) as %y\n", kWait)),
            "constraint 16: %x changes before a wait for what sends it");
}

// What the program allocates is dense whatever it declares; of other memory the declaration counts.
TEST_F(VerifyCommunicationTest, CommunicatedTensorsAreDense) {
  const auto problemOfTurn = [&](const std::string& layout, const std::string& statement) {
    const std::string turn =
        concat("  for index0 in %x {axis = 0} {\n    ", statement, "\n",
               "    send_recv %x.s0 -> none {team = [1], root = 0}\n    wait for communication 0\n  }\n");
    return problemOnDevice(concat(turn, kY), HostLeaks::Allowed, concat("  tensor %x.s0: f32[i1]", layout, "\n"));
  };
  const std::string select = "select %x.s0: f32[i1] of %x {axis = 0, index = index0}";
  EXPECT_EQ(problemOfTurn("", select), "");
  EXPECT_EQ(problemOfTurn(" {contiguity = [false]}", select),
            "constraint 19: %x.s0 is moved, and not known to be dense");
  EXPECT_EQ(problemOfTurn(" {contiguity = [false]}", "allocate %x.s0: f32[i1]"), "");
  fusion.outputs().front()->as<TensorView>()->domain().contiguity = {false, true};
  EXPECT_EQ(problemOnDevice(concat(kT, kY, kAllreduce, kWait)), "");
  EXPECT_EQ(problemOnDevice(concat(kT, "  take output 0 for %y\n", kAllreduce, kWait)),
            "constraint 19: %y is moved, and not known to be dense");
}

TEST_F(VerifyCommunicationTest, ParticipantsHaveATensor) {
  EXPECT_EQ(problemOnDevice(concat(kT, kY, "  allreduce none -> %y {team = [0, 1], reduction = sum}\n", kWait)),
            "constraint 17: allreduce: device 0 gives something");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, "  broadcast %t -> %y {team = [0, 1], root = 1}\n", kWait)),
            "constraint 17: broadcast: device 0 gives nothing");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, "  gather %t -> %y {team = [0, 1], root = 1}\n", kWait)),
            "constraint 17: gather: device 0 gets nothing");
  EXPECT_EQ(problemOnDevice(concat(kT, kY, "  broadcast none -> %x {team = [0, 1], root = 1}\n", kWait)),
            "constraint 7: %x is written in an input's memory");
  EXPECT_EQ(problem(concat(kT, kY, kAllreduce, kWait), HostLeaks::Allowed),
            "constraint 17: a communication of no devices");
  build::cast(fusion, fusion.inputs().front()->as<TensorView>(), DataType::Half, "h");
  EXPECT_EQ(problemOnDevice(concat("  allocate %h: f16[i0, i1]\n", kY,
                                   "  allreduce %h -> %y {team = [0, 1], reduction = sum}\n", kWait)),
            "constraint 17: %h is sent and received as another dtype");
}

}  // namespace
}  // namespace fuser

// What is rejected behind the parser has the place of its statement in the text.

#include <gtest/gtest.h>

#include "fuser/case/functional_updates.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

// Compiles and runs the case; "" where nothing is wrong with it.
std::string rejectionOf(const std::string& text) {
  const Case testCase = functionalCase(parseCase(text, "in"));
  try {
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    FusionExecutorCache cache(fusion, settingsOf(testCase));
    const RunData data = materialize(testCase, testCase.runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    const OutputMemory memory = outputMemory(testCase, inputs);
    cache.run(inputs, memory.refs);
  } catch (const UserError& error) {
    return located(testCase.places, error.what());
  }
  return "";
}

struct Rejection {
  const char* name;
  const char* body;      // from line 2 on
  const char* settings;  // behind it
  const char* error;
};

constexpr Rejection kRejections[] = {
    {"StreamAlongWhichElementsMove", "  %y = slice(%x) {dim = 0, start = 1, end = 3}\n  return %y\n",
     "stream %y {dim = 0}\n", "in:5:1: stream %y {dim = 0}: slice moves the elements along the axis"},
    {"StreamThatIsTaken", "  %y = neg(%x)\n  return %y\n", "stream %y {dim = 0}\n", ""},
    {"StreamOfWhatTheHostCannotRunAlone", "  %y = reshape(%x) {shape = [-1]}\n  %z = neg(%y)\n  return %z\n",
     "stream %z {dim = 0}\nstream %y {dim = 0}\n",
     "in:7:1: stream %y {dim = 0}: reshape cannot run as a standalone op"},
    {"StreamsOfTwoResults",
     "  %u = unsqueeze(%x) {dims = [2]}\n  %v, %m = var_mean(%u) {dims = [2], correction = 0}\n  return %v, %m\n",
     "stream %v {dim = 0}\nstream %m {dim = 1}\n",
     "in:7:1: stream %m: %v, which the same expression makes, has another stream axis"},
    {"StreamsOfWhatComesFromOtherDevices", "  %y = set(%x)\n  return %y\n",
     "mesh {devices = [0, 1]}\nshard %x {dim = 0, type = DIDx}\nstream %y {dim = 0}\n",
     "in:7:1: stream %y {dim = 0}: set brings it from other devices, which no loop over streams does"},
    {"AliasesOnDevices", "  %y = neg(%x)\n  return %y\n", "mesh {devices = [0, 1]}\nalias %y -> %x\n",
     "in:6:1: alias %y -> %x: a case on several devices has no aliases"},
    {"GivenMemoryOnDevices", "  %y = neg(%x)\n  return %y\n", "preallocate %y\nmesh {devices = [0, 1]}\n",
     "in:5:1: preallocate %y: a case on several devices cannot have preallocated outputs"},
    {"AScheduleOnDevices", "  %y = neg(%x)\n  return %y\n", "mesh {devices = [0, 1]}\n  schedule {\n  inlineMost\n}\n",
     "in:6:3: schedule: a case on streams or devices takes no schedule: its kernels compute slices"},
    {"AScheduleOfASegmentOnDevices", "  %y = neg(%x)\n  return %y\n",
     "mesh {devices = [0, 1]}\nschedule segment 0 {\n  inlineMost\n}\n",
     "in:6:1: schedule segment 0: a case on streams or devices takes no schedule: its kernels compute "
     "slices"},
    {"APassThatDevicesNeed", "  %y = neg(%x)\n  return %y\n",
     "mesh {devices = [0, 1]}\noption disable pass LowerReshardingsPass\n",
     "in:6:21: option disable pass LowerReshardingsPass: a case on several devices needs it, which makes the program "
     "of "
     "each"},
    {"PartsThatAreNotEqual", "  %y = neg(%x)\n  return %y\n",
     "mesh {devices = [0, 1, 2]}\nshard %x {dim = 0, type = DIDx}\n",
     "in:6:1: shard %x {dim = 0}: its size 4 is not a multiple of 3"},
    {"AStepOfASchedule", "  %y = neg(%x)\n  return %y\n",
     "schedule {\n  split %y {axis = 0, factor = 2}\n  split %y {axis = 7, factor = 2}\n}\n",
     "in:7:3: schedule step 2: %y has no loop axis 7"},
    {"AStepOfASegmentsSchedule", "  %y = neg(%x)\n  return %y\n",
     "schedule segment 0 {\n  inlineMost\n  split %y {axis = 7, factor = 2}\n}\n",
     "in:7:3: schedule segment 0: schedule step 2: %y has no loop axis 7"},
    {"ASegmentThatIsNotThere", "  %y = neg(%x)\n  return %y\n", "\n\nschedule segment 2 {\n  inlineMost\n}\n",
     "in:7:1: schedule segment 2: segments count from 0, and there are 1"},
    {"SizesThatDoNotFit", "  %t = neg(%x)\n  %y = expand(%t) {shape = [3, 6]}\n  return %y\n", "",
     "in:3:3: %y = expand: axis 0 of %t has size 4 and cannot be expanded to 3"},
    {"AReductionThatKeepsItsAxis",
     "  %n = slice(%x) {dim = 0, start = 4}\n  %y = amax(%n) {dims = [0], keepdim = true}\n  return %y\n", "",
     "in:3:3: %y = amax: axis 0 of %n has size 0"},
    {"OnASideOfABranch",
     "  %c = lt(0, 1)\n  %y = if %c {\n    %t = expand(%x) {shape = [3, 6]}\n    yield %t\n  } else {\n"
     "    %t = full() {fill_value = 1.0, shape = [3, 6], dtype = f32}\n    yield %t\n  }\n  return %y\n",
     "", "in:4:5: %t = expand: axis 0 of %x has size 4"},
    {"AnUpdateOfOtherSizes",
     "  %t = set(%x)\n  %u = neg(%x)\n  %v = slice(%t) {dim = 0, start = 1}\n  update %v = %u\n  return %t\n", "",
     "in:5:3: update %v = %u: axis 0 of %u has size 4 and cannot be expanded to 3"},
    {"AStepOfTheWrongSign",
     "  %n = sub(1, 2)\n  %y = arange() {start = 0, end = 5, step = %n, dtype = i64}\n  return %y\n", "",
     "in:3:3: %y = arange: a step of -1 does not lead from 0 to 5"},
    {"SlicesThatAreNotRepeated",
     "  %i = full() {fill_value = 0, shape = [2], dtype = i64}\n  %u = slice(%x) {dim = 0, start = 3}\n"
     "  %y = index_add(%x, %i, %u) {dim = 0}\n  return %y\n",
     "", "in:4:3: %y = index_add: axis 0 of %u has size 1, and what it is written to has size 2"},
    {"AMaskThatIsNotRepeated",
     "  %t = slice(%x) {dim = 0, start = 3}\n  %m = gt(%t, 0.0)\n  %u = full() {fill_value = 2.0, shape = [], dtype = "
     "f32}\n"
     "  %y = index_put(%x, %m, %u)\n  return %y\n",
     "", "in:5:3: %y = index_put: axis 0 of %m has size 1, and what it is written to has size 4"},
    {"ADiagonalThatIsNotRepeated",
     "  %u = select(%x) {dim = 0, index = 0}\n  %v = slice(%u) {dim = 0, start = 5}\n"
     "  %y = diagonal_scatter(%x, %v)\n  return %y\n",
     "", "in:4:3: %y = diagonal_scatter: axis 0 of %v has size 1, and what it is written to has size 4"},
    {"AnIndexOfIndexSelect",
     "  %i = full() {fill_value = 7, shape = [2], dtype = i64}\n  %y = index_select(%x, %i) {dim = 1}\n  return %y\n",
     "", "in:3:3: %y = index_select(%x, %i): index 7 for element 0 is out of range for axis 1 of %x, of size 6"},
    {"AnIndexOfTakeAlongDim",
     "  %i = full() {fill_value = -5, shape = [1, 6], dtype = i64}\n  %y = take_along_dim(%x, %i) {dim = 0}\n"
     "  return %y\n",
     "", "in:3:3: %y = take_along_dim(%x, %i): index -5 for element 0 is out of range for axis 0 of %x, of size 4"},
    {"AnIndexOfIndexFill",
     "  %i = full() {fill_value = 9, shape = [], dtype = i64}\n  %y = index_fill(%x, %i) {dim = 0, value = 1.0}\n"
     "  return %y\n",
     "", "in:3:3: %y = index_fill(%x, %i): index 9 for element 0 is out of range for axis 0 of %x, of size 4"},
    {"TheElementOfAVectorOfIndices",
     "  %i = arange() {start = 2, end = 6, dtype = i64}\n  %y = index_select(%x, %i) {dim = 0}\n  return %y\n", "",
     "in:3:3: %y = index_select(%x, %i): index 4 for element 2 is out of range for axis 0 of %x, of size 4"},
    {"OneOfSeveralIndices",
     "  %i = arange() {start = 2, end = 5, dtype = i64}\n  %u = full() {fill_value = 1.0, shape = [], dtype = f32}\n"
     "  %y = index_put(%x, %i, %i, %u)\n  return %y\n",
     "", "in:4:3: %y = index_put(%x, %i, %i, %u): one of the indices for element 2 is out of range for its axis"},
    {"TheFirstOfTwoBadOps",
     "  %i = full() {fill_value = 9, shape = [4], dtype = i64}\n  %a = index_select(%x, %i) {dim = 0}\n"
     "  %j = unsqueeze(%i) {dims = [1]}\n"
     "  %b = take_along_dim(%x, %j) {dim = 0}\n  return %b, %a\n",
     "", "in:3:3: %a = index_select(%x, %i): index 9 for element 0"},
};

class LocatedRejectionTest : public testing::TestWithParam<Rejection> {};

TEST_P(LocatedRejectionTest, HasThePlaceOfItsStatement) {
  const Rejection& each = GetParam();
  const std::string rejection = rejectionOf(concat("fusion f(%x: f32[i0, i1]) {\n", each.body, "}\n", each.settings,
                                                   "run { %x = uniform(seed = 1) : f32[4, 6] }\n"));
  EXPECT_EQ(rejection.substr(0, *each.error ? std::string_view(each.error).size() : rejection.npos), each.error);
}

INSTANTIATE_TEST_SUITE_P(All, LocatedRejectionTest, testing::ValuesIn(kRejections),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuser

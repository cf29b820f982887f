#pragma once
// The function that each line of faults.def requires: it plants the fault wherever possible and returns whether it
// found a place.

#include <functional>

#include "fuser/execute/engine.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/kernel/kernel.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuzz/faults/faults.h"

namespace fuser::fuzz {

// The content of a SegmentedFusion's text form, which faults edit because they have no access to its edges. Values have
// the text's names.
struct SegmentsText {
  struct Group {
    std::string scheduler;
    std::vector<std::string> exprs, copies, inputs, outputs;
  };
  struct Edge {
    size_t from, to;
    std::string val;
  };
  std::vector<Group> groups;
  std::vector<Edge> edges;
};
SegmentsText segmentsText(const SegmentedFusion& segmented);
std::string toString(const SegmentsText& text);  // for parseUnchecked

// Whether the two have the same dtype and axes of the same kinds and sizes.
bool haveSameType(const TensorView* a, const TensorView* b);

using LaunchFault = std::function<bool(const Kernel&, KernelArguments&)>;

// A function that is not in faults.def does not compile.
#ifndef __clang__
#pragma GCC diagnostic error "-Wmissing-declarations"
#endif

namespace faults {

// The function types by stage. A Pass fault gets the result of a pass, named as in pipeline.def. A Launch fault creates
// a function with state; a Cache fault creates the observer itself.
#define FAULT_FUNCTION_Pass(function) bool function(std::string_view pass, Fusion& fusion, bool& modified);
#define FAULT_FUNCTION_Report(function) FAULT_FUNCTION_Pass(function)
#define FAULT_FUNCTION_Fusion(function) bool function(Fusion& fusion);
#define FAULT_FUNCTION_Segment(function) bool function(const SegmentedFusion& segmented, SegmentsText& text);
#define FAULT_FUNCTION_Schedule(function) bool function(Fusion& part);
#define FAULT_FUNCTION_Kernel(function) bool function(Kernel& kernel);
#define FAULT_FUNCTION_Host(function) bool function(HostIrContainer& program);
#define FAULT_FUNCTION_Launch(function) LaunchFault function();
#define FAULT_FUNCTION_Cache(function) std::unique_ptr<PlantedFault> function();
#define FAULT(function, name, stage, summary, file) FAULT_FUNCTION_##stage(function)
#include "fuzz/faults/faults.def"
#undef FAULT
#undef FAULT_FUNCTION_Pass
#undef FAULT_FUNCTION_Report
#undef FAULT_FUNCTION_Fusion
#undef FAULT_FUNCTION_Segment
#undef FAULT_FUNCTION_Schedule
#undef FAULT_FUNCTION_Kernel
#undef FAULT_FUNCTION_Host
#undef FAULT_FUNCTION_Launch
#undef FAULT_FUNCTION_Cache

}  // namespace faults
}  // namespace fuser::fuzz

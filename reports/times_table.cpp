#include "reports/times_table.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "reports/figures.h"

namespace reports {
namespace {

constexpr const char* kLegend = R"(
Of all launches of a kernel, at the sizes of the program's run with most elements. Counts are of instructions of warps, of the
PTX, executed on the host; bytes are those of all sectors of 32 that a launch needs, each once; the estimate is a roofline's.
Times are from one event of the GPU to another around a launch, of which the time of two events with nothing between them is
a part: of each launch the median of its repetitions, with an L2 cache full of other data.
)";

}  // namespace

std::string toMarkdown(const TimesTable& table) {
  std::ostringstream out;
  out << "A copy of " << (table.copyBytes >> 20) << " MiB on the device: " << fixed(1e-9 * table.copyBytesPerSecond, 0)
      << " GB/s, bytes read and bytes written. Two events with nothing between them: "
      << fixed(table.microsecondsOfNothing, 2)
      << " us.\n\n| program | kernel | launches | warp instructions | divergent "
         "branches "
         "| shared wavefronts | flops | bytes | estimated us | GPU's us | share of the copy's GB/s |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const TimedProgram& program : table.programs) {
    for (const TimedKernel& kernel : program.kernels) {
      out << "| " << program.name << " | " << kernel.name << " | " << kernel.launches << " | "
          << kernel.warpInstructions << " | " << kernel.divergentBranches << " | " << kernel.sharedWavefronts << " | "
          << kernel.flops << " | " << kernel.memoryBytes << " | " << fixed(kernel.estimatedMicroseconds, 2) << " ("
          << kernel.bound << ") | " << fixed(kernel.microseconds, 2) << " | " << fixed(100 * kernel.shareOfCopy, 1)
          << " % |\n";
    }
  }
  out << kLegend;
  for (const std::string& each : table.leftOut) out << "\nNot timed: " << each << "\n";
  return out.str();
}

std::string toJson(const TimesTable& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const TimedProgram& program : table.programs) {
    rows.push_back({{"program", program.name},
                    {"run", program.run},
                    {"kernels", program.kernels.size()},
                    {"microseconds", program.microseconds}});
  }
  return nlohmann::ordered_json{{"programs", rows}}.dump(1) + "\n";
}

}  // namespace reports

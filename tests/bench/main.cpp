// Google Benchmark's main, with a stamp of machine and build in the context, and the stages registered.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

#include "tests/bench/stage_bench.h"

namespace {

std::string processorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

int main(int argc, char** argv) {
  fuser::fuzz::registerStageBenchmarks();
  fuser::fuzz::registerSegmentBenchmarks();
  fuser::fuzz::registerScheduleBenchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("machine", processorName());
  benchmark::AddCustomContext("compiler", kCompiler);
  benchmark::AddCustomContext("build", FUSER_BUILD_TYPE);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

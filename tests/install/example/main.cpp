// Compiles a fusion and runs it with the interpreter, with fuser as it is installed.

#include <iostream>
#include <utility>
#include <variant>

#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"

int main() {
  fuser::Case program = fuser::parseCase(R"(
fusion f(%x: f32[i0]) { %y = neg(%x) return %y }
run { %x = values [1, 2, 3] : f32[3] })",
                                         "example");
  const fuser::RunData data = fuser::materialize(program, program.runs.front());
  const fuser::CacheSettings settings = fuser::settingsOf(program);
  fuser::FusionExecutorCache cache(std::move(program.fusion), settings);
  const fuser::RunRecord record = cache.run(fuser::hostValues(data));
  const auto& y = std::get<fuser::TensorRef>(record.outputs.front());
  for (int64_t i = 0; i < y.sizes[0]; ++i) std::cout << static_cast<const float*>(y.data)[i * y.strides[0]] << '\n';
}

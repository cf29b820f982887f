#pragma once
// A case compiled for its first run, whose host programs other ones may stand in for.

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/aliases.h"
#include "fuser/communicate/in_process.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/device_inputs.h"
#include "fuser/runtime/input_facts.h"

namespace fuser::fuzz {

class CompiledCase {
 public:
  // A UserError where the case is rejected.
  explicit CompiledCase(const Case& testCase) : case_(testCase), engine_(makeEngine(EngineKind::Interp)) {
    const Data data = makeData();
    if (!case_.fusion->hasDevices()) {
      add(data.inputs, data.inputs, std::nullopt, data.memory);
    } else {
      for (int device : case_.fusion->mesh().devices()) {
        const std::vector<HostValue> parts = partsOf(data.inputs, device);
        add(parts, wholeInputs(*case_.fusion, device, parts), device, data.memory);
      }
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < programs_.size(); ++i) texts.push_back(text(i));
    expected_ = run(texts);
  }

  // One, or one a device.
  size_t count() const { return programs_.size(); }
  std::string text(size_t program) const { return toString(*programs_.at(program)->host); }

  // A program read from text, over a fusion of its own. It must not outlive this.
  struct Parsed {
    std::unique_ptr<Fusion> fusion;
    std::unique_ptr<HostIrContainer> program;
  };
  Parsed parse(size_t program, const std::string& text) const {
    const HostIrContainer& host = *programs_.at(program)->host;
    Parsed parsed{cloneInOrderOfUse(host.fusion()), nullptr};
    parsed.program = std::make_unique<HostIrContainer>(parseHostIr(text, *parsed.fusion, host.kernels));
    return parsed;
  }

  // Whether all outputs are those of the case's own programs, when another text stands in for one of these.
  bool givesTheSame(size_t program, const std::string& other) const {
    std::vector<std::string> texts;
    for (size_t i = 0; i < programs_.size(); ++i) texts.push_back(i == program ? other : text(i));
    return run(texts) == expected_;
  }

 private:
  struct Data {
    RunData run;
    std::vector<HostValue> inputs;
    OutputMemory memory;
  };
  Data makeData() const {
    Data data{materialize(case_, case_.runs.at(0)), {}, {}};
    data.inputs = hostValues(data.run);
    ExpressionEvaluator evaluator(*case_.fusion);
    evaluator.bindInputs(data.inputs);
    checkShapes(*case_.fusion, evaluator);
    if (case_.fusion->hasDevices()) checkShardings(*case_.fusion, evaluator);
    for (const auto& [output, input] : aliasesIn(*case_.fusion, case_.aliases)) {
      const Dims sizes = evaluator.sizes(case_.fusion->outputs().at(output)->as<TensorView>());
      checkOverwritten(*case_.fusion, output, sizes, input, data.inputs);
    }
    data.memory = outputMemory(case_, data.inputs);
    return data;
  }

  std::vector<HostValue> partsOf(std::vector<HostValue> inputs, int device) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto* tensor = std::get_if<TensorRef>(&inputs[i]);
      if (tensor) *tensor = partOnDevice(case_.fusion->inputs()[i]->as<TensorView>(), device, *tensor);
    }
    return inputs;
  }

  void add(const std::vector<HostValue>& inputs, const std::vector<HostValue>& whole, std::optional<int> device,
           const OutputMemory& memory) {
    FusionExecutorCache::Settings settings = settingsOf(case_);
    settings.device = device;
    settings.preallocated.clear();
    for (size_t i = 0; i < memory.refs.size(); ++i) {
      if (memory.refs[i]) settings.preallocated.insert(i);
    }
    std::vector<InputLayout> layouts;
    for (const InputFacts& facts : inspectInputs(*case_.fusion, device ? whole : inputs, device)) {
      layouts.push_back(facts.layout);
    }
    programs_.push_back(buildProgram(*case_.fusion, settings, layouts, whole));
    programs_.back()->compiled = engine_->compile(programs_.back()->host->kernels);
  }

  // The bytes of all outputs of all programs, and whether what lies beside the caller's memory for them is as it was.
  std::vector<std::vector<std::byte>> run(const std::vector<std::string>& texts) const {
    const Data data = makeData();
    std::vector<RunRecord> records(texts.size());
    if (!case_.fusion->hasDevices()) {
      records[0] = runOne(0, texts[0], data.inputs, data.inputs, nullptr, data.memory);
    } else {
      const std::vector<int>& devices = case_.fusion->mesh().devices();
      runRanks(*std::max_element(devices.begin(), devices.end()) + 1, [&](Communicator& communicator) {
        const std::optional<size_t> place = case_.fusion->mesh().indexOf(communicator.rank());
        if (!place) return;
        const std::vector<HostValue> parts = partsOf(data.inputs, communicator.rank());
        records[*place] = runOne(*place, texts[*place], parts, wholeInputs(*case_.fusion, communicator.rank(), parts),
                                 &communicator, data.memory);
      });
    }
    std::vector<std::vector<std::byte>> bytes;
    for (const RunRecord& record : records) {
      for (const HostValue& output : record.outputs) bytes.push_back(bytesOf(output));
    }
    for (const TensorData& block : data.memory.blocks) bytes.push_back({std::byte{keptPoison(block)}});
    return bytes;
  }

  RunRecord runOne(size_t place, const std::string& text, const std::vector<HostValue>& inputs,
                   const std::vector<HostValue>& whole, Communicator* communicator, const OutputMemory& memory) const {
    const CompiledProgram& compiled = *programs_[place];
    const Parsed parsed = parse(place, text);
    ExpressionEvaluator evaluator(*parsed.fusion);
    evaluator.bindInputs(whole);
    HostRunSettings settings;
    settings.maxBytes = size_t{1} << 24;
    settings.communicator = communicator;
    std::vector<SegmentRunner*> caches;
    for (const auto& cache : compiled.caches) caches.push_back(cache.get());
    return HostIrEvaluator(*parsed.program, compiled.compiled, caches).run(inputs, evaluator, settings, memory.refs);
  }

  static std::vector<std::byte> bytesOf(const HostValue& output) {
    if (const TensorRef* tensor = std::get_if<TensorRef>(&output)) {
      return tensor->data ? elementsOf(*tensor) : std::vector<std::byte>{};
    }
    const std::string text = std::get<ScalarValue>(output).toString();
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
  }

  const Case& case_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<CompiledProgram>> programs_;
  std::vector<std::vector<std::byte>> expected_;
};

}  // namespace fuser::fuzz

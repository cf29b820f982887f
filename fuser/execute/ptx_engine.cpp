#include "fuser/execute/ptx_engine.h"

#include <chrono>
#include <cstring>

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/device_copies.h"
#include "fuser/execute/held_kernel.h"
#include "fuser/execute/launch_shape.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/execute/ptx_store.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/ptx/content.h"
#include "fuser/ptx/launch.h"
#include "fuser/support/diagnostic.h"
#include "fuser/support/split_mix.h"

namespace fuser {
namespace {

static_assert(kKeptAlignment == ptx::kKeptRegionAlignment);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class PtxKernel : public TraceableKernel {
 public:
  PtxKernel(const Kernel& kernel, std::shared_ptr<const ptx::Module> module, const std::string& entry,
            const PtxSettings& settings, bool counts)
      : kernel_(kernel),
        module_(std::move(module)),
        counts_(counts ? settings.counts : nullptr),
        census_(settings.census),
        number_(counts_ ? counts_->addKernel(kernel, module_->cuda) : 0),
        content_(ptx::contentOf(*module_, *module_->function(entry))) {
    try {
      program_ = ptx::makeProgram(*module_, entry, kernel.name + ".ptx", settings.approximation);
    } catch (const LocatedError& error) {
      unknown_ = error.what();
    }
  }

  void launch(const KernelArguments& arguments) override { launch(arguments, nullptr); }
  void launchTraced(const KernelArguments& arguments, ptx::Trace& trace) override { launch(arguments, &trace); }
  std::string placeText(const ptx::Operation& operation) const override { return program_.placeText(operation); }

 private:
  void launch(const KernelArguments& arguments, ptx::Trace* trace) const {
    checkArguments(kernel_, arguments);
    FUSER_USER_CHECK(unknown_.empty(), unknown_);
    ptx::Launch launch;
    launch.grid = gridOf(kernel_, arguments);
    launch.block = kernel_.blockDim;
    launch.order = orderOf(arguments, launch.grid);
    if (const std::string reason = whyNotAtOnce(kernel_, launch.grid); !reason.empty()) {
      throw ViolationError(concat("kernel ", kernel_.name, ": ", reason));
    }
    std::vector<uint64_t> addresses;
    addTensors(arguments, launch, addresses);
    addWorkspaces(arguments, launch, addresses);
    std::vector<void*> data;
    for (uint64_t address : addresses) data.push_back(reinterpret_cast<void*>(address));
    ArgumentList list(kernel_, arguments, std::move(data));
    launch.parameters.resize(static_cast<size_t>(program_.parameters.back()));
    for (size_t i = 0; i + 1 < program_.parameters.size(); ++i) {
      const auto bytes = static_cast<size_t>(program_.entry->variables[i].bytes);
      std::memcpy(launch.parameters.data() + program_.parameters[i], list.addresses()[i], bytes);
    }
    launch.dynamicSharedBytes = sharedMemoryBytes(kernel_);
    try {
      run(launch, trace);
    } catch (const ptx::Fault& fault) {
      throw ViolationError(concat("kernel ", kernel_.name, ": ", fault.what()));
    }
  }

  // Bit 2 says which lane's atomic comes first.
  uint64_t orderOf(const KernelArguments& arguments, const std::array<int64_t, 3>& grid) const {
    constexpr uint64_t kLastLaneFirst = 4;
    if (counts_) return arguments.addsFirstLaneFirst ? 0 : 3 | kLastLaneFirst;
    uint64_t drawn = content_;
    for (int64_t size : grid) drawn = splitMix64(drawn ^ static_cast<uint64_t>(size));
    return arguments.addsFirstLaneFirst ? drawn & ~kLastLaneFirst : drawn | kLastLaneFirst;
  }

  void run(const ptx::Launch& launch, ptx::Trace* trace) const {
    std::vector<ptx::OperationCount> counts;
    const Stopwatch watch;
    ptx::runLaunch(program_, launch, counts_ && !trace ? &counts : nullptr, trace);
    const double seconds = watch.seconds();
    if (census_ && !trace) census_->addLaunch(seconds);
    if (!counts.empty()) counts_->add(number_, program_, counts, seconds);
  }

  std::string nameOf(int buffer) const { return kernel_.buffers[static_cast<size_t>(buffer)].name; }

  // Tensors that share memory share a region.
  void addTensors(const KernelArguments& arguments, ptx::Launch& launch, std::vector<uint64_t>& addresses) const {
    std::vector<bool> written;
    for (const TensorParam& tensor : kernel_.tensors) written.push_back(tensor.written);
    const HostRanges host = hostRanges(arguments.tensors, written);
    for (const HostRange& range : host.ranges) {
      ptx::Region region;
      region.data = reinterpret_cast<std::byte*>(range.begin);
      region.bytes = range.end - range.begin;
      region.lead = range.begin % kKeptAlignment;
      region.isWritten = range.written;
      region.startsUndefined = range.written;
      region.elementBytes = 16;
      launch.regions.push_back(std::move(region));
    }
    for (size_t i = 0; i < arguments.tensors.size(); ++i) {
      const TensorRef& tensor = arguments.tensors[i];
      if (host.rangeOfTensor[i] < 0) {
        addresses.push_back(0);  // of no elements
        continue;
      }
      const auto number = static_cast<size_t>(host.rangeOfTensor[i]);
      ptx::Region& region = launch.regions[number];
      const TensorParam& parameter = kernel_.tensors[i];
      region.name += concat(region.name.empty() ? "" : ", ", nameOf(parameter.buffer));
      region.elementBytes = std::min(region.elementBytes, dtypeSize(tensor.dtype));
      region.startsUndefined = region.startsUndefined && parameter.written && parameter.startsAs < 0;
      const uintptr_t offset = reinterpret_cast<uintptr_t>(tensor.data) - host.ranges[number].begin;
      addresses.push_back(ptx::addressOfRegion(number, region) + offset);
    }
  }

  void addWorkspaces(const KernelArguments& arguments, ptx::Launch& launch, std::vector<uint64_t>& addresses) const {
    for (size_t i = 0; i < arguments.workspaces.size(); ++i) {
      const TensorRef& workspace = arguments.workspaces[i];
      ptx::Region region;
      region.name = nameOf(kernel_.workspaces[i].buffer);
      region.data = static_cast<std::byte*>(workspace.data);
      region.elementBytes = dtypeSize(workspace.dtype);
      region.bytes = static_cast<size_t>(numel(workspace.sizes)) * region.elementBytes;
      region.isWritten = true;
      region.startsUndefined = kernel_.workspaces[i].kind == Workspace::Kind::Scratch;
      addresses.push_back(ptx::addressOfRegion(launch.regions.size(), region));
      launch.regions.push_back(std::move(region));
    }
  }

  const Kernel& kernel_;
  const std::shared_ptr<const ptx::Module> module_;
  const std::shared_ptr<PtxCounts> counts_;  // null: nobody asks
  const std::shared_ptr<PtxCensus> census_;  // likewise
  const size_t number_;                      // in counts_
  const uint64_t content_;
  ptx::Program program_;
  std::string unknown_;  // what the machine does not know of the program, which fails its launches alone
};

class PtxEngine : public Engine {
 public:
  explicit PtxEngine(PtxSettings settings) : settings_(std::move(settings)) {
    if (!settings_.store.empty()) store_.emplace(settings_.store);
  }

  std::string name() const override { return "ptx"; }

  FunctionLibrary functions() const override {
    return settings_.approximation == ptx::Approximation::Adversarial ? FunctionLibrary::WorstByManual
                                                                      : FunctionLibrary::Any;
  }

  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    if (kernels.empty()) return {};
    std::string printed = printModule(kernels);
    if (settings_.edits.cuda) printed = settings_.edits.cuda(std::move(printed));
    const auto cuda = std::make_shared<const std::string>(std::move(printed));
    std::vector<std::unique_ptr<PtxKernel>> built = build(kernels, cuda, Nvrtc::Ptx::WithLines);
    std::vector<std::unique_ptr<PtxKernel>> unoptimised(kernels.size());
    if (settings_.holdUnoptimised) unoptimised = build(kernels, cuda, Nvrtc::Ptx::Unoptimised);
    std::vector<std::unique_ptr<CompiledKernel>> compiled;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!unoptimised[i] || addsFloatsByAtomics(*kernels[i])) {
        compiled.push_back(std::move(built[i]));
      } else {
        compiled.push_back(std::make_unique<HeldKernel>(*kernels[i], std::move(built[i]), std::move(unoptimised[i])));
      }
    }
    return compiled;
  }

 private:
  std::vector<std::unique_ptr<PtxKernel>> build(std::span<const Kernel* const> kernels,
                                                const std::shared_ptr<const std::string>& cuda, Nvrtc::Ptx form) const {
    const Stopwatch compiling;
    auto [text, isFromStore] = compiled(*cuda, form);
    const double compileSeconds = compiling.seconds();
    if (settings_.edits.ptx && form == Nvrtc::Ptx::WithLines) text = settings_.edits.ptx(std::move(text));
    const Stopwatch parsing;
    const auto module = std::make_shared<ptx::Module>(ptx::parsePtx(std::move(text), "kernels.ptx"));
    module->cuda = cuda;
    std::vector<std::unique_ptr<PtxKernel>> built;
    for (size_t i = 0; i < kernels.size(); ++i)
      built.push_back(std::make_unique<PtxKernel>(*kernels[i], module, entryName(*kernels[i], i), settings_,
                                                  form == Nvrtc::Ptx::WithLines));
    if (settings_.census) {
      settings_.census->addSeconds(compileSeconds, parsing.seconds());
      if (form == Nvrtc::Ptx::WithLines) settings_.census->addModule(*module, isFromStore);
    }
    return built;
  }

  struct CompiledText {
    std::string ptx;
    bool isFromStore = false;
  };
  CompiledText compiled(const std::string& cuda, Nvrtc::Ptx form) const {
    if (!store_) return {nvrtc_.compileToPtx(cuda, settings_.architecture, form)};
    const std::string how = nvrtc_.settings(settings_.architecture, form);
    if (std::optional<std::string> kept = store_->find(how, cuda)) return {std::move(*kept), true};
    std::string ptx = nvrtc_.compileToPtx(cuda, settings_.architecture, form);
    store_->keep(how, cuda, ptx);
    return {std::move(ptx)};
  }

  const PtxSettings settings_;
  std::optional<PtxStore> store_;
  Nvrtc nvrtc_;
};

}  // namespace

std::unique_ptr<Engine> makePtxEngine(PtxSettings settings) {
  return std::make_unique<PtxEngine>(std::move(settings));
}

}  // namespace fuser

// Runs all devices of a fusion in one process.

#include "fuser/runtime/devices_in_process.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "fuser/analysis/resharding.h"
#include "fuser/communicate/in_process.h"
#include "fuser/host_run/memory_pool.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/device_inputs.h"
#include "fuser/runtime/input_facts.h"

namespace fuser {
namespace {

// The parts of a tensor, by the device's index in the fusion's mesh; null if the device holds nothing.
using Parts = std::vector<const TensorRef*>;

// Assembles whole tensors from their parts, in memory that the record owns.
class Gatherer {
 public:
  Gatherer(const Fusion& fusion, RunRecord& record) : fusion_(fusion), record_(record) {}

  // nullopt if a device that should hold a part has none.
  std::optional<TensorRef> gather(const TensorView* tensor, const Parts& parts) {
    std::vector<const TensorRef*> deviceTensors;  // in the order of the tensor's mesh
    for (int device : tensor->mesh().devices()) {
      deviceTensors.push_back(parts.at(fusion_.mesh().indexOf(device).value()));
      if (!deviceTensors.back()) return std::nullopt;
    }
    if (tensor->shardAxis()) return joined(tensor, deviceTensors);
    for (const TensorRef* other : deviceTensors) {
      FUSER_CHECK(sameElements(*deviceTensors.front(), *other), "devices of the mesh ", toString(tensor->mesh()),
                  " hold different elements of %", tensor->name());
    }
    return *deviceTensors.front();
  }

 private:
  TensorRef joined(const TensorView* tensor, const std::vector<const TensorRef*>& deviceTensors) {
    const size_t axis = *tensor->shardAxis();
    TensorRef whole;
    whole.dtype = tensor->dtype();
    whole.sizes = deviceTensors.front()->sizes;
    whole.sizes[axis] *= static_cast<int64_t>(deviceTensors.size());
    whole.strides = denseStrides(tensor, whole.sizes);
    const size_t bytes = static_cast<size_t>(extentInMemory(whole.sizes, whole.strides)) * dtypeSize(whole.dtype);
    record_.memory.push_back(std::make_shared<MemoryPool>()->allocate(bytes));  // aligned as a program's outputs
    whole.data = record_.memory.back().get();
    for (size_t place = 0; place < deviceTensors.size(); ++place) {
      copyElements(*deviceTensors[place], partOnDevice(tensor, tensor->mesh().devices()[place], whole));
    }
    return whole;
  }

  static bool sameElements(const TensorRef& a, const TensorRef& b) {
    if (a.data == b.data) return true;
    if (a.sizes != b.sizes || a.dtype != b.dtype) return false;
    return elementsOf(a) == elementsOf(b);
  }

  const Fusion& fusion_;
  RunRecord& record_;
};

// Merges the records of the devices into one.
class Joiner {
 public:
  // `contraction`: sums may have taken products unrounded.
  Joiner(const Fusion& fusion, std::span<const HostValue> inputs, std::vector<RunRecord>& records, bool contraction)
      : fusion_(fusion), inputs_(inputs), records_(records), contraction_(contraction), gatherer_(fusion, whole_) {}

  RunRecord join(bool withSegments) {
    for (RunRecord& each : records_) {
      whole_.peakBytes = std::max(whole_.peakBytes, each.peakBytes);
      if (whole_.compiled.empty()) whole_.compiled = each.compiled;
      std::move(each.memory.begin(), each.memory.end(), std::back_inserter(whole_.memory));
    }
    for (size_t i = 0; i < fusion_.outputs().size(); ++i) whole_.outputs.push_back(output(i));
    if (withSegments) describe();
    return std::move(whole_);
  }

 private:
  HostValue output(size_t number) {
    const Val* val = fusion_.outputs()[number];
    for (size_t i = 0; i < fusion_.inputs().size(); ++i) {
      if (fusion_.inputs()[i] == val) return inputs_[i];
    }
    if (val->isScalar()) return records_.front().outputs[number];
    Parts parts;
    for (const RunRecord& each : records_) {
      const auto& tensor = std::get<TensorRef>(each.outputs[number]);
      parts.push_back(val->as<TensorView>()->mesh().contains(deviceOf(parts.size())) ? &tensor : nullptr);
    }
    const std::optional<TensorRef> whole = gatherer_.gather(val->as<TensorView>(), parts);
    FUSER_CHECK(whole, "a device gives nothing of %", val->name());
    return *whole;
  }

  int deviceOf(size_t place) const { return fusion_.mesh().devices()[place]; }

  void describe() {
    std::map<uint32_t, Parts> partsByOrigin;
    for (size_t place = 0; place < records_.size(); ++place) {
      for (SegmentRecord& segment : records_[place].segments) {
        for (const auto& [origin, depth] : segment.reductionDepths) depths_[origin] = deeper(depths_[origin], depth);
        for (const auto& [origin, forms] : segment.sums) sums_[origin] = joined(sums_[origin], forms);
        for (const BoundaryValue& value : segment.outputs) {
          if (!value.origin || !std::holds_alternative<TensorRef>(value.value)) continue;
          Parts& parts = partsByOrigin.try_emplace(*value.origin, records_.size(), nullptr).first->second;
          parts[place] = &std::get<TensorRef>(value.value);
        }
      }
    }
    std::map<uint32_t, TensorRef> tensors;
    for (const Val* val : fusion_.usedVals()) {
      const auto parts = partsByOrigin.find(val->id());
      if (parts == partsByOrigin.end() || !val->isTensor()) continue;
      if (const auto tensor = gatherer_.gather(val->as<TensorView>(), parts->second)) {
        tensors.emplace(val->id(), *tensor);
      }
    }
    for (size_t i = 0; i < fusion_.inputs().size(); ++i) {
      if (const auto* tensor = std::get_if<TensorRef>(&inputs_[i])) tensors.emplace(fusion_.inputs()[i]->id(), *tensor);
    }
    for (const SegmentRecord& segment : records_.front().segments) {
      if (segment.scheduler == schedulerTypeName(SchedulerType::None)) continue;
      whole_.segments.push_back(segment);
      whole_.segments.back().sums.clear();  // those of all devices follow
    }
    if (contraction_) findProducts();
    for (const Expr* expr : fusion_.exprs()) {
      if (!expr->isScalarExpr()) describe(expr, tensors);
    }
  }

  // An expression some of whose results are known, from the known values of which they are computed.
  void describe(const Expr* expr, const std::map<uint32_t, TensorRef>& tensors) {
    SegmentRecord alone;
    alone.index = static_cast<int>(whole_.segments.size());
    for (const Val* output : expr->outputs()) {
      const auto tensor = tensors.find(output->id());
      if (tensor != tensors.end()) alone.outputs.push_back({output->id(), output->name(), tensor->second});
    }
    if (alone.outputs.empty()) return;
    // Back to what is known, through what a kernel kept to itself, and through products that a sum takes unrounded.
    std::vector<Reader> readers{{expr, takesProducts(expr)}};
    std::map<uint32_t, const Val*> known;
    std::set<uint32_t> opened;  // ids of values
    std::set<std::pair<const Expr*, bool>> seen{{expr, readers[0].takesProducts}};
    for (size_t i = 0; i < readers.size(); ++i) {
      const Reader reader = readers[i];
      for (const Val* input : std::vector<Val*>(reader.expr->inputs())) {
        if (!input->isTensor()) continue;
        const bool isTaken = reader.takesProducts && products_.contains(input->id());
        if (tensors.contains(input->id()) && !isTaken) {
          known.emplace(input->id(), input);
          continue;
        }
        opened.insert(input->id());
        const Expr* definition = input->definition();
        if (!definition) continue;
        const Reader next{definition, takesProducts(definition) || (isTaken && keepsProducts(definition))};
        if (seen.emplace(next.expr, next.takesProducts).second) readers.push_back(next);
      }
    }
    // A segment has one value of each name: where a sum takes it unrounded, all of this segment do.
    for (const auto& [id, val] : known) {
      if (!opened.contains(id)) alone.inputs.push_back({id, val->name(), tensors.at(id)});
    }
    std::set<const Expr*> exprs;
    for (const Reader& reader : readers) {
      if (exprs.insert(reader.expr).second) addFigures(reader.expr, alone);
    }
    whole_.segments.push_back(std::move(alone));
  }

  // An expression on the way back, and whether it reads products before their rounding.
  struct Reader {
    const Expr* expr;
    bool takesProducts;
  };

  // Sums, where no record says that they add rounded products alone (fuser/lower/contract.cpp).
  bool takesProducts(const Expr* expr) const {
    const OpKind op = expr->op();
    if (op == OpKind::Sum || op == OpKind::Mean) return true;
    if (op != OpKind::Add && op != OpKind::Sub) return false;
    const auto forms = sums_.find(expr->output()->id());
    return forms == sums_.end() || forms->second.fused;
  }

  // What hands a product on as it is. (A scatter_add rounds what it adds.)
  static bool keepsProducts(const Expr* expr) {
    const OpKind op = expr->op();
    return op == OpKind::Neg || op == OpKind::Set || op == OpKind::Cast ||
           (familyInfo(expr->family()).coordinates == Coordinates::AxisMap && op != OpKind::ScatterAdd);
  }

  // A kernel that stores a product has it unrounded, too, and may add it so, wherever it moves it
  // (fuser/lower/contract.cpp).
  void findProducts() {
    for (const Expr* expr : fusion_.exprs()) {
      if (!isFloating(expr->output()->dtype())) continue;
      const auto isKept = [&](const Val* val) { return products_.contains(val->id()); };
      if (expr->op() == OpKind::Mul ||
          (keepsProducts(expr) && std::any_of(expr->inputs().begin(), expr->inputs().end(), isKept)))
        products_.insert(expr->output()->id());
    }
  }

  void addFigures(const Expr* expr, SegmentRecord& segment) const {
    // The partial results of all devices are combined one after the other, which adds to the depth.
    const int64_t joins =
        reducedShardAxis(expr) ? static_cast<int64_t>(expr->input(0)->as<TensorView>()->mesh().size()) : 0;
    for (const Val* output : expr->outputs()) {
      const auto forms = sums_.find(output->id());
      if (forms != sums_.end()) segment.sums.emplace_back(output->id(), forms->second);
      const auto depth = depths_.find(output->id());
      if (depth == depths_.end()) continue;
      const ReductionDepth ofAll{depth->second.updates, depth->second.joins + joins, depth->second.byMma};
      segment.reductionDepths.emplace_back(output->id(), ofAll);
    }
  }

  const Fusion& fusion_;
  std::span<const HostValue> inputs_;
  std::vector<RunRecord>& records_;  // by place in the fusion's mesh
  bool contraction_;
  std::set<uint32_t> products_;  // ids of what a sum may have taken unrounded
  // Of all devices, by origin.
  std::map<uint32_t, ReductionDepth> depths_;
  std::map<uint32_t, SumForms> sums_;
  RunRecord whole_;
  Gatherer gatherer_;
};

}  // namespace

DevicesInProcess::DevicesInProcess(std::shared_ptr<const Fusion> fusion, CacheSettings settings)
    : fusion_(std::move(fusion)),
      record_(settings.record),
      contraction_(settings.context.options.contraction),
      trace_(settings.context.trace) {
  settings.launchLock = std::make_shared<std::mutex>();
  for (int device : fusion_->mesh().devices()) {
    settings.device = device;
    caches_.push_back(std::make_unique<FusionExecutorCache>(fusion_, settings));
  }
}

RunRecord DevicesInProcess::run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes) {
  inspectInputs(*fusion_, inputs);
  const std::vector<int>& devices = fusion_->mesh().devices();
  std::vector<std::vector<HostValue>> parts;
  for (size_t place = 0; place < devices.size(); ++place) {
    parts.emplace_back(inputs.begin(), inputs.end());
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto* tensor = std::get_if<TensorRef>(&parts.back()[i]);
      if (tensor) *tensor = partOnDevice(fusion_->inputs()[i]->as<TensorView>(), devices[place], *tensor);
    }
    caches_[place]->prepareOnDevice(parts.back(), sizes);
  }
  std::vector<RunRecord> records(devices.size());
  const auto start = std::chrono::steady_clock::now();
  try {
    runRanks(*std::max_element(devices.begin(), devices.end()) + 1, [&](Communicator& communicator) {
      const std::optional<size_t> place = fusion_->mesh().indexOf(communicator.rank());
      if (place) records[*place] = caches_[*place]->runOnDevice(parts[*place], communicator);
    });
  } catch (const CommunicationError& error) {
    FUSER_CHECK(false, "the devices' programs do not fit each other: ", error.what());
  }
  if (trace_) trace_->add("run", std::chrono::steady_clock::now() - start);
  return Joiner(*fusion_, inputs, records, contraction_).join(record_);
}

void DevicesInProcess::setRecord(bool on) {
  record_ = on;
  for (const std::unique_ptr<FusionExecutorCache>& cache : caches_) cache->setRecord(on);
}

CacheCounters DevicesInProcess::counters() const {
  CacheCounters most;
  for (const std::unique_ptr<FusionExecutorCache>& cache : caches_) {
    const CacheCounters counters = cache->counters();
    most.compilations = std::max(most.compilations, counters.compilations);
    most.kernelCompilations = std::max(most.kernelCompilations, counters.kernelCompilations);
    most.hostScalarEvaluations = std::max(most.hostScalarEvaluations, counters.hostScalarEvaluations);
    most.runs = std::max(most.runs, counters.runs);
    most.memoryBlocks = std::max(most.memoryBlocks, counters.memoryBlocks);
  }
  return most;
}

}  // namespace fuser

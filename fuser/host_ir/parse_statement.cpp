// Parses "allocate %t: f32[i0]", "launch k0_pointwise(%x, %t; i0; )" and the other statements without bodies.

#include "fuser/host_ir/parse_statement.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "fuser/host_ir/declarations.h"
#include "fuser/host_ir/tensor_parts.h"

namespace fuser {
namespace {

// "%s: f32[i1] of %t {axis = 0, index = index0}"
hir::Node parseSelect(HostIrLine& line, HostIrNames& names) {
  const HostIrNames::Seen seen = names.seenTensor(line);
  const TensorView* source = names.tensor(line);
  hir::HirAliasSelect node{nullptr, source, names.axis(line, source), nullptr, false};
  line.expect(", index = ");
  node.index = names.index(line);
  node.wraps = line.accept(", wraps");
  line.expect("}");
  node.tensor = names.seenAs(line, seen, [&] { return newSlice(names.fusion(), source, node.axis, seen.name); });
  return node;
}

// "%s: f32[(i0 // 2)] of %t {axis = 0, part = 1, parts = 2}"
hir::Node parseShard(HostIrLine& line, HostIrNames& names) {
  const HostIrNames::Seen seen = names.seenTensor(line);
  const TensorView* source = names.tensor(line);
  hir::HirAliasShard node{nullptr, source, names.axis(line, source), 0, 1};
  line.expect(", part = ");
  node.part = line.integer();
  line.expect(", parts = ");
  node.parts = line.integer();
  line.expect("}");
  if (node.part < 0 || node.part >= node.parts) line.fail(concat("there is no part ", node.part, " of ", node.parts));
  node.tensor = names.seenAs(line, seen, [&] {
    return newPart(names.fusion(), source, node.axis, node.parts, PartMemory::InSource, seen.name);
  });
  return node;
}

// "%a -> none {team = [0, 1], root = 0, reduction = sum}"
hir::Node parseCommunication(HostIrLine& line, HostIrNames& names, CollectiveKind kind) {
  hir::Communication node;
  node.kind = kind;
  node.send = names.tensorOrNone(line);
  line.expect("->");
  node.receive = names.tensorOrNone(line);
  line.expect("{");
  line.expect("team = ");
  line.expect("[");
  node.team = line.list("]", [&] { return line.integer(); });
  if (hasRoot(kind)) {
    line.expect(", root = ");
    node.root = line.integer();
  }
  if (reduces(kind)) {
    line.expect(", reduction = ");
    const std::string name = line.word();
    const auto found = std::find_if(std::begin(kAllReductions), std::end(kAllReductions),
                                    [&](Reduction reduction) { return reductionName(reduction) == name; });
    if (found == std::end(kAllReductions)) line.fail(concat("no reduction is called ", name));
    node.reduction = *found;
  }
  line.expect("}");
  return node;
}

hir::Node parseRun(HostIrLine& line, HostIrNames& names) {
  hir::RunSegment node;
  node.cache = line.integer();
  line.expect("(");
  node.inputs = names.list(line, ")", &HostIrNames::value);
  line.expect("->");
  line.expect("(");
  node.outputs = names.list(line, ")", &HostIrNames::tensor);
  return node;
}

hir::Node parseEvaluate(HostIrLine& line, HostIrNames& names) {
  hir::EvaluateScalars node;
  do {
    const Val* result = names.value(line);
    if (!result->isScalar() || !result->definition()) {
      line.fail(concat("%", result->name(), " is not a computed scalar"));
    }
    node.exprs.push_back(result->definition());
  } while (line.accept(","));
  return node;
}

// Checks the number of arguments and which are strides; the verifier checks the rest.
void checkArguments(const HostIrLine& line, const Kernel& kernel, const hir::LaunchKernel& node) {
  if (kernel.tensors.size() != node.tensors.size() || kernel.intParams.size() != node.ints.size() ||
      kernel.scalars.size() != node.scalars.size()) {
    line.fail(concat(kernel.name, " takes ", kernel.tensors.size(), " tensors, ", kernel.intParams.size(),
                     " integers and ", kernel.scalars.size(), " scalars, and other ones are given"));
  }
  for (size_t i = 0; i < node.ints.size(); ++i) {
    const bool takesStride = kernel.intParams[i].tensor >= 0, isStride = node.ints[i] == nullptr;
    if (takesStride == isStride) continue;
    line.fail(concat(kernel.name, " takes ", takesStride ? "a stride" : "an extent", " as integer ", i + 1,
                     isStride ? ", and a stride" : ", and an extent", " is given"));
  }
}

hir::LaunchKernel parseLaunch(HostIrLine& line, HostIrNames& names) {
  hir::LaunchKernel node;
  node.kernel = names.kernel(line);
  line.expect("(");
  node.tensors = names.list(line, ";", &HostIrNames::tensor);
  node.ints = names.list(line, ";", &HostIrNames::extent);
  node.scalars = names.list(line, ")", &HostIrNames::scalar);
  const Kernel& kernel = *names.program().kernels[static_cast<size_t>(node.kernel)];
  checkArguments(line, kernel, node);
  if (!kernel.workspaces.empty()) line.expect(workspacesText(kernel).substr(1));
  return node;
}

// What lies between results and operands, in topological order; a located error if that is something else than tensor
// expressions.
std::vector<const Expr*> exprsBetween(const HostIrLine& line, const std::vector<const Val*>& operands,
                                      const std::vector<const TensorView*>& results) {
  std::vector<const Expr*> exprs;  // in post-order
  std::set<const Expr*> seen;      // look-ups only
  std::vector<std::pair<const Expr*, bool>> stack;
  const auto need = [&](const Val* val) {
    if (std::find(operands.begin(), operands.end(), val) != operands.end()) return;
    if (val->isScalar() && val->as<Scalar>()->isConstant()) return;
    if (!val->definition() || val->isScalar()) line.fail(concat("%", val->name(), " is no operand and is read"));
    if (!seen.count(val->definition())) stack.emplace_back(val->definition(), false);
  };
  for (auto result = results.rbegin(); result != results.rend(); ++result) need(*result);
  while (!stack.empty()) {
    const auto [expr, entered] = stack.back();
    stack.back().second = true;
    if (entered || seen.count(expr)) {
      stack.pop_back();
      if (entered && seen.insert(expr).second) exprs.push_back(expr);
      continue;
    }
    for (const Val* input : expr->inputs()) need(input);
  }
  return exprs;
}

void parseComputed(HostIrLine& line, HostIrNames& names, hir::StandaloneOp& node) {
  std::vector<const Expr*> exprs;
  std::vector<const Val*> operands;
  std::vector<const TensorView*> results;
  if (line.accept("(")) {
    results = names.list(line, ")", &HostIrNames::tensor);
    line.expect("of ");
    line.expect("(");
    operands = names.list(line, ")", &HostIrNames::operand);
    if (std::find(operands.begin(), operands.end(), nullptr) != operands.end()) line.fail("a literal is no operand");
    exprs = exprsBetween(line, operands, results);
    if (exprs.size() < 2) line.fail("several expressions are computed together, and one by its result's name");
  } else {
    const TensorView* output = names.tensor(line);
    if (!output->definition()) line.fail(concat("%", output->name(), " is not a result of an expression"));
    exprs = {output->definition()};
  }
  hir::StandaloneOp whole = standaloneOp(std::move(exprs), std::move(operands), std::move(results));
  node.exprs = std::move(whole.exprs);
  node.operands = std::move(whole.operands);
  node.results = std::move(whole.results);
  if (node.inputs.size() != node.operands.size()) {
    line.fail(concat("%", node.exprs.front()->output()->name(), " has a different number of operands"));
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i]) node.inputs[i] = node.operands[i];
  }
}

hir::Node parseCompute(HostIrLine& line, HostIrNames& names) {
  hir::StandaloneOp node;
  node.preallocated = line.accept("into ");
  line.expect("(");
  node.outputs = names.list(line, ")", &HostIrNames::tensor);
  line.expect("from ");
  line.expect("(");
  node.inputs = names.list(line, ")", &HostIrNames::operand);
  line.expect("as ");
  if (line.accept("set")) {
    if (line.accept("by ")) node.launch = parseLaunch(line, names);
    return node;
  }
  parseComputed(line, names, node);
  if (line.accept("{without_axis = ")) {
    node.withoutAxis = static_cast<size_t>(line.integer());
    line.expect("}");
  }
  if (line.accept("{")) {
    line.expect("axis = ");
    hir::StandaloneOp::Part part;
    part.axis = static_cast<size_t>(line.integer());
    line.expect(", parts = ");
    part.parts = line.integer();
    if (part.parts < 1) line.fail(concat("there are no ", part.parts, " parts"));
    line.expect("}");
    node.part = part;
  }
  if (line.accept("by ")) node.launch = parseLaunch(line, names);
  return node;
}

hir::Node placeOf(const HostIrLine& line, const TensorView* slice, const TensorView* whole) {
  const std::optional<StoredInto> into = slicesStoredInto(whole);
  for (const StoredSlice& stored : into ? into->slices : std::vector<StoredSlice>{}) {
    if (stored.value == slice) return hir::Place{slice, whole, stored.steps};
  }
  line.fail(concat("%", slice->name(), " is no slice that is stored into %", whole->name()));
}

}  // namespace

hir::Node parseStatement(HostIrLine& line, HostIrNames& names) {
  if (line.accept("allocate ")) {
    hir::Allocate node{names.tensor(line), std::nullopt};
    line.expect(":");
    line.expect(declaredType(node.tensor));
    if (line.atEnd()) return node;
    node.slicedAxis = names.axis(line, node.tensor, "sliced_axis");
    line.expect("}");
    return node;
  }
  if (line.accept("free ")) return hir::Deallocate{names.tensor(line)};
  if (line.accept("view ")) {
    const TensorView* seen = names.tensor(line);
    line.expect("of");
    return hir::View{seen, names.tensor(line)};
  }
  if (line.accept("reuse ")) {
    const TensorView* input = names.tensor(line);
    line.expect("for");
    return hir::Reuse{names.tensor(line), input};
  }
  if (line.accept("place ")) {
    const TensorView* slice = names.tensor(line);
    line.expect("in");
    return placeOf(line, slice, names.tensor(line));
  }
  if (line.accept("copy ")) {
    const TensorView* from = names.tensor(line);
    line.expect("to");
    if (line.accept("output ")) return hir::CopyToOutput{from, names.output(line)};
    return hir::Copy{from, names.tensor(line)};
  }
  if (line.accept("take output ")) {
    const size_t number = names.output(line);
    line.expect("for");
    return hir::TakeOutput{names.tensor(line), number};
  }
  if (line.accept("select ")) return parseSelect(line, names);
  if (line.accept("shard ")) return parseShard(line, names);
  if (line.accept("wait for communication ")) return hir::Wait{names.communication(line)};
  for (CollectiveKind kind : kAllCollectiveKinds) {
    if (line.accept(concat(collectiveName(kind), " "))) return parseCommunication(line, names, kind);
  }
  if (line.accept("get stream ")) return hir::GetCurrentStream{names.stream(line)};
  if (line.accept("set stream ")) return hir::SetCurrentStream{names.stream(line)};
  if (line.accept("synchronize ")) return hir::Synchronize{names.stream(line)};
  if (line.accept("evaluate ")) return parseEvaluate(line, names);
  if (line.accept("run cache ")) return parseRun(line, names);
  if (line.accept("compute ")) return parseCompute(line, names);
  line.expect("launch ");
  return parseLaunch(line, names);
}

}  // namespace fuser

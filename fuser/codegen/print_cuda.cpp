#include "fuser/codegen/print_cuda.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "fuser/codegen/embedded_files.h"
#include "fuser/codegen/index_printer.h"
#include "fuser/codegen/kernel_uses.h"
#include "fuser/codegen/literal.h"
#include "fuser/codegen/opposite_ifs.h"
#include "fuser/kernel/index_bounds.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

constexpr size_t kLargestVector = 16;  // bytes that one instruction moves

// An op at a compute dtype, which is one function of the module.
using OpUse = std::pair<OpKind, DataType>;

std::string functionName(OpUse use) { return concat(opName(use.first), "_", dtypeName(use.second)); }

// FUSER_FN float Add_f32(float a, float b) { typedef float T; return add(a, b); }
std::string printOp(OpUse use) {
  const OpInfo& info = opInfo(use.first);
  const std::string_view type = dtypeCodeName(use.second);
  std::string text = concat("FUSER_FN ", info.result == Result::Bool ? "bool" : type, " ", functionName(use), "(");
  for (size_t i = 0; i < operandCount(use.first); ++i) {
    const bool isTruth = takesCondition(use.first, i);
    text += concat(i ? ", " : "", isTruth ? "bool" : type, " ", "abc"[i]);
  }
  return text + concat(") { typedef ", type, " T; return ", info.expression, "; }\n");
}

// The letters, digits and '_' of an untrusted name, at most 24 of them.
std::string identifierPart(std::string_view name) {
  std::string text(name.substr(0, 24));
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) > 127) c = '_';
  }
  return text;
}

class KernelPrinter {
 public:
  KernelPrinter(const Kernel& kernel, size_t index, std::set<OpUse>& ops)
      : kernel_(kernel),
        entry_(entryName(kernel, index)),
        layout_(sharedLayout(kernel)),
        uses_(usesOf(kernel)),
        ops_(ops),
        ints_(*kernel.ints, kernel.narrowIndices) {
    findAlignments();
  }

  std::string print() {
    ints_.openScope();
    const int64_t threads = kernel_.blockDim[0] * kernel_.blockDim[1] * kernel_.blockDim[2];
    out_ += concat("extern \"C\" __global__ void __launch_bounds__(", threads, atOnce(threads), ")\n", entry_, "(",
                   "FUSER_THREAD_PARAMETER ", parameters(), ") {\n");
    depth_ = 1;
    if (layout_.end > 0) line("FUSER_SHARED_MEMORY;");
    nameParameters();
    nameIndices(kernel_.threadIdx, "thread", "threadIdx");
    nameIndices(kernel_.blockIdx, "block", "blockIdx");
    printBody(kernel_.body);
    return out_ + "}\n";
  }

 private:
  // Of blocks that wait for each other, so many must fit on a multiprocessor: the compiler limits the registers.
  std::string atOnce(int64_t threads) const {
    if (!hasGridBarrier(kernel_)) return "";
    const int64_t blocks = blocksAtOnceOnMultiprocessor(kernel_.device, threads, static_cast<int64_t>(layout_.end));
    return blocks > 0 ? concat(", ", blocks) : "";
  }

  // Sets the alignment of each Local buffer to that of its widest vector access.
  void findAlignments() {
    for (const Buffer& buffer : kernel_.buffers) alignments_.push_back(dtypeSize(buffer.dtype));
    forEachStatement(kernel_.body, [&](const Statement& statement) {
      const Move* move = std::get_if<Move>(&statement.node);
      if (!move) return;
      for (int id : {move->target.buffer, move->source.buffer}) {
        const size_t bytes = static_cast<size_t>(move->width) * dtypeSize(buffer(id).dtype);
        size_t& alignment = alignments_[static_cast<size_t>(id)];
        alignment = std::max(alignment, std::min(bytes, kLargestVector));
      }
    });
  }

  const Buffer& buffer(int id) const {
    FUSER_CHECK(id >= 0 && static_cast<size_t>(id) < kernel_.buffers.size(), "no buffer ", id);
    return kernel_.buffers[static_cast<size_t>(id)];
  }

  std::string bufferName(int id) const { return concat("b", id, "_", identifierPart(buffer(id).name)); }

  std::string parameters() const {
    std::string text;
    for (const TensorParam& tensor : kernel_.tensors) {
      const Buffer& b = buffer(tensor.buffer);
      text += concat(text.empty() ? "" : ", ", tensor.written ? "" : "const ", dtypeCodeName(b.dtype), "* ",
                     bufferName(tensor.buffer));
    }
    for (const Workspace& workspace : kernel_.workspaces) {
      text += concat(text.empty() ? "" : ", ", dtypeCodeName(buffer(workspace.buffer).dtype), "* ",
                     bufferName(workspace.buffer));
    }
    for (size_t i = 0; i < kernel_.intParams.size(); ++i) text += concat(text.empty() ? "" : ", ", "int64 p", i);
    for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
      text += concat(text.empty() ? "" : ", ", dtypeCodeName(kernel_.scalars[i].dtype), " s", i);
    }
    return text;
  }

  // An argument has 64 bits; where indices have 32, those that they name are narrowed once.
  void nameParameters() {
    if (kernel_.narrowIndices) forEachIndex(kernel_, [&](IntExpr index) { ints_.addIndex(index); });
    for (size_t i = 0; i < kernel_.intParams.size(); ++i) {
      const IntExpr symbol = kernel_.intParams[i].symbol;
      const std::string argument = concat("p", i);
      if (!ints_.isIndex(symbol)) {
        ints_.name(symbol, argument, argument);
        continue;
      }
      line(concat("const int32 n", i, " = static_cast<int32>(", argument, ");"));
      ints_.name(symbol, concat("n", i), argument);
    }
  }

  void nameIndices(const std::array<IntExpr, 3>& symbols, const char* name, const char* builtin) {
    for (size_t i = 0; i < 3; ++i) {
      if (!symbols[i] || !symbols[i]->isSymbol() || uses_.symbols.count(symbols[i]) == 0) continue;
      const std::string full = concat(name, "XYZ"[i]);
      line(concat("const ", ints_.type(), " ", full, " = ", builtin, ".", "xyz"[i], ";"));
      ints_.name(symbols[i], full);
    }
  }

  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  // Prints the declarations that an expression needs and returns the expression's text.
  std::string index(IntExpr expr) {
    std::vector<std::string> declarations;
    std::string text = ints_.index(expr, declarations);
    for (const std::string& declaration : declarations) line(declaration);
    return text;
  }

  std::string data(IntExpr expr) {
    std::vector<std::string> declarations;
    std::string text = ints_.data(expr, declarations);
    for (const std::string& declaration : declarations) line(declaration);
    return text;
  }

  std::string condition(IntExpr expr) {
    std::vector<std::string> declarations;
    std::string text = ints_.condition(expr, declarations);
    for (const std::string& declaration : declarations) line(declaration);
    return text;
  }

  // All of the parts, at least one.
  std::string condition(const std::vector<IntExpr>& parts) {
    std::string text;
    for (IntExpr part : parts) text += (text.empty() ? "" : " && ") + condition(part);
    return text;
  }

  std::string element(const Access& access) {
    return concat(bufferName(access.buffer), "[", index(access.index), "]");
  }

  static std::string converted(const std::string& text, DataType from, DataType to) {
    return from == to ? text : concat("convert<", dtypeCodeName(to), ">(", text, ")");
  }

  std::string operand(const Operand& operand, DataType to) {
    const auto rounded = [&](const std::string& text, DataType from) {
      if (!operand.roundTo) return converted(text, from, to);
      return converted(converted(text, from, *operand.roundTo), *operand.roundTo, to);
    };
    switch (operand.kind) {
      case Operand::Kind::Access: return converted(element(operand.access), buffer(operand.access.buffer).dtype, to);
      case Operand::Kind::Param:
        return rounded(concat("s", operand.param), kernel_.scalars.at(static_cast<size_t>(operand.param)).dtype);
      case Operand::Kind::Literal: {
        if (!operand.roundTo) return printLiteral(operand.literal, std::array{to});
        return printLiteral(operand.literal, std::array{*operand.roundTo, to});
      }
      case Operand::Kind::Int: return rounded(data(operand.integer), DataType::Int64);
    }
    FUSER_CHECK(false, "bad Operand::Kind");
  }

  void printBody(const Body& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const If* first = std::get_if<If>(&body[i].node);
      const If* second = i + 1 < body.size() ? std::get_if<If>(&body[i + 1].node) : nullptr;
      const auto opposite = first && second ? oppositeIfs(first->condition, second->condition) : std::nullopt;
      if (opposite) {
        printEither(*opposite, first->body, second->body);
        ++i;
      } else {
        std::visit([&](const auto& node) { print(node); }, body[i].node);
      }
    }
  }

  template <class Print>
  void inScope(const Print& printAll) {
    ++depth_;
    ints_.openScope();
    printAll();
    ints_.closeScope();
    --depth_;
  }

  void printScope(const Body& body) {
    inScope([&] { printBody(body); });
    line("}");
  }

  // Not two ifs: of those, each of which stores the same value, ptxas 13.0 loses one (corpus/regressions,
  // a-value-that-both-sides-load.fusion).
  void printEither(const OppositeIfs& ifs, const Body& first, const Body& second) {
    const auto both = [&] {
      line(concat("if (", condition(ifs.first), ") {"));
      inScope([&] { printBody(first); });
      line("} else {");
      printScope(second);
    };
    if (ifs.shared.empty()) return both();
    line(concat("if (", condition(ifs.shared), ") {"));
    inScope(both);
    line("}");
  }

  static std::string maybeUnused(bool used) { return used ? "" : "[[maybe_unused]] "; }

  void print(const Allocate& node) {
    const Buffer& b = buffer(node.buffer);
    const size_t id = static_cast<size_t>(node.buffer);
    const std::string type(dtypeCodeName(b.dtype));
    const std::string unused = maybeUnused(uses_.read[id]);
    if (b.memory == MemoryType::Shared) {
      line(concat(unused, type, "* const ", bufferName(node.buffer), " = reinterpret_cast<", type,
                  "*>(reinterpret_cast<unsigned char*>(sharedMemory) + ", layout_.offsets[id], ");"));
      return;
    }
    FUSER_CHECK(b.memory == MemoryType::Local, "a global buffer is not allocated by a kernel");
    const std::string alignment = alignments_[id] > dtypeSize(b.dtype) ? concat("alignas(", alignments_[id], ") ") : "";
    line(concat(unused, alignment, type, " ", bufferName(node.buffer), "[", constantElements(b), "];"));
  }

  void print(const For& node) {
    const std::string extent = index(node.extent);
    const std::string name = concat("i", node.index->value);
    if (node.unroll) line("FUSER_UNROLL");
    line(concat("for (", ints_.type(), " ", name, " = 0; ", name, " < ", extent, "; ++", name, ") {"));
    ints_.name(node.index, name);
    printScope(node.body);
  }

  void print(const If& node) {
    line(concat("if (", condition(node.condition), ") {"));
    printScope(node.body);
  }

  void print(const LoadIndex& node) {
    const DataType dtype = buffer(node.source.buffer).dtype;
    FUSER_CHECK(dtype == DataType::Int32 || dtype == DataType::Int64, "an index is loaded from ", dtype);
    const std::string name = concat("x", node.index->value);
    const std::string source = element(node.source);
    const bool narrowed = kernel_.narrowIndices && dtype == DataType::Int64;
    line(concat(maybeUnused(uses_.symbols.count(node.index) != 0), "const ", ints_.type(), " ", name, " = ",
                narrowed ? "static_cast<int32>(" + source + ")" : source, ";"));
    ints_.name(node.index, name);
  }

  void print(const Move& node) {
    const std::string target = element(node.target);
    const std::string source = element(node.source);
    const DataType dtype = buffer(node.target.buffer).dtype;
    FUSER_CHECK(dtype == buffer(node.source.buffer).dtype, "a move does not convert");
    FUSER_CHECK(node.width > 0 && (node.width & (node.width - 1)) == 0, "vector width ", node.width);
    if (node.width == 1) {
      line(concat(target, " = ", source, ";"));
    } else {
      const size_t bytes = static_cast<size_t>(node.width) * dtypeSize(dtype);
      line(concat("copyVector<", bytes, ">(&", target, ", &", source, ");"));
    }
  }

  void print(const Compute& node) {
    const DataType to = buffer(node.target.buffer).dtype;
    if (node.op == OpKind::Cast || node.op == OpKind::Set) {
      FUSER_CHECK(node.operands.size() == 1, opName(node.op), " has one operand");
      const std::string value = operand(node.operands[0], to);
      line(concat(element(node.target), " = ", value, ";"));
      return;
    }
    if (node.op == OpKind::Bitcast) {
      const std::string source = element(node.operands.at(0).access);
      line(concat(element(node.target), " = bitcast<", dtypeCodeName(to), ">(", source, ");"));
      return;
    }
    const OpInfo& info = opInfo(node.op);
    FUSER_CHECK(isPointwise(node.op) && node.operands.size() == operandCount(node.op), "compute of ", info.name);
    FUSER_CHECK(computeType(node.computeDtype) == node.computeDtype, node.computeDtype, " is not a compute type");
    const OpUse use{node.op, node.computeDtype};
    ops_.insert(use);
    std::string call = functionName(use) + "(";
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const bool isTruth = takesCondition(node.op, i);
      call += (i ? ", " : "") + operand(node.operands[i], isTruth ? DataType::Bool : node.computeDtype);
    }
    const DataType result = info.result == Result::Bool ? DataType::Bool : node.computeDtype;
    const std::string target = element(node.target);
    line(concat(target, " = ", converted(call + ")", result, to), ";"));
  }

  void print(const Shuffle& node) {
    const char* function = node.from == Shuffle::From::Xor ? "shuffleXor<" : "shuffleFirst<";
    const std::string target = element(node.target);
    const std::string source = element(node.source);
    line(concat(target, " = ", function, node.lanes, ", ", kernel_.blockDim[0], ", ", kernel_.blockDim[1], ", ",
                kernel_.blockDim[2], ">(FUSER_THREAD_ARGUMENT ", source, ");"));
  }

  void print(const JoinWelford& node) {
    std::string arguments;
    for (const Access* part :
         {&node.mean, &node.squares, &node.count, &node.otherMean, &node.otherSquares, &node.otherCount}) {
      arguments += (arguments.empty() ? "" : ", ") + element(*part);
    }
    line(concat("joinPart<", dtypeCodeName(node.dtype), ">(", arguments, ");"));
  }

  void print(const Mma& node) {
    std::string sums;
    for (const Access& sum : node.sums) sums += ", " + element(sum);
    line(concat("multiplyMatrices<", kernel_.blockDim[0], ", ", kernel_.blockDim[1], ">(FUSER_THREAD_ARGUMENT ",
                bufferName(node.left), ", ", bufferName(node.right), sums, ");"));
  }

  void print(const Barrier& node) {
    const char* when = node.after == Barrier::After::Store ? " was stored" : " was loaded";
    const std::string call = node.ofGrid()
                                 ? concat("gridBarrier(FUSER_THREAD_ARGUMENT ", bufferName(node.semaphore), ");")
                                 : "__syncthreads();";
    line(node.buffer < 0 ? call : concat(call, "  // ", bufferName(node.buffer), when));
  }

  void print(const Release& node) {
    line(concat("releaseSemaphore(FUSER_THREAD_ARGUMENT ", bufferName(node.semaphore), ");"));
  }

  void print(const AtomicAdd& node) {
    const std::string target = element(node.target), source = element(node.source);
    line(concat("addAtomically(&", target, ", ", source, ");"));
  }

  void print(const Report& node) {
    const std::string place = data(node.place), index = element(node.index);
    line(concat("reportIndex(", bufferName(node.errorWord), " + ", node.check, ", ", place, ", ", index, ");"));
  }

  const Kernel& kernel_;
  std::string entry_;
  SharedLayout layout_;
  KernelUses uses_;
  std::set<OpUse>& ops_;
  IndexPrinter ints_;
  std::vector<size_t> alignments_;  // of the buffers, in bytes
  std::string out_;
  size_t depth_ = 0;
};

// Prints the ops, in the table's order, then the kernels.
std::string printKernels(std::span<const Kernel* const> kernels) {
  std::set<OpUse> ops;
  std::string text;
  for (size_t i = 0; i < kernels.size(); ++i) text += "\n" + KernelPrinter(*kernels[i], i, ops).print();
  std::string functions;
  for (const OpUse& use : ops) functions += printOp(use);
  return "namespace fuser {\n\n" + functions + text + "\n}  // namespace fuser\n";
}

}  // namespace

std::string entryName(const Kernel& kernel, size_t index) {
  return concat("kernel_", index, "_", identifierPart(kernel.name));
}

std::string printCuda(const Kernel& kernel) {
  const Kernel* const kernels[] = {&kernel};
  return printKernels(kernels);
}

std::string printModule(std::span<const Kernel* const> kernels) {
  std::string text;
  for (const char* path :
       {"fuser/types/device_types.cuh", "fuser/ops/op_math.cuh", "fuser/codegen/kernel_runtime.cuh"}) {
    text += runtimeText(path);
    text += "\n";
  }
  return text + printKernels(kernels);
}

}  // namespace fuser

// Prints the text form of kernel IR.
#include <algorithm>

#include "fuser/kernel/text.h"

namespace fuser {
namespace {

class Printer {
 public:
  Printer(const Kernel& kernel, const KernelNames& names) : kernel_(kernel), names_(names) {}

  std::string header() const {
    std::ostringstream out;
    out << "kernel " << kernel_.name << (kernel_.contraction ? " contraction" : "")
        << (kernel_.narrowIndices ? " narrow" : "") << (kernel_.fixedWidth ? " fixed_width" : "") << " {\n";
    for (const DeviceFigure& figure : deviceFigures()) {
      const int64_t value = kernel_.device.*figure.field;
      if (value != defaultDevice().*figure.field) out << "  device " << figure.name << " = " << value << "\n";
    }
    for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
      out << "  scalar " << names_.scalars[i] << " : " << kernel_.scalars[i].dtype << "\n";
    }
    const auto isWorkspace = [](const Buffer& b) { return b.memory == MemoryType::Global && b.tensor < 0; };
    for (const Buffer& b : kernel_.buffers) {
      if (!isWorkspace(b)) out << "  " << buffer(b) << "\n";
    }
    for (const IntParam& param : kernel_.intParams) {
      out << "  int " << integer(param.symbol) << " in [" << param.symbol->range.low << ", " << param.symbol->range.high
          << "]";
      if (param.tensor >= 0) {
        const int id = kernel_.tensors.at(static_cast<size_t>(param.tensor)).buffer;
        out << " = stride " << bufferName(id) << " " << param.axis;
      }
      out << "\n";
    }
    for (const Workspace& w : kernel_.workspaces) {
      out << "  " << buffer(kernel_.buffers.at(static_cast<size_t>(w.buffer))) << "\n";
    }
    out << "  block " << kernel_.blockDim[0] << ", " << kernel_.blockDim[1] << ", " << kernel_.blockDim[2] << "\n";
    out << "  grid " << integer(kernel_.gridDim[0]) << ", " << integer(kernel_.gridDim[1]) << ", "
        << integer(kernel_.gridDim[2]) << "\n";
    return out.str();
  }

  void body(const Body& statements, const std::string& indent, std::string& out) const {
    for (const Statement& s : statements) {
      out += indent + statement(s) + "\n";
      const Body* inner = nullptr;
      if (const For* loop = std::get_if<For>(&s.node)) inner = &loop->body;
      if (const If* branch = std::get_if<If>(&s.node)) inner = &branch->body;
      if (!inner) continue;
      body(*inner, indent + "  ", out);
      out += indent + "}\n";
    }
  }

  std::string statement(const Statement& s) const {
    return std::visit([&](const auto& node) { return text(node); }, s.node);
  }

 private:
  std::string integer(IntExpr expr) const { return expr ? printIntExpr(expr, names_) : "null"; }

  std::string bufferName(int id) const {
    const size_t index = static_cast<size_t>(id);
    return index < names_.buffers.size() ? names_.buffers[index] : concat("?buffer", id);
  }

  std::string argumentName(int argument) const {
    const auto place = static_cast<size_t>(argument);
    return place < kernel_.tensors.size() ? bufferName(kernel_.tensors[place].buffer) : concat("?argument", argument);
  }

  std::string buffer(const Buffer& b) const {
    if (b.memory != MemoryType::Global) {
      return concat(b.memory == MemoryType::Local ? "local " : "shared ", bufferName(b.id), " : ", b.dtype, " [",
                    integer(b.size), "]", b.offset < 0 ? "" : concat(" at ", b.offset));
    }
    if (b.tensor < 0) {
      for (const Workspace& workspace : kernel_.workspaces) {
        if (workspace.buffer != b.id) continue;
        if (workspace.kind == Workspace::Kind::Semaphore) return "semaphore " + bufferName(b.id);
        if (workspace.kind == Workspace::Kind::ErrorWord)
          return concat("error_word ", bufferName(b.id), " [", integer(b.size), "]");
      }
      return concat("workspace ", bufferName(b.id), " : ", b.dtype, " [", integer(b.size), "]");
    }
    const TensorParam& tensor = kernel_.tensors.at(static_cast<size_t>(b.tensor));
    return concat("tensor ", bufferName(b.id), " : ", b.dtype, " rank ", tensor.rank, " argument ", b.tensor,
                  tensor.written ? " written" : "",
                  tensor.startsAs < 0 ? "" : " starts_as " + argumentName(tensor.startsAs));
  }

  std::string access(const Access& a) const { return concat(bufferName(a.buffer), "[", integer(a.index), "]"); }

  std::string operand(const Operand& o) const {
    const std::string rounded = o.roundTo ? concat(" as ", *o.roundTo) : "";
    switch (o.kind) {
      case Operand::Kind::Access: return access(o.access);
      case Operand::Kind::Param: {
        const size_t index = static_cast<size_t>(o.param);
        return (index < names_.scalars.size() ? "$" + names_.scalars[index] : concat("?scalar", o.param)) + rounded;
      }
      case Operand::Kind::Literal: return o.literal.toString() + rounded;
      case Operand::Kind::Int: return "int(" + integer(o.integer) + ")";
    }
    FUSER_CHECK(false, "bad operand kind");
  }

  std::string text(const Allocate& node) const { return "alloc " + bufferName(node.buffer); }
  std::string ahead(const For& node) const {
    std::string names;
    for (int buffer : node.ahead) names += (names.empty() ? " ahead " : ", ") + bufferName(buffer);
    return node.turnsAhead > 1 ? concat(names, " by ", node.turnsAhead) : names;
  }
  std::string text(const For& node) const {
    return concat("for ", integer(node.index), " < ", integer(node.extent), node.unroll ? " unroll" : "",
                  node.whole ? " unswitch " + integer(node.whole) : "", ahead(node), " {");
  }
  std::string text(const If& node) const { return "if " + integer(node.condition) + " {"; }
  std::string text(const LoadIndex& node) const {
    return concat("index ", integer(node.index), " in [", integer(node.low), ", ", integer(node.extent),
                  ") = ", access(node.source));
  }
  std::string text(const Move& node) const {
    return access(node.target) + " = move " + access(node.source) +
           (node.width == 1 ? "" : concat(" width ", node.width));
  }
  std::string text(const Compute& node) const {
    std::string list;
    for (const Operand& o : node.operands) list += (list.empty() ? "" : ", ") + operand(o);
    return concat(access(node.target), " = ", opName(node.op), " ", node.computeDtype,
                  " (", list, ")");
  }
  std::string text(const Shuffle& node) const {
    return concat(access(node.target), " = shuffle ", node.from == Shuffle::From::Xor ? "xor " : "first ", node.lanes,
                  " (", access(node.source), ")");
  }
  std::string text(const JoinWelford& node) const {
    return concat("join ", node.dtype, " (", access(node.mean), ", ", access(node.squares), ", ", access(node.count),
                  ") (", access(node.otherMean), ", ", access(node.otherSquares), ", ", access(node.otherCount), ")");
  }
  std::string text(const Mma& node) const {
    std::string sums;
    for (const Access& sum : node.sums) sums += (sums.empty() ? "" : ", ") + access(sum);
    return concat("mma (", sums, ") (", bufferName(node.left), ", ", bufferName(node.right), ")");
  }
  std::string text(const Barrier& node) const {
    const std::string barrier = node.ofGrid() ? "grid barrier " + bufferName(node.semaphore) : "barrier";
    if (node.buffer < 0) return barrier;
    const char* after = node.after == Barrier::After::Store ? " stored)" : " loaded)";
    return concat(barrier, " (", bufferName(node.buffer), after);
  }
  std::string text(const Release& node) const { return "release " + bufferName(node.semaphore); }
  std::string text(const AtomicAdd& node) const {
    return concat("atomic ", access(node.target), " += ", access(node.source));
  }
  std::string text(const Report& node) const {
    return concat("report ", bufferName(node.errorWord), " check ", node.check, " at ", integer(node.place), ": ",
                  access(node.index), " of ", integer(node.extent));
  }

  const Kernel& kernel_;
  const KernelNames& names_;
};

// The texts of the operands of a flat sum or product, a constant last.
std::vector<std::string> operandsOf(IntExpr expr, const KernelNames& names) {
  std::vector<std::pair<bool, std::string>> operands;  // whether it is a constant, and its text
  std::vector<IntExpr> open{expr};
  while (!open.empty()) {
    const IntExpr next = open.back();
    open.pop_back();
    if (next->op == expr->op) {
      open.insert(open.end(), {next->a, next->b});
    } else {
      operands.emplace_back(next->isConstant(), printIntExpr(next, names));
    }
  }
  std::sort(operands.begin(), operands.end());
  std::vector<std::string> texts;
  for (auto& [isConstant, text] : operands) texts.push_back(std::move(text));
  return texts;
}

}  // namespace

std::string printIntExpr(IntExpr expr, const KernelNames& names) {
  if (expr->isConstant()) return std::to_string(expr->value);
  if (expr->isSymbol()) {
    const size_t index = static_cast<size_t>(expr->value);
    return index < names.symbols.size() ? names.symbols[index] : "?";  // of another arena
  }
  if (expr->op == IntOp::Add || expr->op == IntOp::Mul) {
    std::string text;
    for (const std::string& operand : operandsOf(expr, names)) {
      text += (text.empty() ? "(" : expr->op == IntOp::Add ? " + " : " * ") + operand;
    }
    return text + ")";
  }
  std::string a = printIntExpr(expr->a, names);
  std::string b = printIntExpr(expr->b, names);
  const auto ordered = [&] {  // a constant last
    if (std::pair(expr->b->isConstant(), b) < std::pair(expr->a->isConstant(), a)) std::swap(a, b);
  };
  switch (expr->op) {
    case IntOp::Constant:
    case IntOp::Symbol:
    case IntOp::Add:
    case IntOp::Mul:
    case IntOp::Meet: break;  // of fusions alone
    case IntOp::FloorDiv: return "(" + a + " // " + b + ")";
    case IntOp::Mod: return "(" + a + " % " + b + ")";
    case IntOp::Min: ordered(); return "min(" + a + ", " + b + ")";
    case IntOp::Max: ordered(); return "max(" + a + ", " + b + ")";
    case IntOp::Less: return "(" + a + " < " + b + ")";
    case IntOp::Equal: ordered(); return "(" + a + " == " + b + ")";
    case IntOp::And: return "(" + a + " && " + b + ")";
  }
  FUSER_CHECK(false, "bad IntOp");
}

std::string printStatement(const Kernel& kernel, const Statement& statement, const KernelNames& names) {
  return Printer(kernel, names).statement(statement);
}

std::string printKernel(const Kernel& kernel) {
  const KernelNames names = nameKernel(kernel);
  const Printer printer(kernel, names);
  std::string out = printer.header() + "\n";
  printer.body(kernel.body, "  ", out);
  return out + "}\n";
}

}  // namespace fuser

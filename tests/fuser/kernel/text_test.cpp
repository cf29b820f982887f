// The text form: round trips of random kernels, what it says, and errors on text that is none.
#include "fuser/kernel/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fuser/kernel/verify.h"
#include "tests/fuser/kernel/random_kernel.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// Field by field; expressions by their text, names made distinct.
class Comparison {
 public:
  Comparison(const Kernel& a, const Kernel& b) : a_(a), b_(b), aNames_(nameKernel(a)), bNames_(nameKernel(b)) {}

  bool same() const {
    bool equal = a_.name == b_.name && a_.contraction == b_.contraction && a_.device == b_.device &&
                 a_.narrowIndices == b_.narrowIndices && a_.fixedWidth == b_.fixedWidth && a_.blockDim == b_.blockDim &&
                 aNames_.buffers == bNames_.buffers && aNames_.scalars == bNames_.scalars &&
                 a_.tensors.size() == b_.tensors.size() && a_.intParams.size() == b_.intParams.size();
    for (size_t i = 0; equal && i < a_.buffers.size(); ++i) {
      const Buffer &x = a_.buffers[i], &y = b_.buffers[i];
      equal =
          x.id == y.id && x.dtype == y.dtype && x.memory == y.memory && same(x.size, y.size) && x.tensor == y.tensor;
    }
    for (size_t i = 0; equal && i < a_.tensors.size(); ++i) {
      const TensorParam &x = a_.tensors[i], &y = b_.tensors[i];
      equal = x.buffer == y.buffer && x.rank == y.rank && x.written == y.written;
    }
    for (size_t i = 0; equal && i < a_.intParams.size(); ++i) {
      const IntParam &x = a_.intParams[i], &y = b_.intParams[i];
      equal =
          same(x.symbol, y.symbol) && x.symbol->range == y.symbol->range && x.tensor == y.tensor && x.axis == y.axis;
    }
    for (size_t i = 0; equal && i < a_.scalars.size(); ++i) equal = a_.scalars[i].dtype == b_.scalars[i].dtype;
    for (size_t d = 0; equal && d < 3; ++d) {
      equal = same(a_.threadIdx[d], b_.threadIdx[d]) && same(a_.blockIdx[d], b_.blockIdx[d]) &&
              same(a_.gridDim[d], b_.gridDim[d]);
    }
    return equal && same(a_.body, b_.body);
  }

 private:
  bool same(IntExpr x, IntExpr y) const {
    return (!x && !y) || (x && y && x->range == y->range && printIntExpr(x, aNames_) == printIntExpr(y, bNames_));
  }
  bool same(const Access& x, const Access& y) const { return x.buffer == y.buffer && same(x.index, y.index); }
  bool same(const Operand& x, const Operand& y) const {
    return x.kind == y.kind && x.access.buffer == y.access.buffer && same(x.access.index, y.access.index) &&
           x.param == y.param && x.literal == y.literal && same(x.integer, y.integer) && x.roundTo == y.roundTo;
  }
  bool same(const Body& x, const Body& y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const Statement& s, const Statement& t) {
      if (s.node.index() != t.node.index()) return false;
      return std::visit([&](const auto& node) { return same(node, std::get<std::decay_t<decltype(node)>>(t.node)); },
                        s.node);
    });
  }
  bool same(const Allocate& x, const Allocate& y) const { return x.buffer == y.buffer; }
  bool same(const For& x, const For& y) const {
    return same(x.index, y.index) && same(x.extent, y.extent) && x.unroll == y.unroll &&
           (!x.whole || !y.whole ? x.whole == y.whole : same(x.whole, y.whole)) && same(x.body, y.body);
  }
  bool same(const If& x, const If& y) const { return same(x.condition, y.condition) && same(x.body, y.body); }
  bool same(const LoadIndex& x, const LoadIndex& y) const {
    return same(x.index, y.index) && same(x.low, y.low) && same(x.extent, y.extent) && same(x.source, y.source);
  }
  bool same(const Move& x, const Move& y) const {
    return same(x.target, y.target) && same(x.source, y.source) && x.width == y.width;
  }
  bool same(const Compute& x, const Compute& y) const {
    return x.op == y.op && x.computeDtype == y.computeDtype && same(x.target, y.target) &&
           std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                      [&](const Operand& o, const Operand& p) { return same(o, p); });
  }
  bool same(const Shuffle& x, const Shuffle& y) const {
    return x.from == y.from && x.lanes == y.lanes && same(x.target, y.target) && same(x.source, y.source);
  }
  bool same(const JoinWelford& x, const JoinWelford& y) const {
    return x.dtype == y.dtype && same(x.mean, y.mean) && same(x.squares, y.squares) && same(x.count, y.count) &&
           same(x.otherMean, y.otherMean) && same(x.otherSquares, y.otherSquares) && same(x.otherCount, y.otherCount);
  }
  bool same(const Mma& x, const Mma& y) const {
    return std::equal(x.sums.begin(), x.sums.end(), y.sums.begin(),
                      [&](const Access& a, const Access& b) { return same(a, b); }) &&
           x.left == y.left && x.right == y.right;
  }
  bool same(const Barrier& x, const Barrier& y) const { return x.ofGrid() == y.ofGrid(); }
  bool same(const Release&, const Release&) const { return true; }
  bool same(const AtomicAdd& x, const AtomicAdd& y) const {
    return same(x.target, y.target) && same(x.source, y.source);
  }
  bool same(const Report& x, const Report& y) const {
    return x.errorWord == y.errorWord && x.check == y.check && same(x.place, y.place) && same(x.index, y.index) &&
           same(x.extent, y.extent);
  }

  const Kernel& a_;
  const Kernel& b_;
  const KernelNames aNames_;
  const KernelNames bNames_;
};

const golden::Texts kTexts("tests/fuser/kernel/print.txt", {},
                           [](const golden::Case& test) { return printKernel(*parseKernel(test.input)); });

TEST(KernelTextTest, TellsLoadedIndicesOfOneNameApart) {
  const std::unique_ptr<Kernel> kernel = parseKernel(R"(kernel k {
  tensor q : i64 rank 1 argument 0
  block 1, 1, 1
  grid 1, 1, 1

  index q in [0, 9) = q[0]
  for i < 2 {
    index r in [0, 9) = q[q]
  }
  for r < 2 {
    index s in [0, 9) = q[r]
  }
}
)");
  Body& body = kernel->body;
  Body& second = std::get<For>(body[2].node).body;
  second.insert(second.begin(), std::get<For>(body[1].node).body[0]);  // inside a loop of its name
  LoadIndex third = std::get<LoadIndex>(second[0].node);  // and once more, beside it
  third.index = kernel->ints->loaded("r", third.low, third.extent);
  second.push_back({third});
  std::get<For>(body[1].node).body.clear();
  std::get<LoadIndex>(second[1].node).source.index = std::get<LoadIndex>(second[0].node).index;
  const std::string text = printKernel(*kernel);
  const std::string apart =
      "    index r_1 in [0, 9) = q[q]\n    index s in [0, 9) = q[r_1]\n    index r_2 in [0, 9) = q[q]\n";
  EXPECT_NE(text.find(apart), std::string::npos) << text;
  EXPECT_EQ(printKernel(*parseKernel(text)), text);
}

RC_GTEST_PROP(KernelTextTest, RoundTripsRandomKernels, ()) {
  const std::unique_ptr<Kernel> kernel = RandomKernel().make();
  const std::vector<KernelViolation> violations = findKernelViolations(*kernel);
  const std::string text = printKernel(*kernel);
  if (!violations.empty()) RC_FAIL(violations[0].message + "\n" + text);
  const std::unique_ptr<Kernel> parsed = parseKernel(text);
  RC_ASSERT(printKernel(*parsed) == text);
  RC_ASSERT(Comparison(*kernel, *parsed).same());
  RC_ASSERT(findKernelViolations(*parsed).empty());
}

RC_GTEST_PROP(KernelTextTest, MutatedTextIsAKernelOrAUserError, ()) {
  std::string text = printKernel(*RandomKernel().make());
  for (int i = *rc::gen::inRange(1, 4); i > 0 && !text.empty(); --i) {
    const size_t at = *rc::gen::inRange<size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text.erase(at, *rc::gen::inRange<size_t>(1, 20)); break;
      case 1: text.insert(at, text.substr(*rc::gen::inRange<size_t>(0, text.size()), 12)); break;
      default: text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
    }
  }
  try {
    const std::unique_ptr<Kernel> parsed = parseKernel(text);
    findKernelViolations(*parsed);
  } catch (const UserError& error) {
    RC_ASSERT(std::string(error.what()).find("kernel text, line ") == 0);
  }
}

TEST(KernelTextTest, PrintsOneFormWhateverTheOrderOfBuilding) {
  for (const bool reversed : {false, true}) {
    Kernel kernel;
    kernel.name = "k";
    IntExprArena& ints = *kernel.ints;
    const IntExpr first = ints.symbol(reversed ? "b" : "a");
    const IntExpr second = ints.symbol(reversed ? "a" : "b");
    kernel.intParams = {{reversed ? second : first, nullptr, -1, -1}, {reversed ? first : second, nullptr, -1, -1}};
    const KernelNames names = nameKernel(kernel);
    EXPECT_EQ(
        printIntExpr(ints.add(ints.mul(first, second), ints.add(first, ints.min(second, ints.constant(7)))), names),
        reversed ? "((a * b) + b + min(a, 7))" : "((a * b) + a + min(b, 7))");
  }
}

TEST(KernelTextTest, MakesNamesDistinctIdentifiers) {
  Kernel kernel;
  kernel.name = "k";
  for (const char* name : {"x.c1", "x_c1", "x_c1", "1"}) {
    Buffer buffer;
    buffer.id = static_cast<int>(kernel.buffers.size());
    buffer.name = name;
    kernel.buffers.push_back(buffer);
  }
  EXPECT_EQ(nameKernel(kernel).buffers, (std::vector<std::string>{"x_c1", "x_c1_1", "x_c1_2", "_1"}));
}

const golden::Texts kErrors("tests/fuser/kernel/errors.txt", {}, [](const golden::Case& test) -> golden::Made {
  try {
    parseKernel(test.input);
  } catch (const UserError& error) {
    return concat(error.what(), "\n");
  }
  return std::string("accepted\n");
});

}  // namespace
}  // namespace fuser

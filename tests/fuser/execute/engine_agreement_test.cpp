// One kernel, two engines, equal bits: the interpreter and the printed text on the cpu engine or as PTX, over every
// row, every conversion, and random kernels of loops, predicates, vectors, shared memory and shuffles.
#include <gtest/gtest.h>

#include <random>

#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/pointwise_kernels.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

class EngineAgreementTest : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineAgreementTest, testing::Values(EngineKind::Cpu, EngineKind::Ptx),
                         [](const auto& info) { return info.param == EngineKind::Cpu ? "cpu" : "ptx"; });

// Fills the inputs, runs the kernel on both engines, compares every output. Tensors hold `elements` each.
void expectAgreement(const Kernel& kernel, CompiledKernel& interp, CompiledKernel& other, size_t elements,
                     const std::vector<int64_t>& ints, const std::vector<ScalarValue>& scalars, uint64_t seed,
                     Zeros zeros) {
  std::vector<Array> onInterp;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const DataType dtype = kernel.buffers[static_cast<size_t>(kernel.tensors[i].buffer)].dtype;
    onInterp.push_back(kernel.tensors[i].written ? Array(dtype, elements) : mixedArray(dtype, elements, seed + i));
  }
  std::vector<Array> onOther = onInterp;
  KernelArguments forInterp{{}, ints, scalars};
  KernelArguments forOther{{}, ints, scalars};
  for (Array& array : onInterp) forInterp.tensors.push_back(array.tensor());
  for (Array& array : onOther) forOther.tensors.push_back(array.tensor());
  interp.launch(forInterp);
  other.launch(forOther);
  for (size_t i = 0; i < onOther.size(); ++i) {
    EXPECT_EQ(differenceOf(onInterp[i], onOther[i], zeros), "") << "tensor " << i << " of\n" << printKernel(kernel);
  }
}

TEST_P(EngineAgreementTest, OnEveryOpAndDtype) {
  const std::vector<PointwiseCase> cases = pointwiseCases();
  const auto interp = makeInterpEngine()->compile(kernelsOf(cases));
  const auto other = makeEngine(GetParam())->compile(kernelsOf(cases));
  size_t compared = 0;
  for (size_t k = 0; k < cases.size(); ++k) {
    const Agreement agreement = opInfo(cases[k].op).agreement;
    if (agreement == Agreement::Library && functionsOf(GetParam()) != FunctionLibrary::Host) continue;
    ++compared;
    const Zeros zeros = agreement == Agreement::SignOfZero ? Zeros::Equal : Zeros::Distinct;
    expectAgreement(*cases[k].kernel, *interp[k], *other[k], 777, {777}, {}, 0, zeros);
  }
  EXPECT_GT(compared, cases.size() / 2);
}

TEST_P(EngineAgreementTest, OnEveryConversion) {
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  for (DataType from : kAllDataTypes) {
    for (DataType to : kAllDataTypes) {
      owners.push_back(castKernel(from, to));
      kernels.push_back(owners.back().get());
    }
  }
  const auto interp = makeInterpEngine()->compile(kernels);
  const auto other = makeEngine(GetParam())->compile(kernels);
  for (size_t k = 0; k < kernels.size(); ++k) {
    expectAgreement(*kernels[k], *interp[k], *other[k], 2000, {2000}, {}, 3, Zeros::Distinct);
  }
}

// Draws kernels in text form. Every thread owns `width` elements at its index; a chain of statements works on registers
// of three dtypes, some under predicates and in loops, some through shared memory or shuffles.
class RandomKernel {
 public:
  explicit RandomKernel(uint64_t seed) : generator_(seed) {}

  std::string draw(size_t number) {
    width_ = int64_t{1} << pick(3);
    blockX_ = int64_t{1} + static_cast<int64_t>(pick(70));
    blockY_ = int64_t{1} + static_cast<int64_t>(pick(3));
    const DataType storage = one({DataType::Float, DataType::Half, DataType::BFloat16, DataType::Int32});
    const std::string thread =
        sum(blockX_ > 1 ? "threadIdx.x" : "0", blockY_ > 1 ? concat("(threadIdx.y * ", blockX_, ")") : "0");
    global_ = sum(concat("(blockIdx.x * ", blockX_ * blockY_, ")"), thread);
    local_ = thread;
    body_ = "  alloc v\n  alloc a\n  alloc d\n  alloc i\n  alloc e\n  alloc c\n  alloc f\n  alloc k\n  alloc s\n";
    body_ += concat("  a[0] = Set f32 (int(", global_, "))\n  d[0] = Set f64 ($p)\n  i[0] = Set i64 ($q)\n");
    for (int64_t w = 0; w < width_; ++w) body_ += concat("  v[", w, "] = Set ", storage, " (0.0)\n");
    body_ +=
        concat("  if (", global_, " < n) {\n    v[0] = move x[(", global_, " * ", width_, ")]", vector(), "\n  }\n");
    for (size_t step = 0, steps = 4 + pick(10); step < steps; ++step) statement(storage);
    body_ += concat("  if (", global_, " < n) {\n");
    body_ += concat("    y[(", global_, " * ", width_, ")] = move v[0]", vector(), "\n    z[", global_,
                    "] = Cast f32 (a[0])\n", "    w[", global_, "] = move d[0]\n  }\n");
    return concat(
        "kernel random", number, number % 2 == 1 ? " narrow" : "",
        " {\n  scalar p : f64\n  scalar q : i64\n  tensor x : ", storage, " rank 1 argument 0\n  tensor y : ", storage,
        " rank 1 argument 1 written\n",
        "  tensor z : f32 rank 1 argument 2 written\n  tensor w : f64 rank 1 argument 3 written\n  local v : ", storage,
        " [", width_,
        "]\n  local a : f32 [1]\n  local d : f64 [1]\n  local i : i64 [1]\n"
        "  local e : f32 [1]\n  local c : i64 [1]\n  local f : f32 [1]\n  local k : i64 [1]\n  shared s : f32 [",
        blockX_ * blockY_, "]\n  int n in [0, 1099511627776]\n  block ", blockX_, ", ", blockY_, ", 1\n  grid ((n + ",
        blockX_ * blockY_ - 1, ") // ", blockX_ * blockY_, "), 1, 1\n\n", body_, "}\n");
  }

 private:
  size_t pick(size_t count) { return generator_() % count; }
  template <class T>
  T one(std::initializer_list<T> values) {
    return values.begin()[pick(values.size())];
  }
  static std::string sum(const std::string& a, const std::string& b) { return concat("(", a, " + ", b, ")"); }
  std::string vector() const { return width_ == 1 ? "" : concat(" width ", width_); }
  std::string element() { return concat("v[", pick(static_cast<size_t>(width_)), "]"); }

  std::string operand() {
    switch (pick(7)) {
      case 0: return "a[0]";
      case 1: return "d[0]";
      case 2: return "i[0]";
      case 3: return element();
      case 4: return one<std::string>({"$p", "$p as bf16", "$q", "$q as f16"});
      case 5: return one<std::string>({"2.5", "-0.0", "0.1 as f16", "3", "true", "inf", "nan", "1e-40"});
      default: return concat("int(((", local_, " // 3) + (", global_, " % 7)))");
    }
  }

  std::string compute(const std::string& target, DataType dtype) {
    const auto name = [&] {
      return dtype == DataType::Float || dtype == DataType::Double
                 ? one({OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Div, OpKind::FloorDiv, OpKind::Remainder,
                        OpKind::Fmod})
                 : one({OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Remainder});
    };
    return concat(target, " = ", opName(name()), " ", dtype, " (", operand(), ", ", operand(), ")\n");
  }

  void statement(DataType storage) {
    switch (pick(8)) {
      case 0: body_ += "  " + compute("a[0]", DataType::Float); return;
      case 1: body_ += "  " + compute("d[0]", DataType::Double); return;
      case 2: body_ += "  " + compute("i[0]", DataType::Int64); return;
      case 3: body_ += "  " + compute(element(), computeType(storage)); return;
      case 4: {
        const std::string index = concat("j", loops_++);
        body_ +=
            concat("  for ", index, " < ", 2 + pick(4), one<std::string>({" {\n", " unroll {\n"}),
                   "    a[0] = Add f32 (a[0], int(", index, "))\n    ", compute("d[0]", DataType::Double), "  }\n");
        return;
      }
      case 5:
        body_ += concat("  if ((", local_, " % 3) < 2) {\n    ", compute("a[0]", DataType::Float), "  }\n");
        return;
      case 6:
        body_ += concat("  barrier\n  s[", local_, "] = move a[0]\n  barrier\n  a[0] = Add f32 (a[0], s[((", local_,
                        " + 5) % ", blockX_ * blockY_, ")])\n");
        return;
      default:
        // Of a partner that the block may not have; then of the first of some.
        body_ += concat("  e[0] = shuffle xor ", 1 << pick(5), " (a[0])\n  if (", local_, " < ",
                        blockX_ * blockY_ / 32 * 32, ") {\n    a[0] = Add f32 (a[0], e[0])\n  }\n");
        body_ += concat("  a[0] = shuffle first ", 1 << pick(6), " (a[0])\n");
        if (pick(2)) {
          // Of what a thread has in `a` and `e`, whatever that is, with a count that may be 0.
          body_ += concat("  e[0] = Mul f32 (a[0], a[0])\n  c[0] = Set i64 (int((", local_,
                          " % 3)))\n  f[0] = Set f32 (0.5)\n  k[0] = Set i64 (int((", local_, " % 2)))\n");
          body_ += concat("  barrier\n  s[", local_, "] = move a[0]\n  barrier\n  join f32 (a[0], e[0], c[0]) (s[((",
                          local_, " + 1) % ", blockX_ * blockY_, ")], f[0], k[0])\n");
        }
    }
  }

  std::mt19937_64 generator_;
  std::string body_;
  std::string global_;
  std::string local_;
  int64_t width_ = 1;
  int64_t blockX_ = 1;
  int64_t blockY_ = 1;
  size_t loops_ = 0;
};

TEST_P(EngineAgreementTest, OnRandomKernels) {
  std::vector<std::unique_ptr<Kernel>> owners;
  std::vector<const Kernel*> kernels;
  for (size_t i = 0; i < (inFull() ? 150u : 50u); ++i) {
    owners.push_back(parseKernel(RandomKernel(i).draw(i)));
    verifyKernel(*owners.back());
    kernels.push_back(owners.back().get());
  }
  const auto interp = makeInterpEngine()->compile(kernels);
  const auto other = makeEngine(GetParam())->compile(kernels);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const int64_t n = static_cast<int64_t>(1 + k * 7 % 300);
    expectAgreement(*kernels[k], *interp[k], *other[k], 300 * 4, {n}, {ScalarValue(0.3), ScalarValue(int64_t{-5})}, k,
                    Zeros::Distinct);
  }
}

}  // namespace
}  // namespace fuser

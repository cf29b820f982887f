// The second reader against parser, inference, shapes, promotion and reference: over corpus/ and generated cases, each
// line has the dtype and the sizes that fuser infers, and the bits of the reference. FUSER_FULL=1 reads
// more.

#include "tests/oracle/second_reader/second_reader.h"
#include "tests/in_full.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/updates.h"
#include "fuser/ops/op_table.h"
#include "fuser/text/complex_values.h"
#include "fuser/text/expansions.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "oracle/reference/reference.h"

namespace second_reader {
namespace {

using fuser::Case;
using HostValue = fuser::ExpressionEvaluator::InputValue;
using fuser::ScalarValue;
using fuser::TensorRef;

// One generated case in 50.
constexpr uint64_t kStep = 50;
uint64_t caseCount() { return fuser::inFull() ? 20000 : 1000; }

struct Statistics {
  int texts = 0, runs = 0, refused = 0, open = 0, rejections = 0, deviations = 0, typesAlone = 0, lines = 0, equal = 0,
      outputs = 0, equalOutputs = 0;
  std::set<std::string> ops;

  void print(const char* name) const {
    std::printf(
        "%s: %d texts, %d runs, %d lines, %d outputs; %d runs are to be rejected, %d of them by LibTorch too, %d are "
        "left open\n",
        name, texts, runs, lines, outputs, rejections, refused, open);
    std::printf("  %d runs end at an op that LibTorch refuses, %d lines before it are compared by type alone\n",
                deviations, typesAlone);
  }
};

Array arrayOf(const HostValue& value) {
  if (const auto* ref = std::get_if<TensorRef>(&value)) {
    return {std::string(fuser::dtypeName(ref->dtype)),  false,     {ref->sizes.begin(), ref->sizes.end()},
            {ref->strides.begin(), ref->strides.end()}, ref->data, nullptr};
  }
  const ScalarValue scalar = std::get<ScalarValue>(value);
  Array array{std::string(fuser::dtypeName(scalar.dtype())), true, {}, {}, nullptr, nullptr};
  std::visit(
      [&]<class T>(T number) {
        const auto memory = std::make_shared<T>(number);
        array.data = memory.get();
        array.memory = memory;
      },
      scalar.variant());
  return array;
}

// One NaN is as good as another.
template <class T>
bool isSame(const T* a, const T* b) {
  if (std::memcmp(a, b, sizeof(T)) == 0) return true;
  const auto wideA = fuser::widen(*a);
  const auto wideB = fuser::widen(*b);
  return wideA != wideA && wideB != wideB;
}

bool sameValues(const Array& a, const Array& b) {
  return fuser::dispatch(*fuser::dtypeFromName(a.dtype), [&]<class T>() {
    std::vector<int64_t> index(a.sizes.size(), 0);
    int64_t count = 1;
    for (int64_t size : a.sizes) count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t placeA = 0, placeB = 0;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        placeA += index[axis] * a.strides[axis];
        placeB += index[axis] * b.strides[axis];
      }
      if (!isSame(static_cast<const T*>(a.data) + placeA, static_cast<const T*>(b.data) + placeB)) return false;
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < a.sizes[axis]) break;
        index[axis] = 0;
      }
    }
    return true;
  });
}

std::vector<HostValue> hostValues(const fuser::RunData& data) {
  std::vector<HostValue> values;
  for (const auto& input : data.inputs) {
    if (const auto* scalar = std::get_if<ScalarValue>(&input)) {
      values.emplace_back(*scalar);
    } else {
      values.emplace_back(data.tensors[std::get<size_t>(input)].ref);
    }
  }
  return values;
}

// What fuser and its reference say of one run.
class Ours {
 public:
  // Without values where LibTorch refuses an op: the reference cannot go on either.
  Ours(const Case& testCase, const std::vector<HostValue>& inputs, bool hasValues)
      : fusion_(*testCase.fusion), evaluator_(fusion_), inputs_(inputs) {
    evaluator_.bindInputs(inputs);
    for (const fuser::Val* val : fusion_.usedVals()) byName_[val->name()] = val;
    if (!hasValues) return;
    std::vector<reference::Value> values;
    for (const HostValue& input : inputs) values.push_back({input, nullptr});
    values_ = reference::evaluate(fusion_, values);
  }

  // "" where the line is what fuser says of the value of that name.
  std::string difference(const std::string& name, const Array& line) {
    const auto found = byName_.find(name);
    return found == byName_.end() ? "fuser has no such value" : difference(found->second, line);
  }

  std::string difference(const fuser::Val* val, const Array& line) {
    if (val->isScalar() != line.isScalar) return "one of both is a scalar";
    const std::string dtype(fuser::dtypeName(val->dtype()));
    if (dtype != line.dtype) return "fuser infers " + dtype + ", LibTorch gives " + line.dtype;
    const auto* scalar = val->isScalar() ? val->as<fuser::Scalar>() : nullptr;
    const fuser::Dims inferred = scalar ? fuser::Dims() : evaluator_.sizes(val->as<fuser::TensorView>());
    const fuser::Dims sizes(line.sizes.begin(), line.sizes.end());
    if (inferred != sizes) return fuser::concat("fuser infers sizes ", inferred, ", LibTorch gives ", sizes);
    if (values_.empty()) return "";
    const Array ours =
        arrayOf(scalar && scalar->isConstant() ? HostValue(*scalar->constant()) : values_.at(val->id()).value().value);
    if (ours.sizes != line.sizes) return "the reference has other sizes";
    return sameValues(ours, line) ? "" : "the reference has other bits";
  }

 private:
  const fuser::Fusion& fusion_;
  fuser::ExpressionEvaluator evaluator_;
  const std::vector<HostValue>& inputs_;
  std::vector<std::optional<reference::Value>> values_;  // by id; empty: none
  std::map<std::string, const fuser::Val*> byName_;
};

// What LibTorch refuses and fuser computes: scalars that a run gives, and operands that fuser promotes.
bool isDeviation(const std::string& refusal) {
  for (const char* reason : {
           "softshrink: lambda must be",        // a negative or NaN lambd
           "celu: ZeroDivisionError",           // alpha = 0
           "cannot be converted to type",       // a scalar that the tensor's integers do not hold
           "not implemented for 'Bool'",        // softsign
           "\"flip_cpu\" not implemented for",  // this and two more: of dtypes that are stored alone
           "\"scatter_gather_tensor_cpu\" not implemented for",
           "\"eye\" not implemented for",
           "with a bool tensor is not supported",       // sub, tanhshrink
           "addcdiv: Integer division with addcdiv is"  // of integers by integers
       }) {
    if (refusal.find(reason) != std::string::npos) return true;
  }
  return false;
}

// Names of several ops, or of sums in another order, whose results LibTorch rounds in ways of its own: NamesTest holds
// what it gives against the oracle's sets. With data that are exact in any order they are compared to the bit.
bool rounds(const Program& program) {
  static const std::set<std::string> names = {"matmul",
                                              "mm",
                                              "bmm",
                                              "mv",
                                              "linear",
                                              "addmm",
                                              "baddbmm",
                                              "softmax",
                                              "log_softmax",
                                              "logsumexp",
                                              "layer_norm",
                                              "rms_norm",
                                              "group_norm",
                                              "batch_norm",
                                              "instance_norm",
                                              "std",
                                              "norm",
                                              "cumsum",
                                              "cumprod",
                                              "cross_entropy",
                                              "nll_loss",
                                              "mse_loss",
                                              "scaled_dot_product_attention",
                                              "interpolate",
                                              "avg_pool2d",
                                              "glu",
                                              "swiglu"};
  return std::any_of(program.lines.begin(), program.lines.end(),
                     [&](const Line& line) { return names.count(line.op) != 0; });
}

void compareRun(const Case& testCase, size_t index, const Program& program, Statistics& statistics, bool isExact) {
  const fuser::RunData data = fuser::materialize(testCase, testCase.runs[index]);
  const std::vector<HostValue> inputs = hostValues(data);
  std::map<std::string, Array> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) tensors[testCase.fusion->inputs()[i]->name()] = arrayOf(inputs[i]);
  const Results results = evaluate(program, program.runs.at(index), tensors);
  Ours ours(testCase, inputs, results.refusal.empty() && isExact);
  ++statistics.runs;
  for (const auto& [name, array] : results.lines) EXPECT_EQ(ours.difference(name, array), "") << "%" << name;
  (results.refusal.empty() && isExact ? statistics.lines : statistics.typesAlone) +=
      static_cast<int>(results.lines.size());
  if (!results.refusal.empty()) {
    ++statistics.deviations;
    EXPECT_TRUE(isDeviation(results.refusal)) << "LibTorch refuses what fuser takes: " << results.refusal;
    return;
  }
  const std::vector<fuser::Val*>& outputs = testCase.fusion->outputs();
  ASSERT_EQ(results.outputs.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(ours.difference(outputs[i], results.outputs[i]), "") << "output " << i;
  }
  statistics.outputs += static_cast<int>(outputs.size());
}

// A run that is to be rejected: fuser has rules of its own (a symbol never broadcasts), LibTorch may take it.
bool isRefused(const Case& testCase, size_t index, const Program& program) {
  try {
    const fuser::RunData data = fuser::materialize(testCase, testCase.runs[index]);
    const std::vector<HostValue> inputs = hostValues(data);
    std::map<std::string, Array> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) tensors[testCase.fusion->inputs()[i]->name()] = arrayOf(inputs[i]);
    return !evaluate(program, program.runs.at(index), tensors).refusal.empty();
  } catch (const fuser::UserError&) {
    return true;
  } catch (const std::runtime_error&) {
    return true;
  }
}

void compare(const Case& testCase, const Program& program, Statistics& statistics, bool isExact = true) {
  ++statistics.texts;
  for (const Line& line : program.lines) statistics.ops.insert(line.op);
  ASSERT_EQ(program.runs.size(), testCase.runs.size());
  for (size_t i = 0; i < program.runs.size(); ++i) {
    const std::string& expectation = program.runs[i].expectation;
    const fuser::Expectation ours = testCase.runs[i].expectation;
    EXPECT_EQ(expectation == "agrees", ours == fuser::Expectation::Agrees);
    EXPECT_EQ(expectation == "rejected", ours == fuser::Expectation::Rejected);
    if (expectation == "agrees") {
      try {
        compareRun(testCase, i, program, statistics, isExact);
      } catch (const std::runtime_error& error) {
        ADD_FAILURE() << error.what();
      }
    } else if (expectation == "rejected") {
      ++statistics.rejections;
      statistics.refused += isRefused(testCase, i, program);
    } else {
      ++statistics.open;
    }
  }
}

// A text whose program fuser refuses while it reads it, as each run expects.
void compareRefused(const Program& program, Statistics& statistics) {
  for (const Run& run : program.runs) {
    EXPECT_NE(run.expectation, "agrees");
    ++statistics.rejections;
  }
}

std::vector<std::filesystem::path> corpusFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("corpus")) {
    if (entry.path().extension() == ".fusion") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contentOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(SecondReaderTest, ReadsTheCorpusAsFuserDoes) {
  reference::useOneThread();
  Statistics written, printed;
  for (const std::filesystem::path& file : corpusFiles()) {
    SCOPED_TRACE(file.string());
    const std::string text = contentOf(file);
    try {
      const Case testCase = fuser::parseCase(text, file.string());
      if (fuser::hasUpdates(*testCase.fusion)) continue;  // StatementsTest holds those against ATen
      const Program program = readProgram(text);
      const bool isSeed = file.parent_path().filename() == "seeds";  // of real data
      compare(testCase, program, written, !isSeed || !rounds(program));
      compare(testCase, withoutInserted(readProgram(fuser::printCase(testCase))), printed);
    } catch (const fuser::RefusedProgram&) {
      if (text.find("\n  update %") != text.npos) continue;
      compareRefused(readProgram(text), written);
    }
  }
  EXPECT_GT(written.texts, 80);
  written.print("corpus");
  printed.print("corpus as printed");
}

TEST(SecondReaderTest, ReadsOneGeneratedCaseInFifty) {
  reference::useOneThread();
  Statistics statistics;
  fuser::fuzz::GeneratorOptions options;
  options.medianElements = 512;
  options.maxElements = 1 << 13;
  options.maxCaseElements = 1 << 16;
  options.exclude = {fuser::OpKind::Update};  // StatementsTest holds those against ATen
  const auto read = [&](uint64_t number) {
    const Case testCase = fuser::fuzz::generateCase(18, number, options);
    SCOPED_TRACE(fuser::concat("case ", number, " of seed 18"));
    const std::string text = fuser::printCase(testCase);
    compare(fuser::parseCase(text, "generated"), withoutInserted(readProgram(text)), statistics);
    if (testing::Test::HasFailure()) ADD_FAILURE() << text;
  };
  for (uint64_t i = 0; i < caseCount() && !testing::Test::HasFailure(); ++i) read(i * kStep);
  options.favour = {fuser::OpKind::Fma};  // which is not drawn unasked
  for (uint64_t i = 0; i < 50 && !testing::Test::HasFailure(); ++i) read(i);
  statistics.print("generated");
  for (fuser::OpKind op : fuser::kAllOps) {
    if (fuser::familyInfo(fuser::opInfo(op).family).weight == 0 || op == fuser::OpKind::Update) continue;
    EXPECT_TRUE(statistics.ops.count(std::string(fuser::opInfo(op).mnemonic))) << "no case has " << fuser::opName(op);
  }
}

TEST(SecondReaderTest, KnowsEveryOp) {
  for (fuser::OpKind op : fuser::kAllOps) {
    if (op == fuser::OpKind::Update) continue;  // a statement
    EXPECT_TRUE(knows(std::string(fuser::opInfo(op).mnemonic))) << fuser::opInfo(op).mnemonic;
  }
  for (std::string_view name : fuser::text::expansionNames()) EXPECT_TRUE(knows(std::string(name))) << name;
  for (std::string_view name : fuser::text::namesOfComplexAlone()) EXPECT_TRUE(knows(std::string(name))) << name;
  for (const auto& [op, reason] : exceptions()) {
    EXPECT_TRUE(knows(op)) << op;
    std::printf("%s: %s\n", op.c_str(), reason.c_str());
  }
}

}  // namespace
}  // namespace second_reader

#include "tests/oracle/second_reader/second_reader.h"

#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/oracle/second_reader/calls.h"

namespace second_reader {
namespace {

using at::Tensor;

// Python's floats are f64: so is what LibTorch makes of numbers alone.
class FloatsAreDouble {
 public:
  FloatsAreDouble() { c10::set_default_dtype(caffe2::TypeMeta::Make<double>()); }
  ~FloatsAreDouble() { c10::set_default_dtype(before_); }
  FloatsAreDouble(const FloatsAreDouble&) = delete;
  FloatsAreDouble& operator=(const FloatsAreDouble&) = delete;

 private:
  const caffe2::TypeMeta before_ = c10::get_default_dtype();
};

struct Value {
  Tensor tensor;
  bool isScalar = false;
};

Tensor numberOf(const Literal& literal) {
  return std::visit(
      [](auto value) { return at::scalar_tensor(value, c10::CppTypeToScalarType<decltype(value)>::value); }, literal);
}

// A copy that takes part in promotion as Python's numbers do.
Tensor wrapped(const Tensor& number) {
  Tensor copy = number.clone();
  copy.unsafeGetTensorImpl()->set_wrapped_number(true);
  return copy;
}

// What LibTorch itself refuses.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Python checks what LibTorch's C++ does not (torch/nn/functional.py).
void checkAsPython(const std::string& op, const Call& call) {
  if (op == "hardtanh" && call.scalarOr("min_val", -1.0).toDouble() > call.scalarOr("max_val", 1.0).toDouble())
    throw Refused("min_val cannot be greater than max_val");
}

std::vector<Tensor> called(const std::string& op, const Call& call, bool scalars) {
  checkAsPython(op, call);
  try {
    if (!scalars) return calls().at(op)(call);
    const FloatsAreDouble python;
    return calls().at(op)(call);
  } catch (const c10::Error& error) {
    throw Refused(op + ": " + firstLine(error.what_without_backtrace()));
  } catch (const std::runtime_error& error) {  // a number that a dtype does not hold
    throw Refused(op + ": " + firstLine(error.what()));
  }
}

Array arrayOf(const Value& value) {
  // What lies in memory of a complex tensor are its parts.
  const Tensor real = value.tensor.is_complex() ? at::view_as_real(value.tensor.resolve_conj()) : value.tensor;
  const auto dense = std::make_shared<Tensor>(real.contiguous());
  return {dtypeName(dense->scalar_type()), value.isScalar,    dense->sizes().vec(),
          dense->strides().vec(),          dense->data_ptr(), dense};
}

// One run of a program.
class Evaluator {
 public:
  explicit Evaluator(const Program& program) : program_(program) {}

  Results run(const Run& run, const std::map<std::string, Array>& tensors) {
    for (const Parameter& parameter : program_.parameters) bind(parameter, run.inputs.at(parameter.name), tensors);
    for (const Parameter& parameter : program_.parameters) bindSizes(parameter);
    for (const Parameter& parameter : program_.parameters) {
      check(parameter.type, values_.at(parameter.name), parameter.name);
    }
    Results results;
    try {
      evaluateAll(program_.lines, results);
    } catch (const Refused& refused) {
      results.refusal = refused.what();
      return results;
    }
    for (const Operand& output : program_.outputs) results.outputs.push_back(arrayOf(valueOf(output)));
    return results;
  }

  std::map<std::string, Array> gradients(const Run& run, const std::map<std::string, Array>& tensors,
                                         const Array& ofOutput) {
    records_ = true;
    const Results results = this->run(run, tensors);
    if (!results.refusal.empty()) fail(results.refusal);
    Tensor output = valueOf(program_.outputs.at(0)).tensor;
    if (output.is_complex()) output = at::view_as_real(output);
    const Tensor seed = at::from_blob(ofOutput.data, ofOutput.sizes, ofOutput.strides,
                                      at::TensorOptions().dtype(scalarType(ofOutput.dtype)));
    std::vector<Tensor> leaves;
    for (const auto& [name, leaf] : leaves_) leaves.push_back(leaf);
    const std::vector<Tensor> found = torch::autograd::grad({output}, leaves, {seed}, std::nullopt, false, true);
    std::map<std::string, Array> gradients;
    size_t next = 0;
    for (const auto& [name, leaf] : leaves_) {
      const Tensor& gradient = found.at(next++);
      if (gradient.defined()) gradients[name] = arrayOf({gradient, false});
    }
    return gradients;
  }

  // Of an `if` the side that is taken, and nothing of the other one.
  void evaluateAll(const std::vector<Line>& lines, Results& results) {
    for (const Line& line : lines) {
      if (line.sides.empty()) {
        for (const std::string& name : evaluate(line)) results.lines.emplace_back(name, arrayOf(values_.at(name)));
        continue;
      }
      const Side& taken = line.sides.at(valueOf(line.operands.at(0)).tensor.item<bool>() ? 0 : 1);
      const std::map<std::string, Value> outside = values_;
      Results within;  // its names are not seen outside
      evaluateAll(taken.lines, within);
      std::vector<Value> yielded;
      for (const Operand& operand : taken.yields) yielded.push_back(valueOf(operand));
      values_ = outside;
      for (size_t i = 0; i < line.results.size(); ++i) {
        values_[line.results[i]] = yielded.at(i);
        results.lines.emplace_back(line.results[i], arrayOf(yielded[i]));
      }
    }
  }

  std::vector<std::string> evaluate(const Line& line) {
    std::vector<Value> operands;
    for (const Operand& operand : line.operands) operands.push_back(valueOf(operand));
    constexpr std::string_view kMakers[] = {"full", "zeros", "ones",    "arange", "eye",
                                            "rand", "randn", "uniform", "normal", "randint"};
    const bool makesTensor = std::find(std::begin(kMakers), std::end(kMakers), line.op) != std::end(kMakers);
    const bool scalars =
        !makesTensor && std::all_of(operands.begin(), operands.end(), [](const Value& x) { return x.isScalar; });
    const std::vector<Tensor> results = called(line.op, callOf(line, operands, scalars), scalars);
    for (size_t i = 0; i < line.results.size(); ++i) {
      Value& value = values_[line.results[i]] = {results.at(i), scalars || line.op == "size" || line.op == "item"};
      if (i < line.types.size()) check(line.types[i], value, line.results[i]);
    }
    return line.results;
  }

  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  Value get(const std::string& name) const { return values_.at(name); }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error("second reader: " + what); }

  const Value& named(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) fail("%" + name + " has no value yet");
    return found->second;
  }

  Value valueOf(const Operand& operand) const {
    if (const auto* name = std::get_if<std::string>(&operand)) return named(*name);
    return {numberOf(std::get<Literal>(operand)), true};
  }

  void bind(const Parameter& parameter, const std::variant<Literal, GivenTensor>& given,
            const std::map<std::string, Array>& tensors) {
    if (const auto* literal = std::get_if<Literal>(&given)) {
      values_[parameter.name] = {numberOf(*literal).to(scalarType(parameter.type.dtype)), true};
      return;
    }
    const auto& text = std::get<GivenTensor>(given);
    const Array& array = tensors.at(parameter.name);
    const bool isComplex = text.dtype.starts_with("complex");
    const std::string dtype = !isComplex ? text.dtype : text.dtype == "complex64" ? "f32" : "f64";
    std::vector<int64_t> sizes = text.sizes;
    if (isComplex) sizes.push_back(2);
    if (array.dtype != dtype || array.sizes != sizes) fail("%" + parameter.name + " has other data");
    static std::byte nothing[16] = {};  // LibTorch wants an address for empty tensors too
    Tensor tensor = at::from_blob(array.data ? array.data : nothing, array.sizes, array.strides,
                                  at::TensorOptions().dtype(scalarType(array.dtype)));
    if (text.isPlain) checkValues(parameter.name, text, tensor);
    if (records_ && at::isFloatingType(tensor.scalar_type())) {
      tensor = tensor.clone().requires_grad_();
      leaves_[parameter.name] = tensor;
    }
    if (isComplex) tensor = at::view_as_complex(tensor);
    values_[parameter.name] = {std::move(tensor), false};
  }

  // The numbers that the text states are those in memory.
  static void checkValues(const std::string& name, const GivenTensor& text, const Tensor& tensor) {
    std::vector<Tensor> elements;
    for (const Literal& literal : text.values) elements.push_back(numberOf(literal).to(tensor.scalar_type()));
    if (elements.empty()) return;
    const Tensor stated = at::stack(elements).reshape(tensor.sizes());
    if (!at::isclose(stated, tensor, 0, 0, true).all().item<bool>()) fail("%" + name + " holds other values");
  }

  // An axis whose size is a symbol alone binds it.
  void bindSizes(const Parameter& parameter) {
    for (size_t axis = 0; axis < parameter.type.axes.size(); ++axis) {
      const Tokens& size = parameter.type.axes[axis];
      const std::string& symbol = size.back().text;
      const bool alone = size.size() == 1 || (size.size() == 3 && size[0].text == "1" && size[1].text == "*");
      const bool isSymbol = std::isalpha(static_cast<unsigned char>(symbol[0])) != 0 || symbol[0] == '_';
      if (alone && isSymbol)
        symbols_.emplace(symbol, values_.at(parameter.name).tensor.size(static_cast<int64_t>(axis)));
    }
  }

  void check(const Type& type, const Value& value, const std::string& name) const {
    const std::string dtype = dtypeName(value.tensor.scalar_type());
    if (type.dtype != dtype) fail("%" + name + " is " + type.dtype + " in the text, and " + dtype + " in LibTorch");
    if (type.isTensor == value.isScalar) fail("%" + name + " is a scalar here, a tensor there");
    std::vector<int64_t> sizes;
    for (const Tokens& axis : type.axes) sizes.push_back(evaluated(axis));
    if (value.tensor.sizes() != at::IntArrayRef(sizes)) {
      fail("%" + name + " has sizes " + c10::str(at::IntArrayRef(sizes)) + " in the text, and " +
           c10::str(value.tensor.sizes()) + " in LibTorch");
    }
  }

  Call callOf(const Line& line, const std::vector<Value>& operands, bool scalars) const {
    Call call;
    for (const Value& x : operands) call.x.push_back(x.isScalar && !scalars ? wrapped(x.tensor) : x.tensor);
    const auto find = [&line](const char* name) { return line.attributes.find(wordIn(line, name)); };
    const auto attribute = [&line](const char* name) -> const Tokens& {
      return line.attributes.at(wordIn(line, name));
    };
    call.has = [&line, find](const char* name) { return find(name) != line.attributes.end(); };
    call.word = [attribute](const char* name) { return attribute(name).at(0).text; };
    call.number = [this, attribute](const char* name) { return evaluated(attribute(name)); };
    call.numbers = [this, attribute](const char* name) {
      std::vector<int64_t> numbers;
      if (attribute(name).at(0).text != "[") return std::vector{evaluated(attribute(name))};  // dim = 1
      for (const Tokens& entry : entriesOf(attribute(name))) numbers.push_back(evaluated(entry));
      return numbers;
    };
    call.scalar = [this, attribute](const char* name) { return valueOf(operandOf(attribute(name))).tensor.item(); };
    call.isScalar = [this, attribute](const char* name) { return valueOf(operandOf(attribute(name))).isScalar; };
    call.operand = [this, attribute](const char* name) {
      const Value value = valueOf(operandOf(attribute(name)));
      return value.isScalar ? wrapped(value.tensor) : value.tensor;
    };
    return call;
  }

  // The word that the line has for an attribute: PyTorch's, or the language's own.
  static std::string wordIn(const Line& line, const std::string& name) {
    static const std::multimap<std::string, std::string> others = {
        {"dims", "dim"},    {"dims", "axis"},    {"dim", "axis"},           {"shape", "size"},
        {"window", "size"}, {"spacing", "step"}, {"correction", "unbiased"}};
    if (line.attributes.count(name) != 0) return name;
    for (auto [other, end] = others.equal_range(name); other != end; ++other) {
      if (line.attributes.count(other->second) != 0) return other->second;
    }
    return name;
  }

  int64_t evaluated(const Tokens& dim) const {
    size_t at = 0;
    const int64_t value = sum(dim, at);
    if (at != dim.size()) fail("no dim ends with '" + dim.back().text + "'");
    return value;
  }

  static bool accept(const Tokens& tokens, size_t& at, const char* text) {
    if (at >= tokens.size() || tokens[at].text != text) return false;
    ++at;
    return true;
  }

  int64_t sum(const Tokens& tokens, size_t& at) const {
    int64_t value = product(tokens, at);
    while (at < tokens.size()) {
      if (accept(tokens, at, "+")) {
        value += product(tokens, at);
      } else if (accept(tokens, at, "-")) {
        value -= product(tokens, at);
      } else {
        break;
      }
    }
    return value;
  }

  int64_t product(const Tokens& tokens, size_t& at) const {
    int64_t value = factor(tokens, at);
    while (at < tokens.size()) {
      if (accept(tokens, at, "*")) {
        value *= factor(tokens, at);
      } else if (accept(tokens, at, "//")) {
        const int64_t divisor = factor(tokens, at);
        value = value / divisor - (value % divisor < 0 ? 1 : 0);
      } else {
        break;
      }
    }
    return value;
  }

  int64_t factor(const Tokens& tokens, size_t& at) const {
    if (accept(tokens, at, "-")) return -factor(tokens, at);
    if (accept(tokens, at, "(")) {
      const int64_t value = sum(tokens, at);
      if (!accept(tokens, at, ")")) fail("a parenthesis stays open");
      return value;
    }
    const std::string& text = tokens.at(at++).text;
    if (text[0] == '%') return named(text.substr(1)).tensor.item<int64_t>();
    if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) return std::stoll(text);
    if (!accept(tokens, at, "(")) return extentOf(text);
    const int64_t a = sum(tokens, at);
    accept(tokens, at, ",");
    const int64_t b = sum(tokens, at);
    const bool known = text == "min" || text == "max" || text == "meet";
    if (!accept(tokens, at, ")") || !known) fail("no function of two dims: " + text);
    if (text == "meet") return a != 1 ? a : b;
    return text == "min" ? std::min(a, b) : std::max(a, b);
  }

  int64_t extentOf(const std::string& symbol) const {
    const auto found = symbols_.find(symbol);
    if (found == symbols_.end()) fail("no input binds " + symbol);
    return found->second;
  }

  const Program& program_;
  std::map<std::string, Value> values_;
  bool records_ = false;                  // autograd is to know the inputs
  std::map<std::string, Tensor> leaves_;  // then, those of floats
  std::map<std::string, int64_t> symbols_;
};

Value sample(const Kind& kind) {
  const Tensor one =
      at::ones(kind.rank == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{}, scalarType(kind.dtype));
  return {one, kind.rank < 0};
}

// Whether the line is what a builder inserted in front of a reader of its operand.
bool isInserted(const Line& line) {
  if (line.op != "cast" && line.op != "unsqueeze") return false;
  const std::string suffix = line.op == "cast" ? ".c" : ".b";
  const auto* operand = std::get_if<std::string>(&line.operands.at(0));
  const std::string& name = line.results.at(0);
  if (!operand || !name.starts_with(*operand + suffix)) return false;
  const std::string rest = name.substr(operand->size() + 2);
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

Program withoutInserted(Program program) {
  std::map<std::string, Operand> instead;
  for (Line& line : program.lines) {
    if (isInserted(line)) {
      const Operand& operand = line.operands[0];
      const auto* name = std::get_if<std::string>(&operand);
      instead[line.results[0]] = name && instead.count(*name) ? instead.at(*name) : operand;
      continue;
    }
    for (Operand& operand : line.operands) {
      const auto* name = std::get_if<std::string>(&operand);
      if (name && instead.count(*name)) operand = instead.at(*name);
    }
  }
  return program;
}

Results evaluate(const Program& program, const Run& run, const std::map<std::string, Array>& tensors) {
  const at::InferenceMode inference;
  return Evaluator(program).run(run, tensors);
}

std::string resultDtype(const Line& op, const std::vector<Kind>& operands) {
  const at::InferenceMode inference;
  const Program none;
  Evaluator evaluator(none);
  for (size_t i = 0; i < operands.size(); ++i) evaluator.set("x" + std::to_string(i), sample(operands[i]));
  try {
    evaluator.evaluate(op);
  } catch (const Refused&) {
    return "";
  }
  return dtypeName(evaluator.get(op.results.at(0)).tensor.scalar_type());
}

std::string resultType(const std::vector<Kind>& operands) {
  at::native::ResultTypeState state{};
  try {
    for (const Kind& kind : operands) {
      const Value value = sample(kind);
      state = at::native::update_result_type_state(value.isScalar ? wrapped(value.tensor) : value.tensor, state);
    }
    return dtypeName(at::native::result_type(state));
  } catch (const c10::Error&) {
    return "";  // of u16, u32 and floats of 8 bits with others
  }
}

bool knows(const std::string& op) { return calls().count(op) != 0; }

const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> reasons = {
      {"fma", "a product and a sum in f64: LibTorch has no call"},
      {"full", "one element, expanded, as in the reference: LibTorch's kernels for dense memory round otherwise"},
      {"gelu", "of a dense copy: LibTorch 2.11 leaves elements unwritten where an axis of one element has stride 0"},
      {"gather", "by indices of i64: LibTorch 2.11 reads other elements by an expanded index of i32"},
      {"hardtanh", "torch.nn.functional's check of its bounds stands before at::hardtanh"},
      {"lerp", "at::lerp wants operands of one dtype: they are converted to at::result_type"},
      {"prod", "at::prod takes one axis: one call an axis, the last one first"},
      {"scatter_add", "of 16 bits in f32, rounded once: LibTorch rounds each sum, where indices are not expanded"},
      {"softsign",
       "torch.nn.functional's x / (|x| + 1), LibTorch has no call; of integers converted first, which PyTorch does "
       "not"},
      {"tanhshrink", "torch.nn.functional's formula, x - tanh(x): LibTorch has no call"},
      {"unsqueeze", "at::unsqueeze takes one axis: one call an axis"},
      {"item", "Tensor.item() gives Python's numbers: f64, i64 or bool"},
      {"size", "a number, no call"},
      {"cond", "one of the operands, no call"},
      {"set", "the operand, no call"},
      {"segment_set", "the operand, no call"},
  };
  return reasons;
}

std::map<std::string, Array> gradients(const Program& program, const Run& run,
                                       const std::map<std::string, Array>& tensors, const Array& ofOutput) {
  return Evaluator(program).gradients(run, tensors, ofOutput);
}

}  // namespace second_reader

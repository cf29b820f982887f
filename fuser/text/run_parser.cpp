// `run { %x = recipe : type {strides, offset}   %s = literal }`

#include "fuser/text/run_parser.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/case/recipe_data.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"
#include "fuser/tokens/literals.h"

namespace fuser::text {
namespace {

class RunParser {
 public:
  RunParser(TokenReader& reader, const Fusion& fusion) : reader_(reader) {
    for (const Val* input : fusion.inputs()) inputs_.emplace(input->name(), input);
  }

  Run parse(const Fusion& fusion) {
    const Token start = reader_.expect("run");
    reader_.expect("{");
    std::map<std::string, RunInput> inputs;
    while (!reader_.accept("}")) {
      const Token name = reader_.expect(TokenKind::Value, "an input or '}'");
      const Val* input = find(name);
      reader_.expect("=");
      RunInput value{std::string(name.text), {}};
      if (inputs.count(value.name)) reader_.fail(name, "%", name.text, " is given twice");
      if (input->isTensor()) {
        value.value = parseTensor();
      } else {
        value.value = parseScalar(input);
      }
      inputs.emplace(value.name, std::move(value));
    }
    Run run;
    for (const Val* input : fusion.inputs()) {
      const auto found = inputs.find(input->name());
      if (found == inputs.end()) reader_.fail(start, "the run has no value for %", input->name());
      run.inputs.push_back(std::move(found->second));
    }
    return run;
  }

 private:
  const Val* find(const Token& name) const {
    const auto found = inputs_.find(name.text);
    if (found == inputs_.end()) reader_.fail(name, "the fusion has no input %", name.text);
    return found->second;
  }

  ScalarValue parseScalar(const Val* input) {
    const bool isList = reader_.accept("values");
    if (isList) reader_.expect("[");
    const Token at = reader_.peek();
    if (!atLiteral(reader_)) reader_.failExpected("a literal");
    const ScalarValue value = readLiteral(reader_);
    if (isList) reader_.expect("]");
    if (value.dtype() != input->dtype()) {
      reader_.fail(at, "%", input->name(), " is ", input->dtype(), ", ", value, " is ", value.dtype());
    }
    return value;
  }

  // recipe : dtype[sizes] {strides = […], offset = n}
  TensorInput parseTensor() {
    TensorInput input;
    const Token start = reader_.peek();
    input.recipe = parseRecipe();
    reader_.expect(":");
    const std::optional<DataType> part = partOfComplex(reader_.peek().text);
    if (part) reader_.next();
    input.dtype = part ? *part : readDtype(reader_);
    input.sizes = readDims();
    if (reader_.at("{")) parseLayout(input);
    if (part) inParts(input);
    reader_.located(start, [&] { checkRecipe(input.recipe, input.dtype); });
    return input;
  }

  // What is said of complex elements, of their parts.
  static void inParts(TensorInput& input) {
    input.sizes.push_back(2);
    input.offset *= 2;
    if (!input.strides) return;
    for (int64_t& stride : *input.strides) stride *= 2;
    input.strides->push_back(1);
  }

  Dims readDims() {
    const std::vector<int64_t> values = readIntegerList(reader_, kMaxRank);
    return Dims(values.begin(), values.end());
  }

  void parseLayout(TensorInput& input) {
    bool offset = false;
    reader_.list("{", "}", kMaxListEntries, [&] {
      const Token key = reader_.expect(TokenKind::Identifier, "strides or offset");
      reader_.expect("=");
      const Token value = reader_.peek();
      if (key.text == "strides") {
        if (input.strides) reader_.fail(key, "'strides' is given twice");
        input.strides = readDims();
        if (input.strides->size() != input.sizes.size()) {
          reader_.fail(value, input.strides->size(), " strides for ", input.sizes.size(), " sizes");
        }
      } else if (key.text == "offset") {
        if (offset) reader_.fail(key, "'offset' is given twice");
        offset = true;
        input.offset = readInteger(reader_);
        if (input.offset < 0) reader_.fail(value, "an offset is not negative");
      } else {
        reader_.fail(key, "unknown layout attribute '", key.text, "'; known: strides, offset");
      }
    });
  }

  Recipe parseRecipe() {
    const Token name =
        reader_.expect(TokenKind::Identifier, "a recipe: normal, uniform, integers, special, values, view of");
    Recipe recipe;
    if (name.text == "values") {
      recipe.kind = RecipeKind::Values;
      reader_.list("[", "]", kMaxListEntries, [&] {
        if (!atLiteral(reader_)) reader_.failExpected("a literal");
        recipe.values.push_back(readLiteral(reader_));
      });
    } else if (name.text == "view") {
      recipe.kind = RecipeKind::View;
      reader_.expect("of");
      const Token other = reader_.expect(TokenKind::Value, "an input");
      if (!find(other)->isTensor()) reader_.fail(other, "%", other.text, " is not a tensor");
      recipe.viewOf = other.text;
    } else if (name.text == "normal" || name.text == "special") {
      recipe.kind = name.text == "normal" ? RecipeKind::Normal : RecipeKind::Special;
      parseArguments(name, {"seed"}, recipe.kind == RecipeKind::Normal, recipe);
    } else if (name.text == "uniform" || name.text == "integers") {
      recipe.kind = name.text == "uniform" ? RecipeKind::Uniform : RecipeKind::Integers;
      parseArguments(name, {"seed", "low", "high"}, true, recipe);
    } else {
      reader_.fail(name, "unknown recipe '", name.text,
                   "'; known: normal, uniform, integers, special, values, view of");
    }
    return recipe;
  }

  // (seed = 1, low = 0, high = 4): all are required, except the bounds of uniform. peak, axis and index come together.
  void parseArguments(const Token& name, const std::set<std::string_view>& known, bool hasPeak, Recipe& recipe) {
    static const std::set<std::string_view> ofPeaks = {"axis", "index", "peak"};
    std::set<std::string_view> keys;
    Peak peak;
    const bool integers = recipe.kind == RecipeKind::Integers;
    reader_.list("(", ")", kMaxListEntries, [&] {
      const Token key = reader_.expect(TokenKind::Identifier, "an argument");
      const bool ofPeak = hasPeak && ofPeaks.count(key.text) != 0;
      if (!known.count(key.text) && !ofPeak) reader_.fail(key, name.text, " takes no argument '", key.text, "'");
      if (!keys.insert(key.text).second) reader_.fail(key, "'", key.text, "' is given twice");
      reader_.expect("=");
      if (key.text == "seed") {
        recipe.seed = readUnsigned(reader_);
      } else if (key.text == "peak") {
        peak.value = readNumber(reader_);
      } else if (ofPeak) {
        (key.text == "axis" ? peak.axis : peak.index) = readInteger(reader_);
      } else {
        double& end = key.text == "low" ? recipe.low : recipe.high;
        end = integers ? readExact() : readNumber(reader_);
      }
    });
    for (std::string_view key : known) {
      const bool needed = integers || key == "seed";
      if (needed && !keys.count(key)) reader_.fail(name, name.text, " needs '", key, "'");
    }
    const auto given = std::count_if(ofPeaks.begin(), ofPeaks.end(), [&](auto key) { return keys.count(key) != 0; });
    if (given != 0 && given != 3) reader_.fail(name, "'peak', 'axis' and 'index' are given together");
    if (given != 0) recipe.peak = peak;
  }

  // Reads an integer that f64 represents exactly.
  double readExact() {
    constexpr int64_t kLimit = int64_t{1} << 53;
    const Token at = reader_.peek();
    const int64_t value = readInteger(reader_);
    if (value < -kLimit || value > kLimit) reader_.fail(at, "the bounds of integers() must be in [-2^53, 2^53]");
    return static_cast<double>(value);
  }

  TokenReader& reader_;
  std::map<std::string, const Val*, std::less<>> inputs_;
};

}  // namespace

Run readRun(TokenReader& reader, const Fusion& fusion) { return RunParser(reader, fusion).parse(fusion); }

Expectation readExpectation(TokenReader& reader) {
  if (reader.accept("rejected")) return Expectation::Rejected;
  if (!reader.accept("agrees")) reader.failExpected("agrees, rejected, or agrees or rejected");
  if (!reader.accept("or")) return Expectation::Agrees;
  reader.expect("rejected");
  return Expectation::AgreesOrRejected;
}

}  // namespace fuser::text

// Parses a whole file: metadata, fusion, aliases, options, schedules, runs and expectations.

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "fuser/support/similar_name.h"
#include "fuser/text/fusion_parser.h"
#include "fuser/text/limits.h"
#include "fuser/text/mesh_parser.h"
#include "fuser/text/option_table.h"
#include "fuser/text/parser.h"
#include "fuser/text/run_parser.h"
#include "fuser/text/schedule_parser.h"
#include "fuser/text/token_rules.h"
#include "fuser/tokens/literals.h"

namespace fuser {
namespace text {
namespace {

constexpr std::string_view kFormatVersion = "1";

class CaseParser {
 public:
  CaseParser(std::string_view text, const std::string& fileName, WrittenCalls* calls = nullptr)
      : reader_(text, fileName, kTokenRules), namesSeed_(text.find("rng_seed") != text.npos), calls_(calls) {}

  Case parse() {
    while (reader_.peek().kind == TokenKind::Metadata) parseMetadata();
    if (!reader_.at("fusion")) reader_.failExpected("'fusion'");
    FusionParser fusionParser(reader_, seedOfRandomOps(), calls_);
    try {
      case_.fusion = fusionParser.parse();
    } catch (RefusedProgram& refused) {
      refused.isExpected = everyRunMayBeRejected();
      throw;
    }
    marks_ = fusionParser.places();
    for (Val* val : case_.fusion->usedVals()) {
      if (!val->name().empty()) values_.emplace(val->name(), val);
    }
    while (parseSetting()) {
    }
    while (parseRunOrExpectation()) {
    }
    if (reader_.peek().kind != TokenKind::End) failSection();
    placeMarks();
    return std::move(case_);
  }

 private:
  // Of the option behind the fusion, in which it is needed; the option itself is read, and checked, at its turn.
  uint32_t seedOfRandomOps() {
    if (!namesSeed_) return 0;
    const Token start = reader_.peek();
    uint32_t seed = 0;
    while (reader_.peek().kind != TokenKind::End) {
      const bool isOption = reader_.accept("option") && reader_.accept("rng_seed") && reader_.accept("=");
      const std::optional<int64_t> number = isOption ? integerOf(reader_.peek()) : std::nullopt;
      if (number) seed = static_cast<uint32_t>(*number);
      if (!isOption && reader_.peek().kind != TokenKind::End) reader_.next();
    }
    reader_.rewind(start);
    return seed;
  }

  // Of a token that is one, from 0 to 2^32 - 1.
  static std::optional<int64_t> integerOf(const Token& token) {
    int64_t number = 0;
    const char* end = token.text.data() + token.text.size();
    const auto read = std::from_chars(token.text.data(), end, number);
    const bool isOne = token.kind == TokenKind::Number && read.ec == std::errc() && read.ptr == end;
    return isOne && number >= 0 && number <= UINT32_MAX ? std::optional(number) : std::nullopt;
  }

  [[noreturn]] void failSection() const {
    const Token& token = reader_.peek();
    if (token.kind == TokenKind::Metadata) reader_.fail(token, "'#:' lines must come before the fusion");
    if (reader_.at("fusion")) reader_.fail(token, "a file holds one fusion");
    constexpr std::string_view kSettings[] = {"alias", "option", "mesh", "shard", "stream", "preallocate", "schedule"};
    if (std::any_of(std::begin(kSettings), std::end(kSettings),
                    [&](std::string_view name) { return reader_.at(name); })) {
      reader_.fail(token, "'", token.text, "' must come before the first run");
    }
    if (token.kind == TokenKind::Identifier) {
      reader_.fail(token, "unknown section '", token.text,
                   "'; known: alias, option, mesh, shard, stream, preallocate, schedule, run, expect");
    }
    reader_.failExpected("a section");
  }

  // #: key = value
  void parseMetadata() {
    const Token line = reader_.next();
    const size_t equals = line.text.find('=');
    std::string_view key = line.text.substr(0, std::min(equals, line.text.size()));
    while (!key.empty() && (key.back() == ' ' || key.back() == '\t')) key.remove_suffix(1);
    if (equals == std::string_view::npos || !isName(key)) reader_.fail(line, "expected '#: key = value'");
    std::string_view value = line.text.substr(equals + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    if (case_.metadata.size() == kMaxParameters) reader_.fail(line, "more than ", kMaxParameters, " '#:' lines");
    std::string text(value);
    if (!value.empty() && value.front() == '"') {
      if (value.size() < 2 || value.back() != '"') reader_.fail(line, "unterminated string");
      text = unquote(reader_, {TokenKind::String, value.substr(1, value.size() - 2), line.offset});
    } else if (value.find_first_of(std::string_view("\0\r", 2)) != std::string_view::npos) {
      reader_.fail(line, "a '#:' line holds a byte that only a quoted value may");
    }
    if (key == "format" && text != kFormatVersion) {
      reader_.fail(line, "format ", text, " is unknown; this is format ", kFormatVersion);
    }
    case_.metadata.emplace_back(std::string(key), std::move(text));
  }

  // Records the position of a statement, for errors of later stages.
  void mark(const Token& token, std::string what) { marks_.emplace_back(token.offset, std::move(what)); }

  // Converts all recorded offsets to lines and columns in one sweep over the text.
  void placeMarks() {
    std::sort(marks_.begin(), marks_.end());
    case_.places.file = reader_.name();
    SourcePlace place;
    size_t at = 0;
    for (auto& [offset, what] : marks_) {
      const SourcePlace step = sourcePlaceAt(reader_.text().substr(at), offset - at);
      place = step.line == 1 ? SourcePlace{place.line, place.column + step.column - 1}
                             : SourcePlace{place.line + step.line - 1, step.column};
      at = offset;
      case_.places.of.emplace(std::move(what), place);
    }
  }

  // `mesh …` or `shard %x …`
  using ReadPlacement = void(TokenReader&, Fusion&, const ReadValue&);
  void parsePlacement(ReadPlacement& read) {
    const Token start = reader_.peek();
    std::string what(start.text);
    read(reader_, *case_.fusion, [&](std::string_view expected) {
      Val* val = readValue(expected);
      what += concat(" %", val->name());
      return val;
    });
    mark(start, std::move(what));
  }

  bool parseSetting() {
    if (reader_.at("alias")) {
      parseAlias();
    } else if (reader_.at("option")) {
      parseOption();
    } else if (reader_.at("mesh")) {
      parsePlacement(readMesh);
    } else if (reader_.at("shard")) {
      parsePlacement(readShard);
    } else if (reader_.at("stream")) {
      parseStream();
    } else if (reader_.at("preallocate")) {
      parsePreallocate();
    } else if (reader_.at("schedule")) {
      parseScheduleSection();
    } else {
      return false;
    }
    return true;
  }

  Val* readValue(std::string_view what) {
    const Token name = reader_.expect(TokenKind::Value, what);
    const auto found = values_.find(name.text);
    if (found == values_.end()) reader_.fail(name, "unknown value %", name.text);
    return found->second;
  }

  // alias %output -> %input
  void parseAlias() {
    const Token start = reader_.expect("alias");
    const Token outputAt = reader_.peek();
    const Val* output = readValue("an output");
    if (!output->isTensor() || !output->isFusionOutput()) {
      reader_.fail(outputAt, "%", outputAt.text, " is not an output tensor");
    }
    reader_.expect("->");
    const Token inputAt = reader_.peek();
    const Val* input = readValue("an input");
    if (!input->isTensor() || !input->isFusionInput())
      reader_.fail(inputAt, "%", inputAt.text, " is not an input tensor");
    const std::string problem = whyNoAlias(*case_.fusion, output, input);
    if (!problem.empty()) reader_.fail(inputAt, problem);
    for (const auto& [otherOutput, otherInput] : case_.aliases) {
      if (otherOutput == output->name()) reader_.fail(outputAt, "%", outputAt.text, " has an alias already");
      if (otherInput == input->name())
        reader_.fail(inputAt, "%", inputAt.text, " is already overwritten by another output");
    }
    if (isPreallocated(output)) {
      reader_.fail(outputAt, "%", outputAt.text, " is preallocated, and cannot reuse %", inputAt.text);
    }
    case_.aliases.emplace_back(output->name(), input->name());
    mark(start, concat("alias %", output->name()));
  }

  bool isPreallocated(const Val* output) const {
    return std::any_of(case_.preallocated.begin(), case_.preallocated.end(),
                       [&](const PreallocatedOutput& memory) { return memory.output == output->name(); });
  }

  // preallocate %output {allocation_order = [1, 0], gaps = [0, 3], offset = 2}
  void parsePreallocate() {
    const Token start = reader_.expect("preallocate");
    const Token at = reader_.peek();
    const Val* output = readValue("an output");
    const std::string problem = whyNoPreallocation(*case_.fusion, output);
    if (!problem.empty()) reader_.fail(at, problem);
    if (isPreallocated(output)) reader_.fail(at, "%", at.text, " is preallocated already");
    for (const auto& [overwriting, input] : case_.aliases) {
      if (overwriting == output->name()) {
        reader_.fail(at, "%", at.text, " reuses %", input, ", and cannot be preallocated");
      }
    }
    PreallocatedOutput memory;
    memory.output = output->name();
    if (reader_.at("{")) parseOutputMemory(output->as<TensorView>()->rank(), memory);
    mark(start, concat("preallocate %", memory.output));
    case_.preallocated.push_back(std::move(memory));
  }

  void parseOutputMemory(size_t rank, PreallocatedOutput& memory) {
    std::set<std::string_view> keys;
    reader_.list("{", "}", kMaxListEntries, [&] {
      const Token key = reader_.expect(TokenKind::Identifier, "allocation_order, gaps or offset");
      if (!keys.insert(key.text).second) reader_.fail(key, "'", key.text, "' is given twice");
      reader_.expect("=");
      const Token value = reader_.peek();
      if (key.text == "allocation_order") {
        memory.order = readIntegerList(reader_, kMaxRank);
        std::vector<int64_t> axes = memory.order;
        std::sort(axes.begin(), axes.end());
        bool each = axes.size() == rank;
        for (size_t axis = 0; axis < axes.size(); ++axis) each = each && axes[axis] == static_cast<int64_t>(axis);
        if (!each) reader_.fail(value, "an allocation order names each of ", rank, " axes once");
      } else if (key.text == "gaps") {
        memory.gaps = readIntegerList(reader_, kMaxRank);
        if (memory.gaps.size() != rank) reader_.fail(value, memory.gaps.size(), " gaps for ", rank, " axes");
        const bool fits = std::all_of(memory.gaps.begin(), memory.gaps.end(),
                                      [](int64_t gap) { return gap >= 0 && gap <= kMaxElements; });
        if (!fits) reader_.fail(value, "a gap is a number from 0 to ", kMaxElements);
      } else if (key.text == "offset") {
        memory.offset = readInteger(reader_);
        if (memory.offset < 0 || memory.offset > kMaxElements) {
          reader_.fail(value, "an offset is a number from 0 to ", kMaxElements);
        }
      } else {
        reader_.fail(key, "unknown attribute '", key.text, "'; known: allocation_order, gaps, offset");
      }
    });
  }

  // stream %t {dim = 0}
  void parseStream() {
    if (case_.schedule || !case_.segmentSchedules.empty()) failTogether(reader_.peek());
    const Token start = reader_.expect("stream");
    const Token at = reader_.peek();
    const Val* val = readValue("a tensor");
    if (!val->isTensor() || val->isFusionInput()) {
      reader_.fail(at, "%", at.text, " is not a tensor that the fusion computes");
    }
    const TensorView* tensor = val->as<TensorView>();
    if (tensor->streamAxis()) reader_.fail(at, "%", at.text, " has a stream axis already");
    reader_.expect("{");
    reader_.expect("dim");
    reader_.expect("=");
    const Token dimAt = reader_.peek();
    const int64_t written = readInteger(reader_), rank = static_cast<int64_t>(tensor->rank());
    const int64_t dim = written < 0 ? written + rank : written;
    reader_.expect("}");
    if (dim < 0 || dim >= rank) reader_.fail(dimAt, "%", at.text, " has ", rank, " axes");
    IterDomain* axis = tensor->axes()[static_cast<size_t>(dim)];
    if (!axis->isIteration()) reader_.fail(dimAt, "axis ", dim, " of %", at.text, " is a broadcast axis");
    if (axis->parallelType() == ParallelType::DIDx) reader_.fail(dimAt, "axis ", dim, " of %", at.text, " is sharded");
    axis->parallelize(ParallelType::Stream);
    mark(start, concat("stream %", tensor->name()));
  }

  void parseOption() {
    reader_.expect("option");
    if (reader_.at("enable") || reader_.at("disable")) {
      parseSwitch(reader_.next().text == "enable");
      return;
    }
    const Token name =
        reader_.expect(TokenKind::Identifier, "an option: NAME = \"value\", enable NAME or disable NAME");
    if (name.text == "fault") {
      readFault(name);
      return;
    }
    const OptionInfo* option = readOptionName(name);
    if (option->isSwitch()) reader_.fail(name, "'", name.text, "' is a switch: option enable|disable ", name.text);
    reader_.expect("=");
    if (option->number) {
      const Token number = reader_.peek();
      const int64_t value = readInteger(reader_);
      if (value < option->least || value > option->most) {
        reader_.fail(number, name.text, " is a number from ", option->least, " to ", option->most);
      }
      option->set(case_.options, static_cast<size_t>(value) + 1);
      return;
    }
    const Token value = reader_.expect(TokenKind::String, "a string");
    const auto found = std::find(option->values.begin(), option->values.end(), value.text);
    if (found == option->values.end()) {
      std::string known;
      for (std::string_view each : option->values) known += concat(known.empty() ? "\"" : ", \"", each, "\"");
      reader_.fail(value, "unknown ", name.text, " \"", value.text, "\"; known: ", known);
    }
    option->set(case_.options, static_cast<size_t>(found - option->values.begin()));
  }

  // Only the harness knows the faults; the parser checks that the name is made of lower-case words joined by '-'.
  void readFault(const Token& option) {
    if (!case_.options.fault.empty()) reader_.fail(option, "option 'fault' is given twice");
    reader_.expect("=");
    const Token name = reader_.expect(TokenKind::String, "a fault's name as a string");
    const bool plain = std::all_of(name.text.begin(), name.text.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (name.text.empty() || name.text.size() > 64 || !plain) {
      reader_.fail(name, "a fault's name is 1 to 64 lower-case letters, digits and '-'");
    }
    case_.options.fault = name.text;
  }

  void parseSwitch(bool enable) {
    const bool isPass = !enable && reader_.accept("pass");
    const Token name = reader_.expect(TokenKind::Identifier, isPass ? "a pass" : "an option");
    const bool isLikeOption = !didYouMean(name.text, optionNames()).empty();
    const bool isPassName = name.text.find('_') != name.text.npos || name.text.ends_with("Pass");
    if (isPass || (!enable && !findOption(name.text) && isPassName && !isLikeOption)) {
      const std::string pass = passNamed(name.text);
      if (!case_.options.disabledPasses.insert(pass).second) reader_.fail(name, "pass ", pass, " is disabled twice");
      mark(name, concat("option disable pass ", pass));
      return;
    }
    const OptionInfo* option = readOptionName(name);
    if (!option->isSwitch()) {
      reader_.fail(name, "'", name.text, "' takes a value: option ", name.text, " = ",
                   option->number ? "3" : "\"...\"");
    }
    option->set(case_.options, enable ? 1 : 0);
  }

  static std::vector<std::string_view> optionNames() {
    std::vector<std::string_view> names;
    for (const OptionInfo& option : optionTable()) names.push_back(option.name);
    return names;
  }

  // A pass in snake_case: mark_aliases_prepare is MarkAliasesPreparePass.
  static std::string passNamed(std::string_view text) {
    if (text.find('_') == text.npos) return std::string(text);
    std::string name;
    bool starts = true;
    for (char c : text) {
      if (c != '_') name += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      starts = c == '_';
    }
    return name.ends_with("Pass") ? name : name + "Pass";
  }

  const OptionInfo* readOptionName(const Token& name) {
    const OptionInfo* option = findOption(name.text);
    if (!option) {
      // The figures of a device are many: they are listed to who asks for one.
      const auto isFigure = [](std::string_view option) { return option.starts_with("device_"); };
      std::string known;
      for (const OptionInfo& each : optionTable()) {
        if (isFigure(each.name) == isFigure(name.text)) known += concat(each.name, ", ");
      }
      known += isFigure(name.text) ? "device" : "device_..., fault";
      reader_.fail(name, "unknown option '", name.text, "'; known: ", known);
    }
    if (!options_.insert(option).second) reader_.fail(name, "option '", name.text, "' is given twice");
    return option;
  }

  // schedule { … } | schedule segment K { … }
  void parseScheduleSection() {
    if (case_.fusion->hasStreams()) failTogether(reader_.peek());
    const Token start = reader_.expect("schedule");
    if (!reader_.accept("segment")) {
      if (case_.schedule) reader_.fail(start, "a second schedule for the whole fusion");
      FusionNames names(reader_, values_);
      case_.schedule = readBlock(names);
      mark(start, "schedule");
      markSteps(names, "");
      return;
    }
    const Token number = reader_.peek();
    const int64_t segment = readInteger(reader_);
    if (segment < 0) reader_.fail(number, "segments count from 0");
    if (case_.segmentSchedules.count(segment)) reader_.fail(number, "a second schedule for segment ", segment);
    SegmentNames names(reader_);
    case_.segmentSchedules[segment] = readBlock(names);
    mark(start, concat("schedule segment ", segment));
    markSteps(names, concat("schedule segment ", segment, ": "));
  }

  class StepNames : public TensorNames {
   public:
    void onStep(const Token& step) override { steps.push_back(step); }
    std::vector<Token> steps;
  };
  // Records the steps by the names that errors of schedules use.
  void markSteps(const StepNames& names, const std::string& schedule) {
    for (size_t i = 0; i < names.steps.size(); ++i) mark(names.steps[i], concat(schedule, "schedule step ", i + 1));
  }

  // Fails at the second of the two statements. It also holds for a schedule that splits or merges a stream axis.
  [[noreturn]] void failTogether(const Token& second) const {
    reader_.fail(second, "a case with stream axes cannot have a schedule: each expression is its own kernel");
  }

  Schedule readBlock(TensorNames& names) {
    reader_.expect("{");
    Schedule schedule = readSchedule(reader_, names);
    if (!reader_.at("}")) reader_.failExpected("a schedule step or '}'");
    reader_.next();
    return schedule;
  }

  // A schedule of the whole fusion may refer to the fusion's tensors and to those that the schedule creates.
  class FusionNames : public StepNames {
   public:
    FusionNames(const TokenReader& reader, const std::map<std::string, Val*, std::less<>>& values)
        : reader_(reader), values_(values) {}
    void onTensor(const Token& name) override {
      const auto found = values_.find(name.text);
      const bool known = found == values_.end() ? newTensors_.count(name.text) != 0 : found->second->isTensor();
      if (!known) reader_.fail(name, "unknown tensor %", name.text);
    }
    void onNew(const Token& name) override {
      const bool fresh = !values_.count(name.text) && newTensors_.emplace(name.text).second;
      if (!fresh) reader_.fail(name, "%", name.text, " is defined already");
    }

   private:
    const TokenReader& reader_;
    const std::map<std::string, Val*, std::less<>>& values_;
    std::set<std::string, std::less<>> newTensors_;
  };

  // The tensors of a segment are known only after the passes, so these names are not resolved here.
  class SegmentNames : public StepNames {
   public:
    explicit SegmentNames(const TokenReader& reader) : reader_(reader) {}
    void onTensor(const Token&) override {}
    void onNew(const Token& name) override {
      if (!newTensors_.emplace(name.text).second) reader_.fail(name, "%", name.text, " is defined already");
    }

   private:
    const TokenReader& reader_;
    std::set<std::string, std::less<>> newTensors_;
  };

  bool parseRunOrExpectation() {
    if (reader_.at("run")) {
      if (case_.runs.size() == kMaxRuns) reader_.fail(reader_.peek(), "more than ", kMaxRuns, " runs");
      case_.runs.push_back(readRun(reader_, *case_.fusion));
      return true;
    }
    if (!reader_.at("expect")) return false;
    const Token start = reader_.next();
    const Expectation expectation = readExpectation(reader_);
    if (judged_ == case_.runs.size()) reader_.fail(start, "no run since the previous 'expect'");
    for (; judged_ < case_.runs.size(); ++judged_) case_.runs[judged_].expectation = expectation;
    return true;
  }

  // Behind an op that inference refused, inside the fusion's braces. Without the fusion, nothing else of the text has a
  // meaning.
  bool everyRunMayBeRejected() {
    size_t runs = 0, open = 0;
    bool mayBe = true;
    for (int depth = 1; reader_.peek().kind != TokenKind::End;) {
      if (depth == 0 && reader_.accept("expect")) {
        mayBe &= open > 0 && readExpectation(reader_) != Expectation::Agrees;
        open = 0;
        continue;
      }
      const bool isRun = depth == 0 && reader_.at("run");
      runs += isRun;
      open += isRun;
      depth += reader_.at("{") - reader_.at("}");
      reader_.next();
    }
    return mayBe && runs > 0 && open == 0;
  }

  TokenReader reader_;
  const bool namesSeed_;  // maybe: the text has the word
  WrittenCalls* const calls_;
  Case case_;
  std::map<std::string, Val*, std::less<>> values_;
  std::set<const OptionInfo*> options_;                // those given
  std::vector<std::pair<size_t, std::string>> marks_;  // offsets in the text, of what places are kept
  size_t judged_ = 0;                                  // runs with an expectation
};

}  // namespace
}  // namespace text

Case parseCase(std::string_view text, const std::string& fileName) { return text::CaseParser(text, fileName).parse(); }

Case parseCase(std::string_view text, const std::string& fileName, WrittenCalls& calls) {
  return text::CaseParser(text, fileName, &calls).parse();
}

}  // namespace fuser

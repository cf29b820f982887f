// Texts of the stages, line by line, without what differs from case to case.

#include "fuzz/judge/decisions.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <sstream>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/evaluate/run_decisions.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/kernel/kernel.h"
#include "fuser/kernel/text.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/compiled_program.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/runtime/run_request.h"
#include "fuser/text/printer.h"

namespace fuser::fuzz {
namespace {

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string numberClass(std::string_view digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool isChosen =
      error == std::errc() && end == digits.data() + digits.size() && number >= 4 && std::has_single_bit(number);
  return isChosen ? concat("2^", std::bit_width(number) - 1) : "#";
}

// "T" of "T14", "s" of "s0_0"; a dtype stays.
std::string wordClass(std::string_view word) {
  if (dtypeFromName(word)) return std::string(word);
  return std::string(word.substr(0, word.find_first_of("0123456789")));
}

size_t countOf(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

void eachLine(const std::string& text, const std::function<void(std::string_view)>& take) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) take(std::string_view(line).substr(begin));
  }
}

// Of a predicate: how many conditions, and what they read.
std::string predicateClass(std::string_view line) {
  std::string text = concat("if of ", 1 + countOf(line, "&&"), countOf(line, "||") > 0 ? " with ||" : "", ", of");
  for (const char* word : {"threadIdx", "blockIdx", " i", " n", " %", "//", "min(", "["}) {
    if (line.find(word) != std::string_view::npos) text += concat(" ", word);
  }
  return text;
}

// Of a loop: whether its extent is a number, and how it runs.
std::string loopClass(std::string_view line) {
  const size_t extent = line.find("< ");
  const bool isNumber = extent != std::string_view::npos && std::isdigit(static_cast<unsigned char>(line[extent + 2]));
  const bool isUnrolled = line.find(" unroll") != std::string_view::npos;
  return concat("loop", isNumber ? " of a number" : "", isUnrolled ? ", unrolled" : "");
}

// A line of a kernel: of an assignment what is assigned, up to its operands; "" for what says nothing of its own.
std::string lineClass(std::string_view line) {
  if (line.starts_with("if ")) return predicateClass(line);
  if (line.starts_with("for ")) return loopClass(line);
  for (const char* word : {"tensor ", "int ", "stride ", "grid ", "alloc ", "}"}) {
    if (line.starts_with(word)) return "";
  }
  const size_t assigned = line.find("] = ");
  const std::string text = classOfText(assigned == std::string_view::npos ? line : line.substr(assigned + 4));
  return text.substr(0, text.find('('));
}

}  // namespace

std::string classOfText(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    size_t end = i + 1;
    if (c == '%') {
      while (end < text.size() && (isWordChar(text[end]) || text[end] == '.')) ++end;
      result += '%';
    } else if (c == '[') {
      for (int depth = 1; end < text.size() && depth > 0; ++end)
        depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
      result += "[…]";
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (end < text.size() && (isWordChar(text[end]) || text[end] == '.')) ++end;
      result += numberClass(text.substr(i, end - i));
    } else if (isWordChar(c)) {
      while (end < text.size() && isWordChar(text[end])) ++end;
      result += wordClass(text.substr(i, end - i));
    } else {
      result += c;
    }
    i = end;
  }
  return result;
}

void DecisionCollector::afterApplication(std::string_view pass, Fusion&, bool& modified) {
  if (modified) decisions_.insert(concat("pass ", pass));
}

void DecisionCollector::afterDecisions(const SegmentDecisions& decisions) {
  eachLine(decisions.explanation(), [&](std::string_view line) {
    const size_t values = line.find(" {");
    const size_t why = line.find(": ");
    if (line.starts_with("group ")) decisions_.insert("segment " + classOfText(line.substr(6, values - 6)));
    if (line.starts_with("with ") && why != std::string_view::npos)
      decisions_.insert("not one segment: " + classOfText(line.substr(why + 2)));
  });
}

void DecisionCollector::beforeSegmentCache(const Fusion&, CacheSettings& inner) {
  decisions_.insert("segment with a cache of its own");
  inner.context.observers.push_back(this);
}

void DecisionCollector::afterSchedule(int, Fusion&, Schedule& schedule) {
  eachLine(printSchedule(schedule), [&](std::string_view line) { decisions_.insert("schedule " + classOfText(line)); });
}

void DecisionCollector::afterLower(int, Kernel& kernel) {
  eachLine(printKernel(kernel), [&](std::string_view line) {
    if (const std::string text = lineClass(line); !text.empty()) decisions_.insert("kernel " + text);
  });
}

void DecisionCollector::afterHost(HostIrContainer& program) {
  eachLine(toString(program), [&](std::string_view line) {
    if (line[0] != '}') decisions_.insert("host " + std::string(line.substr(0, line.find_first_of(" ({"))));
  });
}

void DecisionCollector::afterCompile(CompiledProgram& program) { compiled_.insert(&program); }

void DecisionCollector::beforeConcretize(const Fusion&, RunDecisions& decisions) {
  if (!decisions.ones.empty()) decisions_.insert("concretized: an axis of one element");
  for (const auto& [result, holds] : decisions.branches) decisions_.insert(concat("concretized: a branch, ", holds));
}

void DecisionCollector::afterRun(const FinishedRun& run) {
  decisions_.insert(compiled_.erase(&run.program) > 0 ? "cache: compiled" : "cache: found");
}

void addDecisionsOf(const CaseVerdict& verdict, DecisionSet& decisions) {
  decisions.insert(concat("verdict ", verdictName(verdict.kind)));
  if (!verdict.rejection.empty()) decisions.insert(concat("rejected: ", verdict.rejection));
  if (verdict.probed) decisions.insert("probed");
  for (const auto& [decision, count] : verdict.decisions) decisions.insert(concat("segmenter: ", decision));
  for (const auto& [feature, segments] : verdict.features) decisions.insert(concat("feature ", feature));
  for (const auto& [op, counts] : verdict.ops) {
    if (counts.decided < counts.judged) decisions.insert(concat("undecided ", opName(op)));
  }
}

}  // namespace fuser::fuzz

// Sums of results, and their text in a ledger.

#include "fuzz/campaign/accounting.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "fuser/passes/passes.h"
#include "fuser/segment/named_counts.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/views/views.h"
#include "reports/fields_json.h"

template <>
struct nlohmann::adl_serializer<fuser::fuzz::NumberSet> {
  static void to_json(json& out, const fuser::fuzz::NumberSet& numbers) { out = numbers.toString(); }
  static void from_json(const json& in, fuser::fuzz::NumberSet& numbers) {
    numbers = fuser::fuzz::NumberSet::parse(in.get<std::string>());
  }
};

namespace fuser::fuzz {
namespace {

// How a file did, and what it says of that.
FileVerdict fileVerdictOf(const CaseVerdict& verdict) {
  const bool bad = isFinding(verdict.kind) || !verdict.expected;
  const std::string problem = verdict.reason.empty() ? "it expects another verdict" : verdict.reason;
  return {std::string(verdictName(verdict.kind)), bad ? problem : ""};
}

// Rows of names that a case has.
class RowsOfCase {
 public:
  explicit RowsOfCase(const CaseVerdict& verdict) : kind_(verdictName(verdict.kind)) {}

  void add(const std::set<std::string>& names, std::map<std::string, reports::Coverage>& rows) const {
    for (const std::string& name : names) addRow(rows[name]);
  }
  // Those that happened at all.
  void add(const std::map<std::string, int64_t>& counts, std::map<std::string, reports::Coverage>& rows) const {
    for (const auto& [name, count] : counts) {
      if (count > 0) addRow(rows[name]);
    }
  }

 private:
  void addRow(reports::Coverage& row) const {
    ++row.cases;
    ++row.verdicts[kind_];
  }
  std::string kind_;
};

reports::Elements elementsOf(const oracle::Counts& counts) {
  return {counts.judged, counts.decided, counts.within10, counts.within12, counts.within14};
}

// What a case or a file adds to the sums.
reports::Sums sumsOfCase(const TaskResult& result) {
  const CaseVerdict& verdict = result.verdict;
  reports::Sums sums;
  sums.cases = 1;
  sums.runs = result.runs;
  sums.verdicts[std::string(verdictName(verdict.kind))] = 1;
  if (verdict.kind == VerdictKind::Rejected) {
    sums.rejectedByReason[verdict.rejection.empty() ? withoutNumbers(verdict.reason) : verdict.rejection] = 1;
  }
  if (verdict.kind == VerdictKind::Unsupported || verdict.kind == VerdictKind::Undecided)
    sums.openByReason[concat(verdictName(verdict.kind), ": ", withoutValues(verdict.reason))] = 1;
  const bool decided = verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Differs;
  sums.judgedCases = decided || verdict.kind == VerdictKind::Undecided;
  sums.decidedCases = decided;
  sums.probedCases = verdict.probed;
  sums.secondLooks = verdict.secondLooks;
  sums.slowCases = result.slow > 0;
  sums.slowestSeconds = result.slow;
  sums.elements = elementsOf(verdict.elements);
  sums.outputs = elementsOf(verdict.outputs);
  const RowsOfCase rows(verdict);
  rows.add(result.ops, sums.ops);
  rows.add(result.dtypes, sums.dtypes);
  rows.add(result.ranks, sums.ranks);
  rows.add(result.traits, sums.traits);
  rows.add(verdict.schedulers, sums.schedulers);
  rows.add(verdict.passes, sums.passes);
  rows.add(verdict.decisions, sums.decisions);
  for (const auto& [feature, segments] : verdict.features)
    sums.features[feature] = {1, segments, {{segments.rbegin()->first, 1}}};
  sums.edges = result.edges;
  if (!result.noEdge.empty()) sums.noEdge[result.noEdge] = 1;
  for (const auto& [op, counts] : verdict.ops) {
    sums.ops[std::string(opName(op))].elements = elementsOf(counts);
  }
  for (const auto& [op, margins] : verdict.margins) sums.margins[std::string(opName(op))] = margins.tenths;
  for (const auto& [op, dtype, scheduler] : result.places) sums.opCoverage[op][dtype][scheduler] = 1;
  for (const auto& [op, dtype, rank] : result.combinations) sums.combinations[op][dtype][rank] = 1;
  for (const auto& [table, op, value] : result.cells) sums.cells[table][op][value] = 1;
  for (const auto& [view, kind] : result.views) sums.views[view].verdicts[kind] = 1;
  for (const auto& [view, segments] : result.viewSegments) {
    sums.views[view].segmentsOfCases = segments[0];
    sums.views[view].segmentsInView = segments[1];
  }
  sums.costs = result.costs;
  sums.exactMode = verdict.exactMode;
  for (const auto& [stage, seconds] : verdict.seconds) sums.stageSeconds[stage] += seconds;
  return sums;
}

reports::Sums sumsOfBatch(const BatchFigures& batch, double seconds) {
  reports::Sums sums;
  sums.compilers = {batch.cases,        batch.kernels,    seconds,       batch.clangSeconds,
                    batch.nvrtcSeconds, batch.ptxSeconds, batch.skipped, batch.withoutRoom};
  return sums;
}

int64_t casesOf(const decltype(reports::Sums::cells)& cells, const Cell& cell) {
  const auto table = cells.find(cell[0]);
  if (table == cells.end()) return 0;
  const auto op = table->second.find(cell[1]);
  if (op == table->second.end()) return 0;
  const auto found = op->second.find(cell[2]);
  return found == op->second.end() ? 0 : found->second;
}

// The number that a key gives to a file, in the place of its path.
uint64_t numberOf(const std::string& key, const FileTask& file) {
  uint64_t number = 0;
  const char* end = file.path.data() + file.path.size();
  const auto [stop, error] = std::from_chars(file.path.data(), end, number);
  FUSER_USER_CHECK(error == std::errc() && stop == end, "no task is called '", key, "'");
  return number;
}

// False where it is there already.
bool addNew(NumberSet& numbers, uint64_t number) {
  if (numbers.contains(number)) return false;
  numbers.add(number);
  return true;
}

}  // namespace

Accounting::Accounting() {
  reports::Sums& sums = figures_.sums;
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::Crash); ++kind) {
    sums.verdicts[std::string(verdictName(static_cast<VerdictKind>(kind)))] = 0;
  }
  for (const std::string& trait : allTraits()) sums.traits[trait] = {};
  for (const PassInfo& pass : allPasses()) sums.passes[std::string(pass.name)] = {};
  for (const auto& [decision, count] : namedCounts({})) sums.decisions[decision] = {};
  for (const std::string& feature : allKernelFeatures()) sums.features[feature] = {};
  for (const EdgeKindInfo& edge : allEdgeKinds()) sums.edges[std::string(edge.name)] = {};
  for (const std::string& reason : allWhyNone()) sums.noEdge[reason] = 0;
  for (const View& view : allViews()) {
    sums.views[std::string(view.name)] = {std::string(view.summary), view.oneIn, {}, 0, 0};
  }
}

bool Accounting::add(const std::string& key, const TaskResult& result, double seconds) {
  const auto addCase = [&](NumberSet& done, uint64_t number) {
    if (!addNew(done, number)) return false;
    reports::addTo(figures_.sums, sumsOfCase(result));
    figures_.fused.insert(result.fused.begin(), result.fused.end());
    return true;
  };
  const auto refuse = [&]() -> bool { throwUserError(concat("no task is called '", key, "' in an accounting")); };
  return std::visit(ByKind{[&](const CaseTask& task) { return addCase(figures_.cases, task.number); },
                           [&](const MutantTask& task) { return addCase(figures_.cases, task.number); },
                           [&](const FileTask& task) {
                             const uint64_t number = numberOf(key, task);
                             if (!addCase(figures_.files, number)) return false;
                             figures_.fileVerdicts[number] = fileVerdictOf(result.verdict);
                             return true;
                           },
                           [&](const BatchTask& task) {
                             if (!addNew(figures_.batches, task.first / kBatchStride)) return false;
                             reports::addTo(figures_.sums, sumsOfBatch(result.batch, seconds));
                             return true;
                           },
                           [&](const PlainTask&) { return refuse(); }, [&](const ViewTask&) { return refuse(); }},
                    parseTask<SingleTask>(key));
}

void Accounting::add(const Accounting& more) { reports::addTo(figures_, more.figures_); }

// Host scalars have no kernel to share.
bool Accounting::isHostScalar(const std::string& op) const {
  const auto dtypes = figures_.sums.opCoverage.find(op);
  if (dtypes == figures_.sums.opCoverage.end()) return false;
  const std::string onHost(schedulerTypeName(SchedulerType::ExprEval));
  return std::all_of(dtypes->second.begin(), dtypes->second.end(),
                     [&](const auto& row) { return row.second.size() == 1 && row.second.begin()->first == onHost; });
}

reports::CampaignSummary Accounting::summary() const {
  reports::CampaignSummary summary;
  static_cast<reports::Sums&>(summary) = figures_.sums;
  for (OpKind op : kAllOps) {
    const std::string name(opName(op));
    const auto row = figures_.sums.ops.find(name);
    if (row == figures_.sums.ops.end() || row->second.cases == 0) {
      summary.neverGenerated.push_back(name);
    } else if (!figures_.fused.count(name) && !isHostScalar(name)) {
      summary.neverFused.push_back(name);
    }
  }
  if (figures_.sums.exactMode.cases > 0) {
    for (OpKind op : exactOps()) {
      if (!wasExact(std::string(opName(op)))) summary.neverExact.emplace_back(opName(op));
    }
  }
  for (const Combination& combination : possibleCombinations()) {
    if (!wasDrawn(combination)) summary.neverDrawn.push_back(toString(combination));
  }
  listCells(summary);
  return summary;
}

// What was never drawn, and what seldom.
void Accounting::listCells(reports::CampaignSummary& summary) const {
  constexpr int64_t kSeldom = 3, kOf = 100000;
  const auto note = [&](const std::string& name, int64_t cases) {
    if (cases > 0 && cases * kOf < kSeldom * figures_.sums.cases)
      summary.seldomDrawn.push_back(concat(name, " (", cases, ")"));
  };
  for (const Cell& cell : possibleCells()) {
    const int64_t cases = casesOf(figures_.sums.cells, cell);
    if (cases == 0) summary.neverInCell.push_back(cellText(cell));
    if (!isOfViews(cell)) note(cellText(cell), cases);  // views themselves are seldom
  }
}

bool Accounting::wasExact(const std::string& op) const {
  const auto dtypes = figures_.sums.exactMode.ops.find(op);
  return dtypes != figures_.sums.exactMode.ops.end() &&
         std::any_of(dtypes->second.begin(), dtypes->second.end(),
                     [](const auto& row) { return row.second.exact > 0; });
}

bool Accounting::wasDrawn(const Combination& combination) const {
  const auto op = figures_.sums.combinations.find(combination[0]);
  if (op == figures_.sums.combinations.end()) return false;
  const auto dtype = op->second.find(combination[1]);
  return dtype != op->second.end() && dtype->second.count(combination[2]) != 0;
}

std::string Accounting::toJson() const { return reports::toJsonText(figures_); }

Accounting Accounting::fromJson(const std::string& text) {
  Accounting accounting;
  reports::addTo(accounting.figures_, reports::fromJsonText<AccountingFigures>(text));
  return accounting;
}

std::string withoutNumbers(const std::string& reason) {
  std::string text;
  for (size_t i = 0; i < reason.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(reason[i])) != 0;
    if (!digit) {
      text += reason[i];
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

std::string withoutValues(std::string_view reason) {
  constexpr size_t kLongest = 120;
  const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::string text;
  for (size_t i = 0; i < reason.size() && text.size() < kLongest;) {
    size_t end = i + (reason[i] == '%');
    while (end < reason.size() && inWord(reason[end])) ++end;
    end = std::max(end, i + 1);
    const std::string_view word = reason.substr(i, end - i);
    text += word.front() == '%' && word.size() > 1 ? "%" : isDigit(word.front()) ? "#" : word;
    i = end;
  }
  return text;
}

}  // namespace fuser::fuzz

// Findings as files.

#include "fuzz/campaign/artifacts.h"

#include <algorithm>

#include "fuzz/campaign/files.h"
#include "fuzz/campaign/program_of.h"
#include "fuzz/campaign/sha1.h"

namespace fuser::fuzz {
namespace {

// "flaky-…" for what fails now and then; else by the kind.
std::string prefixOf(const LedgerFinding& finding) {
  if (finding.label.rfind("flaky", 0) == 0) return "flaky";
  const VerdictKind kind = verdictFromName(finding.kind).value();
  // A file with another verdict than it expects.
  return isFinding(kind) ? std::string(artifactPrefix(kind)) : "mismatch";
}

}  // namespace

std::string shellQuoted(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string oneLine(const std::string& text) {
  std::string line;
  for (char c : text.substr(0, 400)) line += c >= ' ' && c < 127 ? c : ' ';
  return line;
}

std::string shellQuoted(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += " " + shellQuoted(argument);
  return line;
}

std::vector<std::string> shellWords(const std::string& text) {
  std::vector<std::string> words;
  bool inWord = false, quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' && !quoted) {
      inWord = false;
      continue;
    }
    if (!inWord) words.emplace_back();
    inWord = true;
    if (c == '\'') {
      quoted = !quoted;
    } else {
      const bool escaped = c == '\\' && !quoted && i + 1 < text.size();
      words.back() += escaped ? text[++i] : c;
    }
  }
  return words;
}

namespace {

// What differs from the usual.
std::string judgingFlags(const ReplayContext& context) {
  const Limits usual;
  // The time limits of a target are its own.
  std::string flags = context.target.empty() ? "" : " --target=" + context.target;
  if (context.target.empty() && context.limits.seconds != usual.seconds)
    flags += concat(" --timeout ", context.limits.seconds);
  if (context.limits.residentMb != usual.residentMb) flags += concat(" --rss-limit-mb ", context.limits.residentMb);
  return flags + (context.probes ? "" : " --no-probes");
}

// "generate --seed 1 --case 17 …" of a task that the generator makes; "" of others.
std::string generateArguments(const SingleTask& task, const ReplayContext& context) {
  const auto line = [&](uint64_t number, const std::string& more) {
    return concat("generate --seed ", context.seed, " --case ", number, more, shellQuoted(context.generatorFlags));
  };
  return std::visit(
      ByKind{[&](const CaseTask& one) { return line(one.number, ""); }, [&](const PlainTask&) { return std::string(); },
             [&](const ViewTask& one) { return line(one.number, " --view " + shellQuoted(one.view)); },
             [&](const MutantTask&) { return std::string(); }, [&](const FileTask&) { return std::string(); },
             // Several cases together are none.
             [&](const BatchTask& one) { return one.count == 1 ? line(one.first, " --engine cpu") : ""; }},
      task);
}

std::string pathIn(const std::filesystem::path& folder, const std::string& name) {
  return (folder / name).lexically_normal().string();
}

// The way to `path` from the folder `from`; both as seen from here, where neither needs to exist.
std::filesystem::path wayTo(const std::filesystem::path& path, const std::filesystem::path& from) {
  const auto whole = [](const std::filesystem::path& one) {
    const std::filesystem::path absolute = std::filesystem::current_path() / one;
    std::error_code error;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : canonical;
  };
  return whole(path).lexically_relative(whole(from));
}

// That holds the case; "" where none does.
std::string fileOf(const LedgerFinding& finding, const ReplayContext& context) {
  if (!finding.file.empty()) return pathIn(context.folder, finding.file);
  const FileTask* file = finding.task ? std::get_if<FileTask>(&*finding.task) : nullptr;
  return file ? pathIn(context.corpora, file->path) : "";
}

}  // namespace

ReplayContext contextOfReport(ReplayContext context, const std::filesystem::path& report,
                              const std::filesystem::path& corpora) {
  context.program = ReplayContext().program;
  if (context.folder.empty()) return context;
  context.folder = wayTo(context.folder, report);
  context.corpora = wayTo(corpora, report);
  return context;
}

std::string replayLine(const std::string& name, const ReplayContext& context) {
  const std::string program = context.program.empty() ? "fuserfuzz" : context.program;
  return concat(shellQuoted(program), " replay ", shellQuoted(pathIn(context.folder, name)), judgingFlags(context));
}

CommandLines commandLines(const LedgerFinding& finding, const ReplayContext& context) {
  const std::string start = shellQuoted(context.program.empty() ? "fuserfuzz" : context.program);
  const std::string flags = judgingFlags(context);
  const auto line = [&](const char* command, const std::string& file) {
    return concat(start, " ", command, " ", file, flags);
  };
  if (finding.label.rfind("fails only after its history", 0) == 0) {
    // The last case alone shows nothing, and has nothing to minimise.
    if (!finding.sequenceFile.empty())
      return {line("replay --sequence", shellQuoted(pathIn(context.folder, finding.sequenceFile))), ""};
  } else if (const std::string file = fileOf(finding, context); !file.empty()) {
    return {line("replay", shellQuoted(file)), line("minimize", shellQuoted(file))};
  } else if (const std::string caseArguments = finding.task ? generateArguments(*finding.task, context) : "";
             !caseArguments.empty()) {
    const std::string first = concat(start, " ", caseArguments, " > case.fusion && ");
    return {first + line("replay", "case.fusion"), first + line("minimize", "case.fusion")};
  }
  if (context.folder.empty()) return {"name a folder with --out: the case is written there", ""};
  return {
      "not kept: each symptom keeps ten files and one for each op that those lack, up to --max-artifact-mb; and "
      "no single case shows it alone",
      ""};
}

namespace {

// The engine that shows a batch's finding; "" of one that is interpreted. Of a batch that died it is the cpu engine
// (setEngineOfFinding).
std::string engineOf(const LedgerFinding& finding) {
  if (!finding.task || !std::holds_alternative<BatchTask>(*finding.task)) return "";
  return finding.engine.empty() ? "cpu" : finding.engine;
}

// What found a finding, on one line.
std::string stampLine(const Ledger::Stamp& stamp, const std::string& engine) {
  std::string line;
  for (const auto& [key, value] : stamp) {
    if (value.empty() || (key == "clang" && engine != "cpu")) continue;
    line += concat(line.empty() ? "" : "; ", key, " ", key == "engine" && !engine.empty() ? engine : value);
  }
  return line.empty() ? "" : concat("#: found_with = ", oneLine(line), "\n");
}

}  // namespace

Artifacts::Artifacts(std::filesystem::path folder, int64_t maxBytes, Ledger::Stamp stamp,
                     const std::vector<LedgerFinding>& findings)
    : folder_(std::move(folder)), stamp_(std::move(stamp)), maxBytes_(maxBytes) {
  std::error_code error;
  if (!folder_.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
      const std::string extension = entry.path().extension().string();
      const bool ours = extension == ".fusion" || extension == ".sequence" || extension == ".py";
      if (!entry.is_regular_file(error) || !ours) continue;
      File& file = files_[entry.path().filename().string()];
      file.bytes = static_cast<int64_t>(entry.file_size(error));
      used_ += file.bytes;
    }
  }
  for (const LedgerFinding& finding : findings) {
    for (const std::string& name : {finding.file, finding.sequenceFile, finding.programFile}) {
      if (!name.empty()) ++files_[name].owners;
    }
  }
}

bool Artifacts::hasRoom(const std::string& name, const std::string& text, int64_t freed) const {
  const auto found = files_.find(name);
  const int64_t before = found == files_.end() ? 0 : found->second.bytes;
  return used_ - before - freed + static_cast<int64_t>(text.size()) <= maxBytes_;
}

bool Artifacts::put(const std::string& name, const std::string& text, int64_t freed) {
  if (!hasRoom(name, text, freed)) {
    ++leftOut_;
    return false;
  }
  reports::writeFile(folder_ / name, text);
  const int64_t bytes = static_cast<int64_t>(text.size());
  used_ += bytes - std::exchange(files_[name].bytes, bytes);
  return true;
}

void Artifacts::remove(const std::string& name) {
  const auto found = files_.find(name);
  if (found == files_.end() || --found->second.owners > 0) return;
  std::error_code error;  // a file that somebody moved is no harm
  std::filesystem::remove(folder_ / name, error);
  used_ -= found->second.bytes;
  files_.erase(found);
}

int64_t Artifacts::soleBytes(const std::string& name, const std::string& next) const {
  const auto found = files_.find(name);
  return name == next || found == files_.end() || found->second.owners > 1 ? 0 : found->second.bytes;
}

void Artifacts::replace(std::string& name, const std::string& next) {
  if (name == next) return;
  if (!next.empty()) ++files_[next].owners;
  if (!name.empty()) remove(name);
  name = next;
}

void Artifacts::drop(LedgerFinding& finding) {
  for (std::string* name : {&finding.file, &finding.sequenceFile, &finding.programFile}) {
    if (!name->empty()) remove(*name);
    name->clear();
  }
  finding.bytes = 0;
}

std::string Artifacts::writeSlow(const std::string& text, const std::string& took) {
  if (folder_.empty()) return "";
  const std::string header = concat("#: took = ", oneLine(took), "\n", stampLine(stamp_, ""));
  const std::string name = concat("slow-unit-", sha1(text), ".fusion");
  return put(name, header + text, 0) ? name : "";
}

bool Artifacts::writeMinimized(const std::string& name, const std::string& text) {
  if (put(name, text, 0)) return true;
  files_[name].owners = 1;
  remove(name);  // what was the best before
  return false;
}

std::string Artifacts::writeProgram(const std::string& name, const std::string& text) {
  const std::string program = programOf(text), file = programName(name);
  if (program.empty() || !hasRoom(file, program, 0)) return "";
  put(file, program, 0);
  return file;
}

int64_t Artifacts::reserve(int64_t bytes) {
  const int64_t reserved = std::clamp<int64_t>(maxBytes_ - used_, 0, bytes);
  used_ += reserved;
  return reserved;
}

void Artifacts::release(int64_t reserved, const std::string& name) {
  used_ -= reserved;
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(folder_ / name, error);
  if (error) return;
  used_ += static_cast<int64_t>(size) - files_[name].bytes;
  files_[name].bytes = static_cast<int64_t>(size);
}

void Artifacts::write(LedgerFinding& finding, const std::string& text, const std::vector<std::string>& sequenceTexts) {
  if (text.empty()) return;
  finding.textSha1 = sha1(text);
  if (folder_.empty()) return;
  const std::string name = prefixOf(finding) + "-" + finding.textSha1;
  std::string header = concat("#: finding = ", oneLine(finding.kind + ": " + finding.reason), "\n");
  if (!finding.label.empty()) header += concat("#: reproduces = ", oneLine(finding.label), "\n");
  if (!finding.bucket.empty()) header += concat("#: bucket = ", oneLine(finding.bucket), "\n");
  header += stampLine(stamp_, engineOf(finding));
  const std::string file = name + ".fusion", sequenceFile = name + ".sequence";
  if (!put(file, header + text, soleBytes(finding.file, file))) return;
  replace(finding.file, file);
  finding.bytes = files_[file].bytes;
  const std::string sequence = sequenceOf(sequenceTexts);
  if (!sequence.empty() && put(sequenceFile, sequence, soleBytes(finding.sequenceFile, sequenceFile))) {
    replace(finding.sequenceFile, sequenceFile);
    finding.bytes += files_[sequenceFile].bytes;
  }
  replace(finding.programFile, writeProgram(file, header + text));
  if (!finding.programFile.empty()) finding.bytes += files_[finding.programFile].bytes;
}

}  // namespace fuser::fuzz

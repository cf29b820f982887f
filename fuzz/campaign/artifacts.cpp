// Findings as files.

#include "fuzz/campaign/artifacts.h"

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
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
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
  std::string flags;
  if (context.limits.seconds != usual.seconds) flags += concat(" --timeout ", context.limits.seconds);
  if (context.limits.residentMb != usual.residentMb) flags += concat(" --rss-limit-mb ", context.limits.residentMb);
  return flags + (context.probes ? "" : " --no-probes");
}

// "generate --seed 1 --case 17 …" of a task that the generator makes; "" of others.
std::string generateArguments(const std::string& task, const ReplayContext& context) {
  const std::string kind = kindOf(task);
  if (kind != "case" && kind != "view" && kind != "batch") return "";
  char* rest = nullptr;
  const uint64_t number = std::strtoull(task.c_str() + kind.size(), &rest, 10);
  std::string line = concat("generate --seed ", context.seed, " --case ", number);
  if (kind == "batch" && std::string_view(rest) != " 1") return "";  // several cases together
  if (kind == "batch") line += " --engine cpu";
  if (kind == "view" && *rest == ' ') line += concat(" --view ", shellQuoted(rest + 1));
  return line + shellQuoted(context.generatorFlags);
}

}  // namespace

CommandLines commandLines(const LedgerFinding& finding, const ReplayContext& context) {
  const std::string start = shellQuoted(context.program.empty() ? "fuserfuzz" : context.program);
  const std::string flags = judgingFlags(context);
  const auto line = [&](const char* command, const std::string& file) {
    return concat(start, " ", command, " ", file, flags);
  };
  if (finding.label.rfind("fails only after its history", 0) == 0) {
    // The last case alone shows nothing, and has nothing to minimise.
    if (!finding.sequenceFile.empty())
      return {line("replay --sequence", shellQuoted((context.folder / finding.sequenceFile).string())), ""};
  } else if (!finding.file.empty() || kindOf(finding.task) == "file") {
    const std::string file = finding.file.empty() ? finding.task.substr(std::min<size_t>(5, finding.task.size()))
                                                  : (context.folder / finding.file).string();
    return {line("replay", shellQuoted(file)), line("minimize", shellQuoted(file))};
  } else if (const std::string made = generateArguments(finding.task, context); !made.empty()) {
    const std::string first = concat(start, " ", made, " > case.fusion && ");
    return {first + line("replay", "case.fusion"), first + line("minimize", "case.fusion")};
  }
  if (context.folder.empty()) return {"name a folder with --out: the case is written there", ""};
  return {"not kept: a bucket keeps ten files, all of them --max-artifact-mb; and no single case shows it alone", ""};
}

Artifacts::Artifacts(std::filesystem::path folder, int64_t maxBytes, std::string stamp,
                     const std::vector<LedgerFinding>& findings)
    : folder_(std::move(folder)), stamp_(std::move(stamp)), maxBytes_(maxBytes) {
  for (const LedgerFinding& finding : findings) {
    used_ += finding.bytes;
    for (const std::string& name : {finding.file, finding.sequenceFile}) {
      if (!name.empty()) ++owners_[name];
    }
  }
}

bool Artifacts::put(const std::string& name, const std::string& text) {
  const int64_t bytes = static_cast<int64_t>(text.size());
  if (used_ + bytes > maxBytes_) {
    ++leftOut_;
    return false;
  }
  reports::writeFile(folder_ / name, text);
  used_ += bytes;
  ++owners_[name];
  return true;
}

void Artifacts::remove(const std::string& name) {
  if (name.empty() || --owners_[name] > 0) return;
  std::error_code error;  // a file that somebody moved is no harm
  std::filesystem::remove(folder_ / name, error);
}

void Artifacts::drop(LedgerFinding& finding) {
  remove(finding.file);
  remove(finding.sequenceFile);
  used_ -= finding.bytes;
  finding.bytes = 0;
  finding.file = finding.sequenceFile = "";
}

std::string Artifacts::writeSlow(const std::string& text, const std::string& took) {
  if (folder_.empty()) return "";
  std::string header = concat("#: took = ", oneLine(took), "\n");
  if (!stamp_.empty()) header += concat("#: found_with = ", oneLine(stamp_), "\n");
  const std::string name = concat("slow-unit-", sha1(text), ".fusion");
  return put(name, header + text) ? name : "";
}

void Artifacts::write(LedgerFinding& finding, const std::string& text, const std::vector<std::string>& sequenceTexts) {
  if (text.empty()) return;
  finding.textSha1 = sha1(text);
  if (folder_.empty()) return;
  drop(finding);
  const std::string name = prefixOf(finding) + "-" + finding.textSha1;
  std::string header = concat("#: finding = ", oneLine(finding.kind + ": " + finding.reason), "\n");
  if (!finding.label.empty()) header += concat("#: reproduces = ", oneLine(finding.label), "\n");
  if (!finding.bucket.empty()) header += concat("#: bucket = ", oneLine(finding.bucket), "\n");
  if (!stamp_.empty()) header += concat("#: found_with = ", oneLine(stamp_), "\n");
  const std::string whole = header + text;
  if (!put(name + ".fusion", whole)) return;
  finding.file = name + ".fusion";
  finding.bytes = static_cast<int64_t>(whole.size());
  if (sequenceTexts.empty()) return;
  std::string sequence;
  for (const std::string& one : sequenceTexts) sequence += concat(kSequenceMark, "\n", one);
  if (!put(name + ".sequence", sequence)) return;
  finding.sequenceFile = name + ".sequence";
  finding.bytes += static_cast<int64_t>(sequence.size());
}

}  // namespace fuser::fuzz

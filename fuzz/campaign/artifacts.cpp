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

CommandLines commandLines(const LedgerFinding& finding, const std::filesystem::path& folder, const std::string& program,
                          uint64_t seed, const std::string& generatorFlags) {
  const std::string start = shellQuoted(program.empty() ? "fuserfuzz" : program);
  CommandLines lines;
  if (!finding.file.empty()) {
    const std::string file = shellQuoted((folder / finding.file).string());
    lines.replay = concat(start, " replay ", file);
    lines.minimize = concat(start, " minimize ", file);
    if (!finding.sequenceFile.empty())
      lines.replay = concat(start, " replay --sequence ", shellQuoted((folder / finding.sequenceFile).string()));
    return lines;
  }
  const size_t space = finding.task.find(' ');
  const std::string kind = finding.task.substr(0, space);
  if ((kind == "case" || kind == "view") && space != std::string::npos) {
    char* end = nullptr;
    const uint64_t number = std::strtoull(finding.task.c_str() + space, &end, 10);
    const std::string view = kind == "view" && *end == ' ' ? concat(" --view ", shellQuoted(end + 1)) : "";
    lines.replay = concat(start, " generate --seed ", seed, " --case ", number, view, generatorFlags,
                          " > case.fusion && ", start, " replay case.fusion");
  } else if (kind == "file") {
    lines.replay = concat(start, " replay ", shellQuoted(finding.task.substr(space + 1)));
  } else {
    lines.replay = "name a folder with --out: the case is written there";
  }
  return lines;
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

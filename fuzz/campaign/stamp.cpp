// What the results of a campaign depend on, as text.

#include <link.h>

#include <cstring>
#include <fstream>

#include "fuser/execute/clang_compiler.h"
#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/generate/generate.h"
#include "oracle/reference/reference.h"

#ifndef FUSER_VERSION
#error "CMakeLists.txt gives FUSER_VERSION and FUSER_FLAGS"
#endif

namespace fuser::fuzz {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // "Clang 14.0.6"
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

// The linker's name for this very program: a campaign never goes on with another one. "" where it gave none.
std::string buildId() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE) continue;
          const char* place = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
          const char* end = place + header.p_memsz;
          while (place + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, place, sizeof note);
            const char* name = place + sizeof note;
            const char* description = name + ((note.n_namesz + 3) & ~3u);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
              for (size_t byte = 0; byte < std::min<size_t>(note.n_descsz, 6); ++byte) {
                char digits[3];
                std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(description[byte]));
                *static_cast<std::string*>(result) += digits;
              }
              return 1;
            }
            place = description + ((note.n_descsz + 3) & ~3u);
          }
        }
        return 1;  // the first object is the program
      },
      &id);
  return id;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  }
  return "unknown";
}

std::string onOrOff(bool on) { return on ? "on" : "off"; }

}  // namespace

std::string versionOfProgram() { return concat(FUSER_VERSION, " build ", buildId()); }

Ledger::Stamp stampOf(const CampaignOptions& options) {
  const std::string generatorFlags = shellQuoted(options.generatorFlags);
  const std::string target(options.task.judge.target ? options.task.judge.target->name() : "");
  std::string corpora;
  for (const std::filesystem::path& corpus : options.corpora) corpora += (corpora.empty() ? "" : " ") + corpus.string();
  return {{"version", versionOfProgram()},
          {"format", "1"},
          {"stream", std::to_string(kStreamVersion)},
          {"libtorch", reference::libtorchVersion()},
          {"engine", target.empty() ? "interp" : ""},
          {"target", target},
          {"clang", options.compilers ? ClangCompiler::find().version() : ""},
          {"compiler", kCompiler},
          {"flags", FUSER_FLAGS},
          {"device", "CPU: " + processor()},
          {"seed", std::to_string(options.seed)},
          {"generator flags", generatorFlags},
          {reports::kPlantedFault, options.task.generator.fault},
          {"probes", onOrOff(options.task.judge.probes)},
          {"second looks", std::string(howOftenName(options.task.judge.secondLooks))},
          {"invariants of files", options.task.allInvariantsOfFiles ? "all" : "sampled"},
          {"compiler batches", onOrOff(options.compilers)},
          {"feedback", options.feedback > 0 ? concat(options.feedback) : "off"},
          {"corpora", corpora},
          {kShardKey, options.shard.isWhole() ? "" : options.shard.text()}};
}

}  // namespace fuser::fuzz

// Loggers of spdlog, made of sinks and never registered, and the sinks that write lines as they are.

#include "fuser/log/log.h"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "fuser/support/check.h"
#include "fuser/support/diagnostic.h"

namespace fuser {
namespace {

struct LevelName {
  LogLevel level;
  std::string_view name;
  spdlog::level::level_enum theirs;
};

constexpr std::array<LevelName, 6> kLevels = {{
    {LogLevel::Trace, "trace", spdlog::level::trace},
    {LogLevel::Debug, "debug", spdlog::level::debug},
    {LogLevel::Info, "info", spdlog::level::info},
    {LogLevel::Warn, "warn", spdlog::level::warn},
    {LogLevel::Error, "error", spdlog::level::err},
    {LogLevel::Off, "off", spdlog::level::off},
}};

spdlog::level::level_enum theirs(LogLevel level) { return kLevels[static_cast<size_t>(level)].theirs; }

LogLevel ours(spdlog::level::level_enum level) {
  for (const LevelName& each : kLevels) {
    if (each.theirs == level) return each.level;
  }
  return LogLevel::Error;  // spdlog's critical
}

// Sinks get the bare text: a pattern of spdlog would add its own line end and time.
class Lines : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit Lines(LineSink write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_(ours(message.level), std::string_view(message.payload.data(), message.payload.size()));
  }
  void flush_() override {}

 private:
  LineSink write_;
};

// Lines go to the file by write(): what is there is there when the process is killed, and what is not is still here.
class AppendedFile {
 public:
  AppendedFile(const std::filesystem::path& path, std::function<void(const std::string&)> complain)
      : path_(path), complain_(std::move(complain)) {
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    FUSER_USER_CHECK(file_ >= 0, "cannot write to ", path.string(), ": ", strerror(errno));
  }
  ~AppendedFile() {
    flush();
    close(file_);
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  void line(std::string_view text) {
    waiting_ += withoutControls(text) + "\n";
    if (flush() || complained_) return;
    complained_ = true;
    const std::string why = strerror(errno);
    complain_(concat("cannot write to ", path_.string(), ": ", why, "; its lines wait until there is room"));
  }

 private:
  bool flush() {
    while (!waiting_.empty()) {
      const ssize_t count = write(file_, waiting_.data(), waiting_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      waiting_.erase(0, static_cast<size_t>(count));
    }
    return true;
  }

  std::filesystem::path path_;
  std::function<void(const std::string&)> complain_;
  int file_ = -1;
  std::string waiting_;  // lines that are not in the file yet
  bool complained_ = false;
};

LogPtr makeLog(std::vector<spdlog::sink_ptr> sinks, LogLevel level) {
  auto log = std::make_shared<spdlog::logger>("", sinks.begin(), sinks.end());
  log->set_level(theirs(level));
  return log;
}

}  // namespace

LogLevel logLevelFromName(std::string_view source, std::string_view name) {
  for (const LevelName& each : kLevels) {
    if (each.name == name) return each.level;
  }
  FUSER_USER_CHECK(false, source, "=", name,
                   ": no such level of the log; there are trace, debug, info, warn, error and off");
}

LogLevel chosenLogLevel(const std::optional<std::string>& option) {
  if (option) return logLevelFromName("--log-level", *option);
  const char* variable = std::getenv("FUSER_LOG");
  if (variable == nullptr || *variable == '\0') return LogLevel::Info;
  return logLevelFromName("FUSER_LOG", variable);
}

LogPtr logTo(LogLevel level, LineSink sink) {
  const auto lines = std::make_shared<Lines>(std::move(sink));
  lines->set_level(theirs(level));
  return makeLog({lines}, level);
}

LogPtr logToStderr(LogLevel level) {
  return logTo(level, [](LogLevel, std::string_view text) {
    const std::string line = withoutControls(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
  });
}

LogPtr logToFile(LogLevel level, const std::filesystem::path& path,
                 std::function<void(const std::string&)> complain) {
  const auto file = std::make_shared<AppendedFile>(path, std::move(complain));
  return logTo(level, [file](LogLevel, std::string_view text) { file->line(text); });
}

LogPtr logToBoth(const LogPtr& first, const LogPtr& second) {
  if (!first || !second) return first ? first : second;
  std::vector<spdlog::sink_ptr> sinks = first->sinks();
  sinks.insert(sinks.end(), second->sinks().begin(), second->sinks().end());
  return makeLog(std::move(sinks), std::min(logLevelOf(first.get()), logLevelOf(second.get())));
}

LogLevel logLevelOf(const spdlog::logger* log) { return log ? ours(log->level()) : LogLevel::Off; }

bool isLogged(const spdlog::logger* log, LogLevel level) { return log && log->should_log(theirs(level)); }

void logLine(spdlog::logger* log, LogLevel level, std::string_view line) {
  if (log) log->log(theirs(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace fuser

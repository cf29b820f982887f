#pragma once
// The log: lines for people that are not a command's result. A logger is handed down (CompileContext, JudgeSettings,
// CampaignOptions, WorkerPool) as a pointer; nobody asks a registry for one, and null is a silent one. Callers see
// spdlog's class by name alone, so that its headers are compiled once, in log.cpp.
//
//   if (isLogged(context.log, LogLevel::Debug)) logLine(context.log, LogLevel::Debug, concat("…", costly()));
//
// Lines are written as they are, without time or level, one line end behind each.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace fuser {

using LogPtr = std::shared_ptr<spdlog::logger>;

// A logger of one level writes the lines of that level and of those after it; of Off none.
enum class LogLevel : uint8_t { Trace, Debug, Info, Warn, Error, Off };

// "trace" … "off". A UserError names `source` ("--log-level") and the names that there are.
LogLevel logLevelFromName(std::string_view source, std::string_view name);

// What `--log-level` says, else the environment variable FUSER_LOG where it is set and not empty, else Info. A
// UserError for a name that is none.
LogLevel chosenLogLevel(const std::optional<std::string>& option);

// The help of --log-level, equal in all programs.
inline constexpr const char* kLogLevelHelp =
    "lines of the log on standard error: trace, debug, info, warn, error or off; FUSER_LOG sets it, too";

// Gets each line with its level, one at a time, from whichever thread logs. It may throw nothing.
using LineSink = std::function<void(LogLevel level, std::string_view line)>;
LogPtr logTo(LogLevel level, LineSink sink);

// Without control bytes of names in files (fuser/support/diagnostic.h), each line at once.
LogPtr logToStderr(LogLevel level);

// Appends, each line at once. A UserError where the file cannot be opened. What a full disk does not take is kept and
// written once there is room; `complain` gets one sentence the first time.
LogPtr logToFile(LogLevel level, const std::filesystem::path& path, std::function<void(const std::string&)> complain);

// Writes to both, to each from its own level on. Either may be null; null where both are.
LogPtr logToBoth(const LogPtr& first, const LogPtr& second);

LogLevel logLevelOf(const spdlog::logger* log);  // Off of null
// Whether a line of that level would be written: ask before making a costly one.
bool isLogged(const spdlog::logger* log, LogLevel level);
// Of null: nothing.
void logLine(spdlog::logger* log, LogLevel level, std::string_view line);

}  // namespace fuser

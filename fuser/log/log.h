#pragma once
// The log: messages for people, as opposed to a command's result. A logger is passed as a pointer (CompileContext,
// JudgeSettings, CampaignOptions, WorkerPool), never taken from a registry; null is silent. Callers see only a forward
// declaration of spdlog's class, so that its headers are compiled once, in log.cpp.
//
//   if (isLogged(context.log, LogLevel::Debug)) logLine(context.log, LogLevel::Debug, concat("…", costly()));
//
// Lines are written without time or level, each followed by a newline.

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

// A logger writes the lines of its level and of the levels after it; Off: none.
enum class LogLevel : uint8_t { Trace, Debug, Info, Warn, Error, Off };

// Parses "trace" … "off". A UserError for another name; it contains `source` ("--log-level") and the known names.
LogLevel logLevelFromName(std::string_view source, std::string_view name);

// The level of --log-level, else of the environment variable FUSER_LOG if it is set and not empty, else Info. A
// UserError for an unknown name.
LogLevel chosenLogLevel(const std::optional<std::string>& option);

// The help of --log-level, the same in all programs.
inline constexpr const char* kLogLevelHelp =
    "lines of the log on standard error: trace, debug, info, warn, error or off; FUSER_LOG sets it, too";

// Receives each line with its level, one at a time, on the thread that logs. It must not throw.
using LineSink = std::function<void(LogLevel level, std::string_view line)>;
LogPtr logTo(LogLevel level, LineSink sink);

// Writes each line at once, with control bytes escaped (fuser/support/diagnostic.h).
LogPtr logToStderr(LogLevel level);

// Appends each line at once, with control bytes escaped. A UserError if the file cannot be opened. Lines that do not
// fit on a full disk are kept and written once there is space; `complain` gets one sentence the first time.
LogPtr logToFile(LogLevel level, const std::filesystem::path& path, std::function<void(const std::string&)> complain);

// Writes to both loggers, to each from its own level on. Either may be null; null if both are.
LogPtr logToBoth(const LogPtr& first, const LogPtr& second);

LogLevel logLevelOf(const spdlog::logger* log);  // Off if null
// Whether a line of that level would be written: ask before building a costly one.
bool isLogged(const spdlog::logger* log, LogLevel level);
// Does nothing if `log` is null.
void logLine(spdlog::logger* log, LogLevel level, std::string_view line);

}  // namespace fuser

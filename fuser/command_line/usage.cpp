#include "fuser/command_line/usage.h"

#include <cstdio>
#include <iostream>
#include <vector>

#include "fuser/command_line/manual.h"
#include "fuser/support/check.h"
#include "fuser/support/similar_name.h"

namespace fuser {
namespace {

// The command that was typed; the app itself where there is none.
const CLI::App* commandOf(const CLI::App& app) {
  const std::vector<CLI::App*> typed = app.get_subcommands();
  return typed.empty() ? &app : typed.front();
}

std::string nameOf(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? app.get_name() : app.get_name() + " " + command.get_name();
}

std::string unknownOption(const CLI::App& app, const CLI::App& command, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& longName : option->get_lnames()) names.push_back("--" + longName);
  }
  return concat(name, ": no such option of ", nameOf(app, command),
                didYouMean(name, std::vector<std::string_view>(names.begin(), names.end())));
}

bool hasCommands(const CLI::App& app) { return !commandsOf(app).empty(); }

std::string commandNames(const CLI::App& app) {
  std::string list;
  for (const CLI::App* command : commandsOf(app)) list += (list.empty() ? "" : ", ") + command->get_name();
  return list;
}

std::string unknownCommand(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::App* command : commandsOf(app)) names.push_back(command->get_name());
  return concat(typed, ": no such command",
                didYouMean(typed, std::vector<std::string_view>(names.begin(), names.end())), "; there are ",
                commandNames(app));
}

}  // namespace

std::string usageProblem(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = commandOf(app);
  const std::vector<std::string> unread = app.remaining(true);
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error);
  if (unknown && unread.empty() && command == &app && hasCommands(app))
    return "which command? There are " + commandNames(app);
  if (!unknown || unread.empty()) return error.what();
  const std::string& word = unread.front();
  if (word.size() > 1 && word[0] == '-') return unknownOption(app, *command, word);
  if (command == &app && hasCommands(app)) return unknownCommand(app, word);
  return concat(word, ": ", nameOf(app, *command), " takes no such argument");
}

int exitOfUsage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::cerr << app.get_name() << ": " << usageProblem(app, error) << "\n"
            << "For help, type: " << nameOf(app, *commandOf(app)) << " --help\n";
  return 1;
}

void addVersion(CLI::App& app, const std::string& version) {
  app.set_version_flag("--version,-V", app.get_name() + " " + version, "print the version");
}

void addConfigFile(CLI::App& app) {
  app.set_config("--config", "",
                 "options from a file, one per line: runs = 20k; those of a command after a line with its name: [run]")
      ->type_name("FILE");
  // `run --config FILE` as well as `--config FILE run`.
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
  // A misspelt name is an error, as it is on the command line.
  app.allow_config_extras(CLI::config_extras_mode::error);
}

void addManual(CLI::App& app) {
  const auto printManual = [&app] {
    std::cout << manualPage(app);
    throw CLI::Success();
  };
  app.add_flag_callback("--man", printManual, concat("print the manual page: ", app.get_name(), " --man | man -l -"));
  const auto printCompletion = [&app](const std::string& shell) {
    std::cout << completion(app, shellNamed(shell));
    throw CLI::Success();
  };
  app.add_option_function<std::string>("--completion", printCompletion,
                                       "print what makes a shell complete commands and options: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("SHELL");
}

}  // namespace fuser

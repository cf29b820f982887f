#include "fuser/command_line/manual.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "fuser/support/check.h"

namespace fuser {
namespace {

// As roff shows them: a backslash as itself, minus signs that can be copied, and no line that begins as a request.
std::string escaped(const std::string& text) {
  std::string out;
  bool lineBegins = true;
  for (char c : text) {
    if (lineBegins && (c == '.' || c == '\'')) out += "\\&";
    lineBegins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// "--jobs,-j N", or the name of a positional.
std::string shownName(const CLI::Option& option) {
  const std::string type = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  return option.get_name(false, true) + (type.empty() ? "" : " " + type);
}

void printOptions(std::ostream& out, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    out << ".TP\n.B " << escaped(shownName(*option)) << "\n" << escaped(option->get_description());
    if (!option->get_default_str().empty()) out << " (" << escaped(option->get_default_str()) << ")";
    out << "\n";
  }
}

void printFooter(std::ostream& out, const CLI::App& app) {
  if (!app.get_footer().empty()) out << ".PP\n.nf\n" << escaped(app.get_footer()) << "\n.fi\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::vector<std::string> longNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

std::string optionWords(const CLI::App& app) {
  std::string words;
  for (const std::string& name : longNames(app)) words += (words.empty() ? "--" : " --") + name;
  return words;
}

std::string quotedForShell(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Bash's function works in zsh, too, which has an emulation.
std::string bashCompletion(const CLI::App& app) {
  std::string function = "_" + app.get_name();
  std::replace(function.begin(), function.end(), '-', '_');
  std::ostringstream out;
  out << function << "() {\n  local word=${COMP_WORDS[COMP_CWORD]} words=\n  case ${COMP_WORDS[1]} in\n";
  std::string commands;
  for (const CLI::App* command : commandsOf(app)) {
    commands += command->get_name() + " ";
    out << "    " << command->get_name() << ") words=" << quotedForShell(optionWords(*command)) << " ;;\n";
  }
  out << "    *) words=" << quotedForShell(commands + optionWords(app)) << " ;;\n  esac\n"
      << "  if [ \"$COMP_CWORD\" = 1 ]; then words=" << quotedForShell(commands + optionWords(app)) << "; fi\n"
      << "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n}\n"
      << "complete -o filenames -F " << function << " " << app.get_name() << "\n";
  return out.str();
}

std::string fishCompletion(const CLI::App& app) {
  std::ostringstream out;
  const auto options = [&](const CLI::App& of, const std::string& condition) {
    for (const CLI::Option* option : of.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        out << "complete -c " << app.get_name() << condition << " -l " << name
            << (option->get_items_expected_max() == 0 ? "" : " -r") << " -d "
            << quotedForShell(option->get_description()) << "\n";
      }
    }
  };
  options(app, commandsOf(app).empty() ? "" : " -n __fish_use_subcommand");
  for (const CLI::App* command : commandsOf(app)) {
    out << "complete -c " << app.get_name() << " -n __fish_use_subcommand -f -a " << command->get_name() << " -d "
        << quotedForShell(command->get_description()) << "\n";
    options(*command, " -n '__fish_seen_subcommand_from " + command->get_name() + "'");
  }
  return out.str();
}

}  // namespace

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string manualPage(const CLI::App& app) {
  std::ostringstream out;
  out << ".TH " << upper(app.get_name()) << " 1\n.SH NAME\n"
      << escaped(app.get_name()) << " \\- " << escaped(app.get_description()) << "\n.SH SYNOPSIS\n.B "
      << escaped(app.get_name()) << (commandsOf(app).empty() ? " [OPTIONS] FILE\n" : " COMMAND [OPTIONS]\n")
      << ".SH OPTIONS\n";
  printOptions(out, app);
  for (const CLI::App* command : commandsOf(app)) {
    out << ".SH " << upper(app.get_name() + " " + command->get_name()) << "\n"
        << escaped(command->get_description()) << "\n";
    printOptions(out, *command);
    if (command->get_footer() != app.get_footer()) printFooter(out, *command);
  }
  if (!app.get_footer().empty()) out << ".SH NOTES\n";
  printFooter(out, app);
  return out.str();
}

Shell shellNamed(const std::string& name) {
  if (name == "bash") return Shell::Bash;
  if (name == "zsh") return Shell::Zsh;
  FUSER_USER_CHECK(name == "fish", "--completion ", name, ": there are bash, zsh and fish");
  return Shell::Fish;
}

std::string completion(const CLI::App& app, Shell shell) {
  switch (shell) {
    case Shell::Bash: return bashCompletion(app);
    case Shell::Zsh: return "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(app);
    case Shell::Fish: return fishCompletion(app);
  }
  return "";
}

}  // namespace fuser

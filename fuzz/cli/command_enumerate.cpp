// fuserfuzz enumerate: a campaign over all cases of a small world.

#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuser/text/printer.h"
#include "fuzz/cli/campaign_command.h"
#include "fuzz/cli/command.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {
namespace {

struct EnumerateArguments {
  CampaignArguments campaign;
  std::vector<std::string> ops, dtypes, ranks;
  uint64_t depth = 3;
  bool countOnly = false;
  int64_t printed = -1;  // the case to print
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

// As worldOptions() reads it.
std::string specOf(const EnumerateArguments& arguments) {
  const bool isThree =
      arguments.depth == 3 && arguments.ops.empty() && arguments.dtypes.empty() && arguments.ranks.empty();
  if (isThree) return "three";
  std::string spec = concat("depth=", arguments.depth);
  if (!arguments.ops.empty()) spec += " ops=" + joined(arguments.ops);
  if (!arguments.dtypes.empty()) spec += " dtypes=" + joined(arguments.dtypes);
  if (!arguments.ranks.empty()) spec += " ranks=" + joined(arguments.ranks);
  return spec;
}

void printCount(const World& world) {
  for (const Letter& letter : world.options().letters) printLine("letter " + letter.text);
  for (const std::string& line : world.countLines()) printLine(line);
  printLine(concat("cases ", world.count()));
}

int enumerate(CLI::App& command, EnumerateArguments& arguments, const LogPtr& log) {
  CampaignArguments& campaign = arguments.campaign;
  const auto resolve = [&] {
    campaign.generator.world = specOf(arguments);
    campaign.generator.resolve();
    // A resumed campaign keeps its own goal.
    if (campaign.campaign.runs == 0 && !campaign.campaign.resume)
      campaign.campaign.runs = campaign.generator.options.world->count();
  };
  if (arguments.countOnly || arguments.printed >= 0) {
    resolve();
    const World& world = *campaign.generator.options.world;
    if (arguments.countOnly) printCount(world);
    if (arguments.printed >= 0) printText(printCase(world.at(static_cast<uint64_t>(arguments.printed))));
    return kExitClean;
  }
  return runCampaignCommand(command, campaign, log, resolve);
}

CLI::Option* addList(CLI::App* command, const char* name, std::vector<std::string>& words, const char* summary,
                     const char* type) {
  return command->add_option(name, words, summary)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name(type)
      ->group("Which world");
}

}  // namespace

Command addEnumerateCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("enumerate", "judge all cases of a small world: every fusion of up to three ops");
  const auto arguments = std::make_shared<EnumerateArguments>();
  CampaignArguments& campaign = arguments->campaign;
  campaign.name = "enumerate";
  campaign.generator.seed = 1;
  campaign.campaign.task.views = false;
  campaign.campaign.task.judge.secondLooks = HowOften::Never;  // of few elements the sets are narrow
  addList(command, "--ops", arguments->ops, "letters of these ops alone: mnemonics, separated by commas", "OP,OP");
  takesCount(command->add_option("--depth", arguments->depth, "the most ops of a fusion: 1, 2 or 3"), 1, 3)
      ->type_name("N")
      ->group("Which world")
      ->capture_default_str();
  addList(command, "--dtypes", arguments->dtypes, "dtypes of the inputs (default: f32,bf16,i32,bool)", "DTYPE,DTYPE");
  addList(command, "--ranks", arguments->ranks, "ranks of the inputs (default: 0,1,2,3)", "N,N");
  takesCount(command->add_option("--seed", campaign.generator.seed, "seed of the data"), 1, 1u << 30)
      ->type_name("N")
      ->group("Which world")
      ->capture_default_str();
  campaign.generator.addFaultTo(command);
  command->add_flag("--count", arguments->countOnly, "print the letters and how many cases there are; judge none");
  takesCount(command->add_option("--case", arguments->printed, "print the case of this number; judge none"), 0)
      ->type_name("N");
  campaign.addTo(command);
  command->footer(R"(
A world is an alphabet of ops with their attributes, and every fusion of one to --depth of them, up to renaming, on one
or two inputs of a dtype and a rank, in two layouts, with a segment_set or none behind each value that another op uses.
Each case has a run with each of the sizes 0, 1, 2, 3 and 33 on each axis. What is in it is known in advance: --count
says how many cases there are; counting three ops takes five seconds at each start. They have numbers, in an order in which any part is a sample of the world.

It is a campaign as `run` has one: findings, reports, --resume, --shard and `merge` are the same (run --help). Views are
not judged, and second looks only where they are asked for.

Examples
  fuserfuzz enumerate --depth 2 --count                     the alphabet, and the number of cases
  fuserfuzz enumerate --depth 1 --jobs 2 --out out          all fusions of one op
  fuserfuzz enumerate --ops sum,relu,pad --dtypes f32 --ranks 2 --jobs 2 --out out    three ops, to the last case
  fuserfuzz enumerate --runs 5000 --jobs 2 --out out        a sample of the world of three ops
  fuserfuzz enumerate --shard 1/100 --jobs 2 --out out      a hundredth of it
  fuserfuzz enumerate --ops add --case 3                    the text of a case
)");
  return {command, [command, arguments](const LogPtr& log) { return enumerate(*command, *arguments, log); }};
}

}  // namespace fuser::fuzz

#include "tests/ci/scratch_repository.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ci {
namespace {

namespace fs = std::filesystem;

// `text` becomes a program.
void writeProgram(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

}  // namespace

ScratchRepository::ScratchRepository() {
  std::string name = (fs::temp_directory_path() / "ci-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no folder " + name);
  root_ = name;
  for (const char* part : {".ci", "fuser", "oracle", "fuzz", "tests/setup.sh", "tests/run"}) {
    fs::create_directories((root_ / part).parent_path());
    fs::copy(part, root_ / part, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  fs::create_directories(root_ / "corpus/seeds");
  std::ofstream(root_ / "corpus/seeds/scan.fusion") << "fusion f(%x: f32[i0]) {\n  %y = cumsum(%x) {dim = 0}\n}\n";
  std::ofstream(root_ / "corpus/seeds/sum.fusion") << "fusion f(%x: f32[i0]) {\n  %y = sum(%x)\n}\n";
  std::ofstream(root_ / ".gitignore") << "built/\nout/\narguments\n";
  // It says of each file that one pass changed it.
  writeProgram(root_ / "built/bin/fuser-opt",
               "#!/bin/sh\ncat \"$1\"\ncase $1 in *sum.fusion) echo 'DeadCodePass: changed the fusion' >&2 ;; esac\n");
  const Ended made = run("git init --quiet && git add --all && git commit --quiet -m base && git tag base");
  if (made.code != 0) throw std::runtime_error(made.output);
}

const ScratchRepository& ScratchRepository::restored() {
  static const ScratchRepository made;
  const Ended ended = made.run("git reset --quiet --hard base && rm -rf out arguments");
  if (ended.code != 0) throw std::runtime_error(ended.output);
  made.letFuserfuzzEndWith(0);
  return made;
}

ScratchRepository::~ScratchRepository() { fs::remove_all(root_); }

Ended ScratchRepository::run(const std::string& command) const {
  const fs::path script = root_ / "built/command", log = root_ / "built/log";
  std::ofstream(script)
      << "cd '" << root_.string() << "'\nunset FUSER_FUZZ_SECONDS FUSER_FUZZ_SEED\n"
      << "export FUSER_BUILT='" << (root_ / "built").string() << "'\n"
      << "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
      << command << "\n";
  const int status =
      std::system(("bash -e '" + script.string() + "' > '" + log.string() + "' 2>&1 < /dev/null").c_str());
  std::ifstream in(log, std::ios::binary);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, {std::istreambuf_iterator<char>(in), {}}};
}

Ended ScratchRepository::change(const std::string& commands) const {
  return run(commands + "\ngit add --all\ngit commit --quiet --allow-empty -m change");
}

void ScratchRepository::letFuserfuzzEndWith(int code) const {
  writeProgram(root_ / "built/bin/fuserfuzz", "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + (root_ / "arguments").string() +
                                                  "'\nexit " + std::to_string(code) + "\n");
}

}  // namespace ci

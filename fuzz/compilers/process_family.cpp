#include "fuzz/compilers/process_family.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace fuser::fuzz {
namespace {

// 0: it has none, or there is no such process.
pid_t parentOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t name = line.rfind(')');  // which may have any letters
  if (name == std::string::npos) return 0;
  std::istringstream fields(line.substr(name + 1));
  char state = 0;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

}  // namespace

void adoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> familyOf(pid_t leader) {
  std::vector<std::pair<pid_t, pid_t>> others;  // with the parent
  std::vector<pid_t> family = {leader};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == leader) continue;
    if (getpgid(pid) == leader) {
      family.push_back(pid);
    } else {
      others.emplace_back(pid, parentOf(pid));
    }
  }
  for (size_t i = 0; i < family.size(); ++i) {
    for (const auto& [pid, parent] : others) {
      if (parent == family[i] && std::find(family.begin(), family.end(), pid) == family.end()) family.push_back(pid);
    }
  }
  return family;
}

size_t residentMb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

size_t residentMbOfFamily(pid_t leader) {
  size_t sum = 0;
  for (const pid_t pid : familyOf(leader)) sum += residentMb(pid);
  return sum;
}

void killFamily(pid_t leader) {
  kill(leader, SIGSTOP);  // it starts no more, and keeps orphans below it
  std::set<pid_t> killed = {leader};
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const pid_t pid : familyOf(leader)) {
      if (!killed.insert(pid).second) continue;
      isNew = true;
      kill(pid, SIGKILL);
    }
  }
  kill(-leader, SIGKILL);
  kill(leader, SIGKILL);  // before it leads its group
}

}  // namespace fuser::fuzz

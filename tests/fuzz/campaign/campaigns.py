"""What checks that disturb campaigns share: files that are findings, campaigns in processes of their own, figures."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

WRONG = 7  # files that are findings


def write_wrong_files(folder):
    """Findings, so that there are some to lose or to count twice: each agrees, and expects to be rejected."""
    os.mkdir(folder)
    for number in range(WRONG):
        with open(os.path.join(folder, f"wrong{number}.fusion"), "w") as file:
            file.write(f"fusion f(%x: f32[i0]) {{\n  %y = neg(%x)\n  return %y\n}}\n"
                       f"run {{ %x = normal(seed = {number + 1}) : f32[4] }}\nexpect rejected\n")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def figures(folder):
    with open(os.path.join(folder, "report.json")) as file:
        report = json.load(file)
    # What depends on time, or on the folder's name.
    for key in ("started", "seconds", "cases_per_second", "stage_seconds", "jobs", "progress", "interrupted",
                "exit_code"):
        report.pop(key, None)
    report["compilers"] = {key: value for key, value in report["compilers"].items() if not key.endswith("seconds")}
    for finding in report["findings"]:
        for key in ("replay", "minimize", "found_seconds"):
            finding.pop(key, None)
    return report


def differing(whole, other):
    """The names of the figures that differ."""
    return sorted(key for key in whole.keys() | other.keys() if whole.get(key) != other.get(key))


started = []  # processes, some of which have ended


def end_all():
    """Ends what a check has left behind; workers die with their supervisor."""
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
    started.clear()


class Campaigns:
    """Campaigns with the same cases and settings, each in a folder of its own below one folder."""

    def __init__(self, program, folder, cases, seed, options=(), corpus=None):
        self.program, self.folder, self.cases, self.seed = program, folder, cases, seed
        self.options, self.corpus = list(options), corpus or os.path.join(folder, "corpus")
        if not os.path.exists(self.corpus):
            os.makedirs(folder, exist_ok=True)
            write_wrong_files(self.corpus)
        self.whole = None

    def out(self, name):
        return os.path.join(self.folder, name)

    def stream(self, name, ending):
        """Where the output of the campaign's last process is."""
        return self.out(name) + ending

    def begun(self, name):
        """Whether the ledger has tables: a process that was killed before that has left nothing to go on with."""
        ledger = os.path.join(self.out(name), "ledger.sqlite")
        with tempfile.TemporaryDirectory() as folder:  # reading it would change it
            for ending in ("", "-wal"):
                if os.path.exists(ledger + ending):
                    shutil.copy(ledger + ending, os.path.join(folder, "ledger.sqlite" + ending))
            with contextlib.closing(sqlite3.connect(os.path.join(folder, "ledger.sqlite"))) as copy:
                return copy.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0

    def start(self, name, resume=None, **how):
        """A process of the campaign: it begins, or goes on if it had begun. how: of subprocess.Popen."""
        out = self.out(name)
        if self.begun(name) if resume is None else resume:
            arguments = ["--resume"]
        else:
            arguments = ["--seed", str(self.seed), "--jobs", "2", "--no-minimize", *self.options, self.corpus]
        with open(self.stream(name, ".out"), "w") as output, open(self.stream(name, ".err"), "w") as errors:
            process = subprocess.Popen([self.program, "run", "--runs", str(self.cases), "--out", out, "--log-level",
                                        "error", *arguments], stdout=output, stderr=errors, **how)
        started.append(process)
        return process

    def errors(self, name):
        """What the campaign's last process wrote on standard error."""
        with open(self.stream(name, ".err"), errors="replace") as file:
            return file.read()

    def undisturbed(self):
        """(figures, seconds, exit code) of the campaign that nobody disturbs; it runs once."""
        if not self.whole:
            began = time.time()
            code = self.start("whole").wait()
            self.whole = figures(self.out("whole")), time.time() - began, code
        return self.whole


def kill_at_random(campaigns, name, kills, draw, said=lambda line: None):
    """kill -9 of workers and of the supervisor at random moments; the campaign goes on after each, to its end.

    Returns (kills of workers, kills of the supervisor, exit code); None if it ends before the last kill.
    """
    seconds = campaigns.undisturbed()[1]
    process = campaigns.start(name)
    began = time.time()
    killed = {"a worker": 0, "the supervisor": 0}
    for _ in range(kills):
        # Moments all over the campaign's time.
        time.sleep(draw.uniform(0.2, 1.6 * seconds / (kills + 1)))
        if process.poll() is not None:
            return None
        workers = children(process.pid)
        if workers and draw.random() < 0.4:
            whom = "a worker"
            try:
                os.kill(draw.choice(workers), signal.SIGKILL)
            except ProcessLookupError:  # it has just ended by itself
                whom = "the supervisor"
        else:
            whom = "the supervisor"
        if whom == "the supervisor":
            process.kill()
            process.wait()
            process = campaigns.start(name)
        killed[whom] += 1
        said(f"  {time.time() - began:7.1f} s: kill -9 of {whom}")
    return killed["a worker"], killed["the supervisor"], process.wait()

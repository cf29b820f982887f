"""Parts of campaign_in_full that disturb nothing: a long campaign and its memory, earlier ledgers, sanitizers."""
import json
import os
import re
import statistics
import subprocess
import time

from campaigns import children
from outcomes import LONGEST, Failed, Skipped, demand

GROWTH = 1.1       # of the memory's median, from the second quarter to the last
WARM = 600         # s; in a shorter campaign processes still warm up, and growth is shown, not judged
ENOUGH = 10 ** 7   # cases of earlier ledgers


def resident_kb(pid):
    """0 if the process has gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            found = re.search(r"VmRSS:\s+(\d+)", file.read())
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found.group(1)) if found else 0


def growth(samples):
    """The median over the last quarter, as a multiple of that of the second."""
    quarter = len(samples) // 4
    return statistics.median(samples[3 * quarter:]) / statistics.median(samples[quarter:2 * quarter])


def stamp_text(report):
    stamp = report["stamp"]
    return ", ".join(f"{key} {stamp[key]}" for key in ("version", "stream", "libtorch", "flags") if stamp.get(key))


def campaign(check):
    """A long campaign in one sitting: one stamp, no finding, and memory that does not grow."""
    arguments, out = check.arguments, os.path.join(check.folder, "campaign")
    with open(out + ".out", "w") as log:
        process = subprocess.Popen([check.program, "run", "--runs", str(arguments.cases), "--seed", str(arguments.seed),
                                    "--jobs", str(arguments.jobs), "--quiet", "--out", out], stdout=log, stderr=log)
    began, supervisor, worker = time.time(), [], []
    while process.poll() is None:
        own, of_workers = resident_kb(process.pid), [resident_kb(pid) for pid in children(process.pid)]
        if own and any(of_workers):
            supervisor.append(own)
            worker.append(max(of_workers))
        time.sleep(0.25)
    seconds = time.time() - began
    demand(os.path.exists(os.path.join(out, "report.json")), f"exit code {process.returncode}: {out}.out")
    with open(os.path.join(out, "report.json")) as file:
        report = json.load(file)
    demand(process.returncode == 0 and not report["findings"],
           f"exit code {process.returncode}, {len(report['findings'])} findings: {out}")
    demand(report["cases"] == arguments.cases, f"{report['cases']} cases instead of {arguments.cases}: {out}")
    demand(len(supervisor) >= 16, f"{len(supervisor)} samples of the memory: more cases are needed")
    grown = {"supervisor": growth(supervisor), "largest worker": growth(worker)}
    memory = ", ".join(f"{name} {max(samples) / 1024:.0f} MiB (last quarter {grown[name]:.3f} of the second)"
                       for name, samples in (("supervisor", supervisor), ("largest worker", worker)))
    demand(seconds < WARM or max(grown.values()) <= GROWTH, f"memory grows: {memory}; {len(supervisor)} samples")
    judged = "flat" if seconds >= WARM else f"growth NOT judged in less than {WARM} s"
    return f"{report['cases']} cases, one sitting", f"0 findings; {memory}, {judged}; stamp: {stamp_text(report)}"


def ledgers(check):
    """The cases, stamps and findings of earlier campaigns, summed."""
    folders = check.arguments.ledgers
    if not folders:
        raise Skipped("no --ledgers")
    cases, findings, stamps, refused = 0, 0, {}, []
    for folder in folders:
        run = subprocess.run([check.program, "report", folder, "--json"], capture_output=True, text=True)
        if run.returncode == 1:  # of another version, say: its own report has the figures
            refused.append(folder)
            path = os.path.join(folder, "report.json")
            demand(os.path.exists(path), f"{folder}: {run.stderr.strip()}")
            with open(path) as file:
                report = json.load(file)
        else:
            report = json.loads(run.stdout)
        cases += report["cases"]
        findings += len(report["findings"])
        stamps.setdefault(stamp_text(report), []).append(report["cases"])
    for stamp, each in stamps.items():
        print(f"  {sum(each):9} cases, {len(each)} ledgers: {stamp}")
    reached = "reached" if cases >= ENOUGH else "NOT reached"
    return (f"{len(folders)} ledgers", f"{cases} cases, {findings} findings, {len(stamps)} stamps; 10^7 {reached}"
            + (f"; {len(refused)} by their report.json alone" if refused else ""))


def sanitizers(check):
    """A campaign of a program that is built with sanitizers is clean."""
    arguments, out = check.arguments, os.path.join(check.folder, "sanitizers")
    if not arguments.asan:
        raise Skipped("no --asan PROGRAM")
    with open(out + ".out", "w") as log:
        code = subprocess.run([os.path.abspath(arguments.asan), "run", "--max-total-time", str(arguments.hour),
                               "--seed", str(arguments.seed), "--jobs", str(arguments.jobs), "--quiet", "--out", out],
                              stdout=log, stderr=log, timeout=arguments.hour + LONGEST).returncode
    with open(out + ".out", errors="replace") as log:
        said = [line for line in log if "Sanitizer" in line or "runtime error" in line]
    if said:
        raise Failed(f"{said[0].strip()} ({out}.out)")
    demand(code == 0, f"exit code {code} ({out}.out)")
    with open(os.path.join(out, "report.json")) as file:
        report = json.load(file)
    demand(not report["findings"], f"{len(report['findings'])} findings ({out})")
    return f"{arguments.hour} s", f"{report['cases']} cases, 0 findings, no error; stamp: {stamp_text(report)}"

"""Parts of campaign_in_full that disturb campaigns: kills, disks, ledgers, memory, clocks, stops, read-only folders."""
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from campaigns import Campaigns, children, end_all, figures, kill_at_random
from outcomes import LONGEST, Failed, demand, expect_one_sentence, expect_whole, finish, needs_root, sentence

MIB = 1 << 20


def kills(check):
    """kill -9 of supervisor and workers at random moments, in a campaign with all its checks."""
    count = check.arguments.kills
    campaigns = Campaigns(check.program, os.path.join(check.folder, "kills"), 200 * count, check.arguments.seed)
    ended = kill_at_random(campaigns, "killed", count, check.draw("kills"))
    demand(ended, f"the campaign ended before {count} kills: more cases are needed")
    of_workers, of_supervisor, code = ended
    expect_whole(campaigns, "killed", code)
    report = figures(campaigns.out("killed"))
    return f"{of_supervisor} supervisor, {of_workers} worker", f"equal: {counted(report)}"


def counted(report):
    return f"{report['cases']} cases, {report['elements']} elements, {len(report['findings'])} findings"


@contextlib.contextmanager
def mounted(folder, *how):
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mount", *how, folder], check=True)
    try:
        yield
    finally:
        end_all()
        subprocess.run(["umount", folder], check=True)


def size_of(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder))


def at_random(campaigns, name, draw, **how):
    """A process of the campaign, at a random moment of its time."""
    seconds = campaigns.undisturbed()[1]
    for _ in range(5):
        process = campaigns.start(name, **how)
        time.sleep(draw.uniform(0.1, 0.6) * seconds)
        if process.poll() is None:
            return process
        shutil.rmtree(campaigns.out(name))  # it was faster than the undisturbed one
    raise Failed(f"{campaigns.out(name)} ends too soon: more cases are needed")


def full_disks(check):
    """Disks that are full at a random size; with room, the campaign goes on."""
    needs_root("no disks of their own")
    count, draw, campaigns = check.arguments.disks, check.draw("disks"), check.campaigns("disks")
    campaigns.undisturbed()
    needed, sizes, unbegun = size_of(campaigns.out("whole")), [], 0
    for number in range(count):
        disk = campaigns.out(f"disk{number}")
        size = draw.randrange(40 << 10, needed * 9 // 10)
        sizes.append(size >> 10)
        with mounted(disk, "-t", "tmpfs", "-o", f"size={size >> 10}k", "none"):
            name = f"disk{number}/out"
            on_disk = OnDisk(campaigns, name)
            expect_one_sentence(on_disk, name, on_disk.start(name).wait(LONGEST))
            unbegun += not on_disk.begun(name)
            subprocess.run(["mount", "-o", "remount,size=256m", disk], check=True)
            finish(on_disk, name)
    return (f"{count} disks", f"{min(sizes)} to {max(sizes)} KiB of {needed >> 10} KiB: one sentence each, then equal; "
            f"{unbegun} were full before the campaign began")


class OnDisk(Campaigns):
    """The same campaigns; what processes write on standard output and error is not on the campaign's own disk."""

    def __init__(self, campaigns, name):
        super().__init__(campaigns.program, campaigns.folder, campaigns.cases, campaigns.seed, campaigns.options,
                         campaigns.corpus)
        self.whole, self.name = campaigns.whole, name

    def stream(self, name, ending):
        return os.path.join(self.folder, name.replace("/", ".") + ending)


def header(draw, data):
    for _ in range(draw.randint(1, 8)):
        data[draw.randrange(100)] = draw.randrange(256)
    return data


def page(draw, data):
    at = 4096 * draw.randrange(1, len(data) // 4096)
    data[at:at + 4096] = draw.randbytes(4096)
    return data


def truncated_tail(draw, data):
    return data[:draw.randrange(len(data))]


def flipped_bits(draw, data):
    for _ in range(draw.randint(1, 64)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return data


# journal, wal: rubbish in the place of that file, beside the ledger.
DAMAGES = {"header": header, "page": page, "journal": None, "wal": None, "tail": truncated_tail, "bits": flipped_bits}


def spoil(ledger, damage, draw):
    """Damages the ledger or, where that is larger, what is not folded into it yet: its -wal."""
    if damage in ("journal", "wal"):
        path, data = f"{ledger}-{damage}", draw.randbytes(draw.randrange(1, 1 << 16))
    else:
        largest = max((path for path in (ledger, ledger + "-wal") if os.path.exists(path)), key=os.path.getsize)
        path = ledger if damage == "header" else largest
        with open(path, "rb") as file:
            data = DAMAGES[damage](draw, bytearray(file.read()))
    with open(path, "wb") as file:
        file.write(data)


def damaged_ledgers(check):
    """Ledgers of campaigns that were killed or had ended, damaged: refused, or the campaign goes on and is whole."""
    count, draw, campaigns = check.arguments.ledger_damages, check.draw("damage"), check.campaigns("damage")
    process = at_random(campaigns, "killed", draw)
    process.kill()
    process.wait()
    half = Campaigns(campaigns.program, campaigns.folder, campaigns.cases // 2, campaigns.seed, campaigns.options)
    half.start("half").wait(LONGEST)
    tally = {damage: [0, 0] for damage in DAMAGES}  # refused, went on
    for number in range(count):
        damage = list(DAMAGES)[number % len(DAMAGES)]
        name, begun = f"{damage}{number}", draw.choice(("killed", "half"))
        shutil.copytree(campaigns.out(begun), campaigns.out(name))
        ledger = os.path.join(campaigns.out(name), "ledger.sqlite")
        spoil(ledger, damage, draw)
        before = results(campaigns.out(name))
        code = campaigns.start(name, resume=True).wait(LONGEST)
        if code == 1:
            expect_one_sentence(campaigns, name, code)
            demand(results(campaigns.out(name)) == before, f"{campaigns.out(name)}: refused, and files have changed")
            demand(os.path.exists(ledger), f"{campaigns.out(name)}: refused, and the ledger is gone")
        else:
            expect_whole(campaigns, name, code)
        tally[damage][code != 1] += 1
    refused, went_on = (sum(each[place] for each in tally.values()) for place in (0, 1))
    return (f"{count} ledgers", f"{refused} refused with one sentence, nothing touched; {went_on} went on, equal ("
            + ", ".join(f"{damage} {each[0]}+{each[1]}" for damage, each in tally.items()) + ")")


def results(folder):
    """The bytes of every file but the ledger's own."""
    texts = {}
    for entry in os.scandir(folder):
        if not entry.name.startswith("ledger.sqlite") and entry.name != "lock":
            with open(entry.path, "rb") as file:
                texts[entry.name] = file.read()
    return texts


def not_begun(check):
    """Where a campaign was killed before its ledger held anything, --resume has nothing to go on with, and says so."""
    campaigns = check.campaigns("not-begun")
    for name in ("lock", "ledger"):
        os.mkdir(campaigns.out(name))
        for file in ("lock", "ledger.sqlite")[:1 + (name == "ledger")]:
            open(os.path.join(campaigns.out(name), file), "w").close()
        code = campaigns.start(name, resume=True).wait(LONGEST)
        demand(code == 1, f"{campaigns.out(name)}: --resume begins another campaign, with a seed and options of its "
               f"own: exit code {code}")
        expect_one_sentence(campaigns, name, code)
        finish(campaigns, name)
    return "2 folders", "a lock alone, an empty ledger: one sentence, and without --resume it begins, equal"


def address_space(limit):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def least_address_space(campaigns):
    """(bytes, to 4 MiB, with which five cases can be judged; the sentences of those that began, and had fewer)."""
    few = Campaigns(campaigns.program, os.path.join(campaigns.folder, "few"), 5, campaigns.seed, campaigns.options)
    low, high, said = 64 * MIB, 1 << 36, []
    while high - low > 4 * MIB:
        middle = (low + high) // 2
        name = f"at{middle // MIB}"
        code = few.start(name, preexec_fn=address_space(middle)).wait(LONGEST)
        if code == 77:
            high = middle
            continue
        low = middle
        if os.path.exists(few.out(name)):  # else the loader, or a library before main(), had no room
            said.append(sentence(few, name, code))
    return high, said


def virtual_bytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def out_of_memory(check):
    """A small address space from the start and from a random moment on; and a case beyond the limit of a worker."""
    count, draw, campaigns = check.arguments.rounds, check.draw("memory"), check.campaigns("memory")
    campaigns.undisturbed()
    least, said = least_address_space(campaigns)
    ended = [0, 0]  # from the start, on the way
    for number in range(2 * count):
        name, on_the_way = f"small{number}", number % 2
        if on_the_way:
            process = at_random(campaigns, name, draw)
            # What it has, or a little more.
            limit = virtual_bytes(process.pid) + draw.randrange(4 * MIB)
            resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        else:
            process = campaigns.start(name, preexec_fn=address_space(least + draw.randrange(-8 * MIB, 24 * MIB)))
        code = process.wait(LONGEST)
        if code == 77:
            expect_whole(campaigns, name, code)
            continue
        if os.path.exists(campaigns.out(name)):
            said.append(sentence(campaigns, name, code))
        ended[on_the_way] += 1
        finish(campaigns, name)
    demand(said, "no limit was small enough to be met")
    megabytes = one_large_case(check, draw)
    blaming = [each for each in said if "internal error" in each]
    demand(not blaming, f"{len(blaming)} of {len(said)} sentences blame the program, such as: {blaming[:1]}")
    return (f"{2 * count} address spaces", f"least {least // MIB} MiB; ended by it {ended[0]} of {count} from the "
            f"start, {ended[1]} of {count} on the way, then equal; a worker past {megabytes} MiB: one finding, killed "
            f"and resumed, equal")


def one_large_case(check, draw):
    """A case that takes more than a worker may is one finding, whatever else happens. Returns the limit in MiB."""
    limit = 600
    campaigns = check.campaigns("large", options=["--rss-limit-mb", str(limit)])
    with open(os.path.join(campaigns.corpus, "large.fusion"), "w") as file:
        file.write("fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}\n"
                   "run { %x = normal(seed = 1) : f32[8000000] }\n")
    whole = campaigns.undisturbed()[0]
    kinds = [finding["kind"] for finding in whole["findings"]]
    demand(kinds.count("oom") == 1, f"one oom expected: {', '.join(kinds)}")
    process = at_random(campaigns, "killed", draw)
    process.kill()
    process.wait()
    code = campaigns.start("killed").wait(LONGEST)
    # How much it took when it was seen is up to the moment.
    for name in ("whole", "killed"):
        for entry in os.scandir(campaigns.out(name)):
            if entry.name == "report.json" or entry.name.startswith("oom-"):
                plain_sizes(entry.path)
    campaigns.whole = (figures(campaigns.out("whole")), *campaigns.undisturbed()[1:])
    expect_whole(campaigns, "killed", code)
    return limit


def plain_sizes(path):
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(re.sub(r"resident size \d+ MiB", "resident size N MiB", text))


SHIM = r"""
// Adds the seconds in the file $CLOCK_OFFSET to the wall clock; the first time there is $CLOCK_ASKED.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long long offset(void) {
  char text[32] = {0};
  int file = open(getenv("CLOCK_OFFSET"), O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) < 0) _exit(99);
  close(file);
  static int asked;
  if (!asked++) close(open(getenv("CLOCK_ASKED"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  return atoll(text);
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return failed;
}
int gettimeofday(struct timeval* now, void* zone) {
  int failed = syscall(SYS_gettimeofday, now, zone);
  if (!failed) now->tv_sec += offset();
  return failed;
}
time_t time(time_t* kept) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (kept) *kept = now.tv_sec;
  return now.tv_sec;
}
"""
YEAR = 31556952  # s


def clock_steps(check):
    """The wall clock steps back and forth by up to ten years, and is back by a year when a killed campaign goes on."""
    count, draw, campaigns = check.arguments.rounds, check.draw("clock"), check.campaigns("clock")
    seconds = campaigns.undisturbed()[1]
    source, library, offset = (campaigns.out(name) for name in ("shim.c", "shim.so", "offset"))
    with open(source, "w") as file:
        file.write(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)

    def step(by):
        with open(offset + ".new", "w") as file:
            file.write(str(by))
        os.rename(offset + ".new", offset)

    environment = dict(os.environ, LD_PRELOAD=library, CLOCK_OFFSET=offset, CLOCK_ASKED=offset + ".asked")
    step(10 * YEAR)
    process = campaigns.start("stepped", env=environment)
    steps = 0
    for number in range(count):
        time.sleep(draw.uniform(0.1, 1.2) * seconds / (count + 1))
        if process.poll() is not None:
            break
        step(draw.randrange(-10 * YEAR, 10 * YEAR))
        steps += 1
        if number == count // 2:
            process.kill()
            process.wait()
            step(-YEAR)
            process = campaigns.start("stepped", env=environment)
    expect_whole(campaigns, "stepped", process.wait(LONGEST))
    demand(steps > count // 2, f"the campaign ended after {steps} steps: more cases are needed")
    demand(os.path.exists(offset + ".asked"), "the campaign does not ask for the time of the shim")
    return f"{steps} steps, 1 kill", f"of up to 10 years: equal: {counted(figures(campaigns.out('stepped')))}"


def stop(process, whom, draw, seconds):
    """SIGSTOP, and SIGCONT some seconds later. Returns False where there is nobody any more."""
    workers = children(process.pid)
    if process.poll() is not None or (whom == "worker" and not workers):
        return False
    pids = {"all": [process.pid, *workers], "supervisor": [process.pid],
            "worker": workers and [draw.choice(workers)]}[whom]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # a worker that was replaced
                os.kill(pid, number)
        if number == signal.SIGSTOP:
            time.sleep(seconds)
    return True


def stops(check):
    """SIGSTOP of supervisor, workers or all for some seconds; then for longer than a case may take."""
    count, draw, campaigns = check.arguments.rounds, check.draw("stops"), check.campaigns("stops")
    seconds = campaigns.undisturbed()[1]
    done = dict.fromkeys(("all", "supervisor", "worker"), 0)
    process = campaigns.start("stopped")
    for number in range(count):
        time.sleep(draw.uniform(0.1, 1.2) * seconds / (count + 1))
        whom = list(done)[number % len(done)]
        done[whom] += stop(process, whom, draw, draw.uniform(0.2, 4))
    expect_whole(campaigns, "stopped", process.wait(LONGEST))
    demand(all(done.values()), f"not all were stopped: {done}: more cases, or --rounds, are needed")
    hangs = {whom: beyond_the_limit(check, whom, draw) for whom in done}
    told = ", ".join(f"{whom} {count}" for whom, count in hangs.items())
    demand(hangs["all"] == hangs["supervisor"] == 0,
           f"stops of 5 s where a case may take 3: hangs reported in 4 stops of each: {told}")
    return (", ".join(f"{each} {whom}" for whom, each in done.items()),
            f"equal; of 4 stops of each beyond the time limit, reported as hangs: {told}")


def beyond_the_limit(check, whom, draw):
    """How many hangs a campaign reports whose cases may take 3 s, after four stops of 5 s."""
    campaigns = check.campaigns("stops", cases=10 ** 6, options=["--timeout", "3"])
    process = campaigns.start(f"long-{whom}")
    for _ in range(4):
        time.sleep(1)
        demand(stop(process, whom, draw, 5), f"{campaigns.out(f'long-{whom}')} ended before the last stop")
    time.sleep(1)
    process.terminate()  # it writes its report
    process.wait(LONGEST)
    return figures(campaigns.out(f"long-{whom}"))["verdicts"]["hang"]


def read_only_folders(check):
    """A disk that fails and is read-only from a random moment on; --resume refuses it, until it is repaired."""
    needs_root("no disks of their own")
    count, draw, campaigns = check.arguments.rounds, check.draw("read-only"), check.campaigns("read-only")
    campaigns.undisturbed()
    # A file system with an open file cannot be remounted read-only, but ext4 becomes it when it meets an error.
    image, disk, name = campaigns.out("image"), campaigns.out("disk"), "disk/out"
    on_disk = OnDisk(campaigns, name)
    how = ("-o", "loop,errors=remount-ro", image)
    lost = 0
    for _ in range(count):
        with open(image, "wb") as file:
            file.truncate(64 * MIB)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        with mounted(disk, *how):
            process = at_random(on_disk, name, draw)
            # Else nothing of so short a campaign would have left the memory.
            subprocess.run(["sync", "-f", disk], check=True)
            time.sleep(draw.uniform(0, 0.2) * on_disk.undisturbed()[1])
            demand(process.poll() is None, "the campaign ends too soon: more cases are needed")
            fail(disk)
            expect_one_sentence(on_disk, name, process.wait(LONGEST))
            expect_one_sentence(on_disk, name, on_disk.start(name, resume=True).wait(LONGEST))
        # 1: errors were repaired. Some writes before the error are lost, as in a power cut.
        demand(subprocess.run(["e2fsck", "-fy", image], capture_output=True).returncode <= 1, "e2fsck cannot repair it")
        with mounted(disk, *how):
            if not on_disk.begun(name):
                lost += 1
                shutil.rmtree(on_disk.out(name), ignore_errors=True)
            finish(on_disk, name)
    return (f"{count} disks", f"one sentence, a sentence of --resume, repaired, equal; {lost} began again, as nothing "
            f"of the ledger was on the disk yet")


def fail(disk):
    with open("/proc/mounts") as file:
        device, = (line.split()[0] for line in file if line.split()[1] == disk)
    with open(f"/sys/fs/ext4/{os.path.basename(device)}/trigger_fs_error", "w") as file:
        file.write("campaign_in_full")

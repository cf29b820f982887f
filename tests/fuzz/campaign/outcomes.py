"""How a part of campaign_in_full ends, and what each of them demands of a campaign's end."""
import filecmp
import os

from campaigns import differing, figures

SETUP = 1              # exit code
FINDINGS = 77          # exit code
LONGEST = 3600         # s; a campaign that takes longer hangs


class Failed(Exception):
    """A part shows a fault."""


class Skipped(Exception):
    """A part cannot run here."""


def demand(holds, what):
    if not holds:
        raise Failed(what)


def needs_root(why):
    if os.geteuid() != 0:
        raise Skipped(f"not root: {why}")


def sentence(campaigns, name, code):
    """What the campaign's last process said, which ended with the exit code of the environment."""
    # The allocator has a line of its own when it is refused memory.
    said = [line for line in campaigns.errors(name).splitlines() if "tcmalloc: allocation failed" not in line]
    demand(code == SETUP and len(said) == 1 and said[0].startswith("SETUP FAILURE: "),
           f"{campaigns.out(name)}: one sentence and exit code {SETUP} expected, not exit code {code} and: {said}")
    return said[0]


def expect_one_sentence(campaigns, name, code):
    said = sentence(campaigns, name, code)
    # A sentence that blames the program is of no use to its user.
    demand("internal error" not in said, f"{campaigns.out(name)}: {said}")


def expect_whole(campaigns, name, code):
    """The campaign ended, and has the figures and the findings' files of one that nobody disturbed."""
    whole, _, code_of_whole = campaigns.undisturbed()
    demand(code == code_of_whole == FINDINGS, f"{campaigns.out(name)}: exit code {code}, undisturbed {code_of_whole}: "
           f"{campaigns.errors(name).strip()}")
    other = figures(campaigns.out(name))
    different = differing(whole, other)
    demand(not different, f"{campaigns.out(name)}: figures differ from those of whole: {', '.join(different)}; cases "
           f"{whole['cases']} and {other['cases']}, findings {len(whole['findings'])} and {len(other['findings'])}")
    for finding in whole["findings"]:
        for key in ("file", "program_file", "sequence_file"):
            file = finding[key]
            places = [os.path.join(campaigns.out(each), file) for each in ("whole", name)]
            demand(not file or same(*places),
                   f"{campaigns.out(name)}: {file} is missing or differs")


def same(one, other):
    return os.path.exists(other) and filecmp.cmp(one, other, shallow=False)


def finish(campaigns, name):
    """The campaign goes on to its end, undisturbed, and is whole."""
    expect_whole(campaigns, name, campaigns.start(name).wait(LONGEST))



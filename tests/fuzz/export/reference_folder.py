"""What `fuserfuzz export --with-reference --out FOLDER` wrote beside the programs: LibTorch's results."""

import argparse
import collections
import json
import pathlib
import sys

import numpy as np


class ReferenceFolder:
    """FOLDER/reference.json and reference.bin. fuzz/export/reference_outputs.h says what they hold."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.cases = json.loads((self.path / "reference.json").read_text())["cases"]
        self.elements = np.memmap(self.path / "reference.bin", dtype=np.uint8, mode="r")

    def bytes_of(self, stored, itemsize):
        """The elements of a StoredTensor, dense and row-major, as u8[n]."""
        count = int(np.prod(stored["sizes"], dtype=np.int64)) * itemsize
        return np.array(self.elements[stored["at"]:stored["at"] + count])


def check_folder(description, problems_of, version):
    """The main function of a program with the argument FOLDER.

    problems_of(folder, case, totals, left_out) yields the problems of a StoredCase. It counts in totals, "outputs" at least, and
    in left_out what is not compared, by the reason. Prints a line a problem, then the counts; exit code 1 if anything disagrees
    or nothing was compared.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=ReferenceFolder)
    folder = parser.parse_args().folder
    wrong, totals, left_out = 0, collections.Counter(), collections.Counter()
    for case in folder.cases:
        found = list(problems_of(folder, case, totals, left_out))
        wrong += bool(found)
        for problem in found:
            print(problem)
    for reason, count in (+left_out).most_common():
        print(f"{count} {reason}")
    print(f"{len(folder.cases)} cases, {wrong} disagree with the reference; "
          + ", ".join(f"{count} {what}" for what, count in sorted(totals.items())) + f"; {version}")
    sys.exit(1 if wrong or totals["outputs"] == 0 else 0)

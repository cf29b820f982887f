"""g++ 12, -O2: two doubles that a branch converts to float and back are not converted."""

import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
enum Kind { Double, Float, Other };
struct Pair { double lo, hi; int flags; };
double other(double value, Kind kind);
inline double rounded(double value, Kind kind) {
  if (kind == Double) return value;
  if (kind == Float) return static_cast<float>(value);
  return other(value, kind);
}
__attribute__((noinline)) Pair roundedPair(const Pair& pair, Kind kind, double largest) {
  Pair result{rounded(pair.lo, kind), rounded(pair.hi, kind), pair.flags};
  if (result.hi <= largest) result.flags = 7;
  return result;
}
__attribute__((noinline)) double other(double value, Kind) { return -value; }
int main() { return roundedPair({0.1, 0.1, 0}, Float, 1e30).lo == static_cast<double>(0.1f) ? 0 : 1; }
"""

version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
print(version.stdout.splitlines()[0])
wrong = False
with tempfile.TemporaryDirectory() as folder:
    source, program = pathlib.Path(folder, "pair.cpp"), pathlib.Path(folder, "pair")
    source.write_text(PROGRAM)
    for flags in (["-O1"], ["-O2"], ["-O2", "-fno-tree-slp-vectorize"]):
        subprocess.run(["g++", "-std=c++20", *flags, source, "-o", program], check=True)
        status = subprocess.run([program], check=False).returncode
        print(*flags, "- rounded" if status == 0 else "- not rounded")
        wrong = wrong or status != 0
sys.exit(1 if wrong else 0)

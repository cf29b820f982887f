"""Run by a .pth file at the start of Python: loads the CUDA libraries of this environment, so that torch's find them."""

import ctypes
import pathlib
import sys

for library in sorted((pathlib.Path(sys.prefix) / "stubs").glob("lib*.so*")):
    ctypes.CDLL(str(library))

"""make_stubs.py TORCH_LIB OUT LIBRARY...: stubs of the CUDA libraries that torch's libraries are linked with.

Torch's wheel for Linux is a CUDA build: it does not load without cuBLAS, cuDNN, NCCL and others, gigabytes that nothing here
calls. A stub defines the functions that torch names, each empty. The libraries given (CUDA's runtime, CUPTI) are
taken as they are, because torch calls them while it loads.
"""

import collections
import pathlib
import re
import subprocess
import sys

VENDOR = re.compile(r"cu|nccl|nvshmem")  # how names begin that their libraries export without a version


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", library))


def versions(library):
    """Version name -> the library that is to define it."""
    found, file = {}, ""
    for line in output("readelf", "-V", library).splitlines():
        if match := re.search(r"File: (\S+)", line):
            file = match[1]
        elif (match := re.search(r"Name: (\S+)\s+Flags", line)) and file:
            found[match[1]] = file
    return found


def main():
    torch_lib, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    real = [pathlib.Path(path) for path in sys.argv[3:]]
    out.mkdir(parents=True, exist_ok=True)
    own = sorted(path for path in torch_lib.glob("lib*.so*") if path.name != "libcaffe2_nvrtc.so")  # loaded on demand alone
    present = {path.name for path in own + real}
    system = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|gomp)\.so|ld-linux")
    missing = sorted({name for path in own for name in needed(path) if name not in present and not system.match(name)})
    defined = {line.split()[-1].partition("@")[0]
               for path in own + real for line in output("nm", "-D", "--defined-only", path).splitlines() if line}
    symbols = collections.defaultdict(lambda: collections.defaultdict(set))  # library -> version -> names
    for path in own:
        owners = versions(path)
        links = [name for name in needed(path) if name in missing]
        for line in output("nm", "-D", "--undefined-only", path).splitlines():
            if line.split()[0] == "w":
                continue
            symbol, _, version = line.split()[-1].partition("@")
            owner = owners.get(version, "")
            if not version and links and symbol not in defined and VENDOR.match(symbol):
                owner = links[0]
            if owner in missing:
                symbols[owner][version].add(symbol)
    for name in missing:
        source, script = out / f"{name}.c", out / f"{name}.map"
        by_version = symbols[name]
        source.write_text("".join(f"void {symbol}(void) {{}}\n"
                                  for version in sorted(by_version) for symbol in sorted(by_version[version])))
        script.write_text("".join(
            f"{version} {{ global: {' '.join(symbol + ';' for symbol in sorted(by_version[version]))} }};\n"
            for version in sorted(by_version) if version))
        flags = [f"-Wl,--version-script={script}"] if script.read_text() else []
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", out / name, f"-Wl,-soname,{name}", *flags, source], check=True)
        source.unlink()
        script.unlink()
    for path in real:
        link = out / path.name
        link.unlink(missing_ok=True)
        link.symlink_to(path.resolve())
    print(f"{len(missing)} stubs: {' '.join(missing)}")


main()

# Sourced by tests/run and fuzz/nightly: installs what is missing, on Debian or Ubuntu, as root or with sudo. It calls apt and
# pip only when something is missing, so that it works without a network once it has run. After it,
#   root          is the repository,
#   fuser_cache   holds LibTorch and the CUDA libraries that came as wheels; oracle/reference/FindLibTorch.cmake looks there.
# Both apt and pip use whatever package sources the machine is configured for.
# Where FUSER_BUILT names a build folder (build/release of another clone of these sources), its programs are run as they are:
# nothing is installed and nothing built.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fuser_cache=${XDG_CACHE_HOME:-$HOME/.cache}/fuser
torch_version=2.11.0

fail() {
  echo "SETUP FAILURE: $*" >&2
  exit 1
}

# step <what> <command…>: says what it does and how long that took; shows the command's output only when it fails.
step() {
  local what=$1 start=$SECONDS log status=0
  shift
  log=$(mktemp)
  echo "setup: $what …"
  "$@" > "$log" 2>&1 || status=$?
  if [ $status -ne 0 ]; then tail -n 20 "$log" >&2; fi
  rm -f "$log"
  echo "setup: $what: $((SECONDS - start)) s"
  return $status
}

# apt_install <packages…>
apt_install() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || fail "missing packages: $*. As root, type: apt-get install $*"
    as_root=(sudo)
  fi
  command -v apt-get > /dev/null ||
    fail "this is no Debian or Ubuntu; install what these packages hold: $*. Then type: cmake --preset dev"
  step "reading the package lists" "${as_root[@]}" apt-get update ||
    fail "apt-get update failed and these packages are missing: $*. Check the network, or type: apt-get install $*"
  step "installing $*" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" ||
    fail "apt could not install all of these; to see why, type: apt-get install $*"
}

# pip_install <folder> <requirements…>: fills the folder completely or not at all.
pip_install() {
  local folder=$1 part
  shift
  python3 -m pip --version > /dev/null 2>&1 || apt_install python3-pip
  mkdir -p "$fuser_cache" || fail "cannot write to $fuser_cache; name another place in XDG_CACHE_HOME"
  part=$(mktemp -d "$fuser_cache/part.XXXXXX")
  step "installing $* into $folder" python3 -m pip install --no-deps --target "$part" "$@" || {
    rm -rf "$part"
    fail "pip could not install $*; check its network and disk space, or type: python3 -m pip install --no-deps --target $folder $*"
  }
  # Only now does the folder count as filled; two set-ups at once do the work twice, and the first to end wins.
  rm -rf "$folder"
  mv -T "$part" "$folder" || [ -d "$folder" ] || fail "cannot write to $folder; name another place in XDG_CACHE_HOME"
}

# install_packages: g++, clang and CMake may have come from elsewhere, so what counts is the command; libraries count as packages.
install_packages() {
  local missing=() name
  local -A package_of=([g++]=g++ [clang++]=clang [cmake]=cmake [ninja]=ninja-build [ccache]=ccache [mold]=mold [python3]=python3)
  for name in g++ clang++ cmake ninja ccache mold python3; do
    command -v $name > /dev/null || missing+=("${package_of[$name]}")
  done
  for name in librapidcheck-dev libspdlog-dev libbenchmark-dev libgtest-dev libcli11-dev nlohmann-json3-dev libsqlite3-dev \
      libboost-context-dev libmpfr-dev libgoogle-perftools-dev libopenmpi-dev openmpi-bin; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' $name 2> /dev/null)" = installed ] || missing+=("$name")
  done
  if [ ${#missing[@]} -gt 0 ]; then apt_install "${missing[@]}"; fi
  # libFuzzer and the sanitizers' runtimes come apart from clang.
  if [ ! -e "$(clang++ -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ] &&
      [ ! -e "$(clang++ -print-file-name=libclang_rt.fuzzer.a)" ]; then
    apt_install "libclang-rt-$(clang++ -dumpversion | cut -d . -f 1)-dev"
  fi

  require_version g++ "$(g++ -dumpfullversion)" 12 "apt-get install g++-12, and make it the g++ that PATH finds"
  require_version clang "$(clang++ -dumpversion)" 14 "apt-get install clang-14, and make it the clang++ that PATH finds"
  require_version CMake "$(cmake --version | sed -n '1s/.* //p')" 3.25 "python3 -m pip install --user cmake"
}

# require_version <name> <version found> <version needed> <what to type>
require_version() {
  [ "$(printf '%s\n' "$2" "$3" | sort -V | head -n 1)" = "$3" ] || fail "$1 is version $2, but $3 or later is needed; type: $4"
}

# torch_root: prints the folder of LibTorch: include/, lib/. The order is FindLibTorch.cmake's.
torch_root() {
  local place places folder
  IFS=: read -r -a places <<< "${CMAKE_PREFIX_PATH:-}"
  for place in "${places[@]}" "${LIBTORCH_ROOT:-}" "$fuser_cache/libtorch-$torch_version"; do
    for folder in "$place" "$place/torch"; do
      if [ -n "$place" ] && [ -e "$folder/include/ATen/ATen.h" ]; then echo "$folder"; return; fi
    done
  done
  return 1
}

install_libtorch() {
  if torch_root > /dev/null; then return; fi
  pip_install "$fuser_cache/libtorch-$torch_version" "torch==$torch_version"
}

# cuda_library <file>: prints the folder that holds it. The order is FindLibTorch.cmake's.
cuda_library() {
  local nvcc toolkit folder
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc" || echo /usr/local/cuda/bin/nvcc)")")
  for folder in "$toolkit/lib64" "$toolkit/extras/CUPTI/lib64" "$(torch_root)/../nvidia/cu13/lib" \
      "$fuser_cache/cuda-13.0/nvidia/cu13/lib"; do
    if [ -e "$folder/$1" ]; then echo "$folder"; return; fi
  done
  return 1
}

# LibTorch needs the CUDA runtime and CUPTI even without a GPU. NVRTC compiles the CUDA that we print, and needs no GPU either.
install_cuda_libraries() {
  if cuda_library libcudart.so.13 > /dev/null && cuda_library libcupti.so.13 > /dev/null &&
      cuda_library libnvrtc.so.13 > /dev/null; then
    return
  fi
  pip_install "$fuser_cache/cuda-13.0" "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-cupti==13.0.*" "nvidia-cuda-nvrtc==13.0.*"
}

# build_folder <preset>: prints the folder whose programs are run.
build_folder() { echo "${FUSER_BUILT:-$root/build/$1}"; }

# build <preset> [targets…]: these and what they need; everything where none is named.
build() {
  if [ -n "${FUSER_BUILT:-}" ]; then return; fi
  local targets=("${@:2}")
  if [ ${#targets[@]} -gt 0 ]; then targets=(--target "${targets[@]}"); fi
  cd "$root" || fail "cannot enter $root"
  step "configuring build/$1" cmake --preset "$1" || fail "the build could not be configured; type: cmake --preset $1"
  local start=$SECONDS
  cmake --build --preset "$1" "${targets[@]}" || fail "the build failed; to see it again, type: cmake --build --preset $1"
  echo "setup: building build/$1: $((SECONDS - start)) s"
}

set_up() {
  if [ -n "${FUSER_BUILT:-}" ]; then
    echo "setup: the programs of FUSER_BUILT=$FUSER_BUILT are run as they are"
    return
  fi
  install_packages
  install_libtorch
  install_cuda_libraries
  echo "setup: LibTorch in $(torch_root)"
  echo "setup: NVRTC in $(cuda_library libnvrtc.so.13)"
}

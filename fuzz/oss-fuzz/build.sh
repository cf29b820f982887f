#!/usr/bin/env bash
# Builds libFuzzer's targets as OSS-Fuzz and ClusterFuzzLite ask for them: with $CC, $CXX, their flags and
# $LIB_FUZZING_ENGINE, into $OUT, which is all that a machine has that runs them: programs, options, a dictionary, seeds,
# and beside them in $OUT/lib the libraries that they load.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${WORK:-$root/build}/oss-fuzz targets=(parse_fuzz compile_fuzz end_to_end_fuzz)
: "${CC:?}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}" "${OUT:?}"
. "$root/tests/setup.sh"

# LibTorch comes compiled, with GNU's library.
flags=${CXXFLAGS:-}
flags=${flags//-stdlib=libc++/}
case ${SANITIZER:-address} in
  address | undefined) ;;
  *) fail "sanitizer '$SANITIZER': LibTorch comes compiled without it; address and undefined work" ;;
esac

cmake -S "$root" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX" \
  "-DCMAKE_CXX_FLAGS=$flags" "-DFUSER_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" -DBUILD_TESTING=OFF -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=\$ORIGIN/lib" \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags --log-level=WARNING
cmake --build "$work" --target "${targets[@]}"

mkdir -p "$OUT/lib"
# What every Linux has stays where it is.
is_of_system() {
  case $1 in
    linux-vdso.so.* | ld-linux-* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.*) return 0 ;;
    *) return 1 ;;
  esac
}
search=$(torch_root)/lib:$(cuda_library libcudart.so.13):$(cuda_library libcupti.so.13):$(cuda_library libnvrtc.so.13)
for target in "${targets[@]}"; do
  cp "$work/bin/$target" "$OUT/"
  LD_LIBRARY_PATH=$search ldd "$work/bin/$target" | while read -r name _ path _; do
    case $path in "" | "("* | not) continue ;; esac
    if ! is_of_system "$name" && [ ! -e "$OUT/lib/$name" ]; then cp -L "$path" "$OUT/lib/$name"; fi
  done
  printf '[libfuzzer]\nmax_len = %s\ntimeout = 60\nrss_limit_mb = 4096\n' \
    "$(if [ $target = end_to_end_fuzz ]; then echo 4096; else echo 16384; fi)" > "$OUT/$target.options"
  python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "$root/corpus/fuzz/${target%_fuzz}"/*
done

# The words of the language: ops, dtypes, and what stands around them.
{
  sed -n 's/^[A-Z_0-9]*([A-Za-z0-9]*, "\([a-z_0-9]*\)".*/\1/p' "$root/fuser/ops/op_table.def"
  sed -n 's/^[A-Z_0-9]*([A-Za-z0-9]*, "\([a-z_0-9]*\)".*/\1/p' "$root/fuser/types/dtype.def"
  printf '%s\n' fusion return run option expect rejected schedule dims keepdim dtype normal uniform integers values seed low high
} | sort -u | sed 's/.*/"&"/' > "$OUT/fusion.dict"
for target in parse_fuzz compile_fuzz; do echo "dict = fusion.dict" >> "$OUT/$target.options"; done

echo "$OUT: $(du -sh "$OUT" | cut -f1), of which libraries $(du -sh "$OUT/lib" | cut -f1)"

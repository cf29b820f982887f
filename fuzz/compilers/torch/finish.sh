# Sourced by fuzz/compilers/setup: torch comes from the wheel that LibTorch comes from, and its CUDA libraries are stubs.

install_libtorch
install_cuda_libraries
wheel=$(cd "$(torch_root)/.." && pwd)
packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
step "making stubs of CUDA libraries" "$environment/bin/python" "$compilers/torch/make_stubs.py" "$wheel/torch/lib" \
  "$environment/stubs" "$(cuda_library libcudart.so.13)/libcudart.so.13" "$(cuda_library libcupti.so.13)/libcupti.so.13" ||
  fail "no stubs of CUDA libraries could be made"
cp "$compilers/torch/load_stubs.py" "$packages/fuser_load_stubs.py"
printf '%s\nimport fuser_load_stubs\n' "$wheel" > "$packages/fuser_torch.pth"
step "importing torch" "$environment/bin/python" -c "import torch; assert torch.__version__.split('+')[0] == '$torch_version'" ||
  fail "torch $torch_version does not import in $environment"

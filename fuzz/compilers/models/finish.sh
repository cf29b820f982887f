# Sourced by fuzz/compilers/setup: torch as in the environment torch, then what builds models.

. "$compilers/torch/finish.sh"
step "importing timm and transformers" env HF_HUB_OFFLINE=1 "$environment/bin/python" -c \
  "import timm; from transformers import BertModel, LlamaForCausalLM" ||
  fail "the models' packages do not import in $environment"

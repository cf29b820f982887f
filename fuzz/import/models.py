#!/usr/bin/env python3
"""Saves the graphs of models of a few small layers with random weights, for `fuserfuzz import`. Nothing is downloaded.

    fuzz/compilers/setup models                                       # once
    ~/.cache/fuser/compilers/models/bin/python fuzz/import/models.py out/graphs            # all of them
    ~/.cache/fuser/compilers/models/bin/python fuzz/import/models.py out/graphs bert swin  # some
    fuserfuzz import out/graphs --out out/models

Of a model three kinds of graphs: `forward`, what torch.export gives of it in evaluation mode; `train`, forward pass,
loss and gradients of all parameters in training mode, by make_fx; `autocast`, the same in bfloat16 where autocast says
so. Of an optimizer `step`, over three parameters. A graph that PyTorch does not give is named with the reason, and so counted.

Sizes are small and mostly different, so that those that are equal by chance are few: batch 2, 7 tokens, 3 heads of 8.
"""

import argparse
import os
import pathlib
import sys
import unittest.mock
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.filterwarnings("ignore")

import timm  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from save_graph import decompositions, save  # noqa: E402

BATCH, TOKENS, HEADS, HEAD, VOCABULARY, INNER, IMAGE, CLASSES = 2, 7, 3, 8, 40, 56, 32, 10
HIDDEN = HEADS * HEAD


def text(config_name, model_name="AutoModelForCausalLM", **more):
    """A model of transformers that reads token ids."""

    def build():
        names = {
            "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": HEADS,
            "intermediate_size": INNER, "max_position_embeddings": 16, "pad_token_id": 0, "bos_token_id": 1,
            "eos_token_id": 2, "use_cache": False,
        } | more  # fmt: skip
        config = getattr(transformers, config_name)(**names)
        config._attn_implementation = "eager"
        config.use_cache = False
        model = getattr(transformers, model_name)
        model = model.from_config(config) if model_name.startswith("Auto") else model(config)
        return First(model), (torch.randint(3, VOCABULARY, (BATCH, TOKENS)),)

    return build


def encoder_decoder(config_name, model_name, **more):
    def build():
        config = getattr(transformers, config_name)(**more)
        config.use_cache = False
        config._attn_implementation = "eager"
        model = getattr(transformers, model_name)(config)
        ids = torch.randint(3, VOCABULARY, (BATCH, TOKENS))
        return First(model, "decoder_input_ids"), (ids, ids[:, :5].contiguous())

    return build


def image(make):
    """A model of images."""

    def build():
        return First(make()), (torch.randn(BATCH, 3, IMAGE, IMAGE),)

    return build


def vision(config_name, model_name, **more):
    """A model of images of transformers."""

    def build():
        config = getattr(transformers, config_name)(**more)
        config._attn_implementation = "eager"
        return First(getattr(transformers, model_name)(config)), (torch.randn(BATCH, 3, IMAGE, IMAGE),)

    return build


def whisper():
    config = transformers.WhisperConfig(
        vocab_size=VOCABULARY, num_mel_bins=6, encoder_layers=2, decoder_layers=1, encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS, d_model=HIDDEN, encoder_ffn_dim=INNER, decoder_ffn_dim=INNER,
        max_source_positions=11, max_target_positions=11, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1, attn_implementation="eager",
    )  # fmt: skip
    encoder = transformers.WhisperModel(config).encoder
    return First(encoder), (torch.randn(BATCH, 6, 22),)


def clip():
    text_config = dict(hidden_size=HIDDEN, intermediate_size=INNER, num_attention_heads=HEADS, num_hidden_layers=1,
                       vocab_size=VOCABULARY, max_position_embeddings=16, eos_token_id=2)  # fmt: skip
    vision_config = dict(hidden_size=HIDDEN, intermediate_size=INNER, num_attention_heads=HEADS, num_hidden_layers=1,
                         image_size=IMAGE, patch_size=16)  # fmt: skip
    config = transformers.CLIPConfig(text_config=text_config, vision_config=vision_config, projection_dim=20)
    config._attn_implementation = "eager"
    model = transformers.CLIPModel(config)
    ids = torch.randint(3, VOCABULARY, (BATCH, TOKENS))
    return First(model, "pixel_values"), (ids, torch.randn(BATCH, 3, IMAGE, IMAGE))


class First(torch.nn.Module):
    """The first floating tensor that a model gives, of arguments by position and one by name."""

    def __init__(self, model, second=None):
        super().__init__()
        self.model = model
        self.second = second

    def forward(self, first, second=None):
        result = self.model(first) if second is None else self.model(first, **{self.second: second})
        if isinstance(result, torch.Tensor):
            return result
        values = result.to_tuple() if hasattr(result, "to_tuple") else result
        return next(value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point())


VIT = dict(hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=HEADS, intermediate_size=INNER,
           image_size=IMAGE, patch_size=8)  # fmt: skip

MODELS = {
    "bert": text("BertConfig", "AutoModelForMaskedLM"),
    "roberta": text("RobertaConfig", "AutoModelForMaskedLM"),
    "distilbert": text("DistilBertConfig", "AutoModelForMaskedLM", dim=HIDDEN, n_layers=2, n_heads=HEADS,
                       hidden_dim=INNER),
    "albert": text("AlbertConfig", "AutoModelForMaskedLM", embedding_size=16),
    "deberta": text("DebertaV2Config", "AutoModelForMaskedLM", relative_attention=True, pos_att_type=["p2c", "c2p"],
                    position_buckets=4),  # fmt: skip
    "gpt2": text("GPT2Config", n_embd=HIDDEN, n_layer=2, n_head=HEADS, n_positions=16),
    "gpt_neox": text("GPTNeoXConfig", rotary_pct=0.5),
    "bloom": text("BloomConfig", n_layer=2, n_head=HEADS),
    "opt": text("OPTConfig", ffn_dim=INNER, word_embed_proj_dim=HIDDEN),
    "llama": text("LlamaConfig", num_key_value_heads=1),
    "mistral": text("MistralConfig", num_key_value_heads=1, sliding_window=4),
    "qwen2": text("Qwen2Config", num_key_value_heads=1),
    "qwen3": text("Qwen3Config", num_key_value_heads=1, head_dim=HEAD),
    "gemma": text("GemmaConfig", num_key_value_heads=1, head_dim=HEAD),
    "gemma2": text("Gemma2Config", num_key_value_heads=1, head_dim=HEAD, sliding_window=4, query_pre_attn_scalar=HEAD),
    "phi": text("PhiConfig", partial_rotary_factor=0.5),
    "phi3": text("Phi3Config", num_key_value_heads=1),
    "olmo2": text("Olmo2Config", num_key_value_heads=1),
    "cohere": text("CohereConfig", num_key_value_heads=1),
    "falcon": text("FalconConfig", new_decoder_architecture=False, multi_query=True),
    "mamba": text("MambaConfig", state_size=4, conv_kernel=3, expand=2, time_step_rank=5, num_hidden_layers=1),
    "t5": encoder_decoder("T5Config", "T5ForConditionalGeneration", vocab_size=VOCABULARY, d_model=HIDDEN, d_kv=HEAD,
                          d_ff=INNER,
                          num_layers=1, num_heads=HEADS, feed_forward_proj="gated-gelu", decoder_start_token_id=0,
                          relative_attention_num_buckets=8, pad_token_id=0, bos_token_id=1, eos_token_id=2),
    "bart": encoder_decoder("BartConfig", "BartForConditionalGeneration", vocab_size=VOCABULARY, d_model=HIDDEN,
                            encoder_layers=1,
                            decoder_layers=1, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
                            encoder_ffn_dim=INNER, decoder_ffn_dim=INNER, max_position_embeddings=16, pad_token_id=0,
                            bos_token_id=1, eos_token_id=2, decoder_start_token_id=2),
    "vit": vision("ViTConfig", "ViTForImageClassification", **VIT),
    "beit": vision("BeitConfig", "BeitForImageClassification", use_relative_position_bias=True,
                   layer_scale_init_value=0.1, **VIT),
    "dinov2": vision("Dinov2Config", "Dinov2ForImageClassification", use_swiglu_ffn=True, **VIT),
    "whisper": whisper,
    "clip": clip,
    "deit": image(lambda: timm.models.deit.VisionTransformerDistilled(
        img_size=IMAGE, patch_size=8, embed_dim=HIDDEN, depth=1, num_heads=HEADS, num_classes=CLASSES)),
    "swin": image(lambda: timm.models.swin_transformer.SwinTransformer(
        img_size=IMAGE, patch_size=4, window_size=4, embed_dim=12, depths=(2, 1), num_heads=(2, 3),
        num_classes=CLASSES)),
    "convnext": image(lambda: timm.models.convnext.ConvNeXt(
        depths=(1, 1, 1, 1), dims=(8, 12, 16, 20), num_classes=CLASSES)),
    "convnext2": image(lambda: timm.models.convnext.ConvNeXt(
        depths=(1, 1, 1, 1), dims=(8, 12, 16, 20), use_grn=True, ls_init_value=None, num_classes=CLASSES)),
    "resnet": image(lambda: timm.models.resnet.ResNet(
        timm.models.resnet.BasicBlock, (1, 1, 1, 1), channels=(8, 12, 16, 20), stem_width=8, num_classes=CLASSES)),
    "mixer": image(lambda: timm.models.mlp_mixer.MlpMixer(
        img_size=IMAGE, patch_size=8, embed_dim=HIDDEN, num_blocks=2, num_classes=CLASSES)),
    "gmlp": image(lambda: timm.models.mlp_mixer.MlpMixer(
        img_size=IMAGE, patch_size=8, embed_dim=HIDDEN, num_blocks=2, num_classes=CLASSES, mlp_ratio=4,
        block_layer=timm.models.mlp_mixer.SpatialGatingBlock, mlp_layer=timm.layers.GatedMlp)),
    "efficientnet": image(lambda: timm.create_model("test_efficientnet", num_classes=CLASSES)),
    "mobilenetv3": image(lambda: timm.create_model("mobilenetv3_small_050", num_classes=CLASSES)),
    "nfnet": image(lambda: timm.create_model("test_nfnet", num_classes=CLASSES)),
    "xcit": image(lambda: timm.models.xcit.Xcit(
        img_size=IMAGE, patch_size=8, embed_dim=16, depth=1, num_heads=2, cls_attn_layers=1, eta=1.0,
        num_classes=CLASSES)),
}  # fmt: skip

OPTIMIZERS = {
    "sgd": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)),
    "adam": (torch.optim.Adam, dict(lr=0.01, amsgrad=True, capturable=True)),
    "adamw": (torch.optim.AdamW, dict(lr=0.01, weight_decay=0.1, capturable=True)),
    "adadelta": (torch.optim.Adadelta, dict(lr=0.1, capturable=True)),
    "adamax": (torch.optim.Adamax, dict(lr=0.01, capturable=True)),
    "rmsprop": (torch.optim.RMSprop, dict(lr=0.01, centered=True, momentum=0.9, capturable=True)),
    "nadam": (torch.optim.NAdam, dict(lr=0.01, capturable=True)),
    "radam": (torch.optim.RAdam, dict(lr=0.01, capturable=True)),
    "rprop": (torch.optim.Rprop, dict(lr=0.01, capturable=True)),
}


def loss_of(result):
    if result.dim() == 3:
        target = torch.arange(result.shape[0] * result.shape[1]) % result.shape[-1]
        return torch.nn.functional.cross_entropy(result.reshape(-1, result.shape[-1]), target, label_smoothing=0.1)
    return torch.nn.functional.smooth_l1_loss(result, torch.ones_like(result))


def traced(function, inputs):
    """A graph without mutations, of real values: some models look at their masks."""
    function = torch.func.functionalize(function, remove="mutations")
    return make_fx(function, decomposition_table=decompositions())(*inputs)


def save_forward(build, path, name):
    model, inputs = build()
    with torch.no_grad():
        save(torch.export.export(model.eval(), inputs), path, name)


def save_train(build, path, name, autocast=False):
    """Loss and gradients. What a batch norm keeps is copied to its buffers, as everywhere in training."""
    model, inputs = build()
    model = torch.export.export(model.train(), inputs).module()  # what looks at data has been decided
    parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())

    def loss(parameters, buffers, given):
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            result = torch.func.functional_call(model, (parameters, buffers), given)
        return loss_of(result.float())

    def step(*values):
        given = list(values)
        state = [dict(zip(names, [given.pop(0) for _ in names])) for names in (parameters, buffers)]
        gradients, value = torch.func.grad_and_value(loss)(*state, tuple(given))
        return [value, *gradients.values()]

    values = [value.detach() for value in parameters.values()]
    values += [value.clone() for value in buffers.values()] + list(inputs)
    save(traced(step, values), path, name, values)


@unittest.mock.patch("torch.compiler.is_compiling", return_value=True)  # the count of steps stays a tensor
def save_step(optimizer, arguments, path, name, _):
    """The third step, so that what an optimizer keeps is there."""
    shapes = ((HIDDEN, INNER), (INNER,), (3, 5, 2))
    arguments = arguments | {"foreach": False}
    warm = optimizer([torch.nn.Parameter(torch.randn(shape)) for shape in shapes], **arguments)
    parameters = warm.param_groups[0]["params"]
    for _ in range(2):
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        warm.step()
    states = [warm.state[parameter] for parameter in parameters]
    kept = [[key for key, value in state.items() if torch.is_tensor(value)] for state in states]

    def step(*values):
        given = list(values)
        made = optimizer([given.pop(0) for _ in shapes], **arguments)
        for parameter, state, keys in zip(made.param_groups[0]["params"], states, kept):
            parameter.grad = given.pop(0)
            made.state[parameter] = {key: given.pop(0) if key in keys else value for key, value in state.items()}
        made.step()
        return []

    values = [parameter.detach().clone() for parameter in parameters]
    for parameter, state, keys in zip(parameters, states, kept):
        values += [torch.randn_like(parameter)] + [state[key].clone() for key in keys]
    save(traced(step, values), path, name, values)


def graphs():
    """A row a graph: its name, and the function that saves it to a path."""
    for name, build in MODELS.items():
        yield name, "forward", lambda path, build=build, name=name: save_forward(build, path, f"{name}-forward")
        yield name, "train", lambda path, build=build, name=name: save_train(build, path, f"{name}-train")
        yield name, "autocast", lambda path, build=build, name=name: save_train(build, path, f"{name}-autocast", True)
    for name, (optimizer, arguments) in OPTIMIZERS.items():
        yield name, "step", lambda path, o=optimizer, a=arguments, name=name: save_step(o, a, path, f"{name}-step")


def main():
    parser = argparse.ArgumentParser(description="Saves the graphs of small models as JSON for fuserfuzz import.")
    parser.add_argument("folder", type=pathlib.Path, help="the folder to write to; made if it is missing")
    parser.add_argument("models", nargs="*", help="their names (default: all)")
    arguments = parser.parse_args()
    known = list(MODELS) + list(OPTIMIZERS)
    for name in arguments.models:
        if name not in known:
            sys.exit(f"models.py: there is no model '{name}'; known: {' '.join(known)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    saved, missing = 0, []
    for name, kind, save_to in graphs():
        if arguments.models and name not in arguments.models:
            continue
        torch.manual_seed(1)
        try:
            save_to(arguments.folder / f"{name}-{kind}.json")
            saved += 1
        except Exception as error:  # whatever PyTorch says of a model that it does not trace
            missing.append(f"{name}-{kind}: {(str(error).strip().splitlines() or [type(error).__name__])[0]}")
    print(f"{saved} graphs saved to {arguments.folder}, {len(missing)} not")
    for line in missing:
        print(f"  {line}")


if __name__ == "__main__":
    main()

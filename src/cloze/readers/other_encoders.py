"""Encoders of every other family, run by the package transformers: ModernBERT, DeBERTa, ELECTRA ...

The network is the family's own; only its word embeddings are ours, which have the markers among
them. A saved reader keeps the description of the architecture, and so needs no folder.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.readers.encoder_folders import CONFIG, import_transformers, weights_file
from cloze.readers.transformer import at_places

LONGEST = 2304  # pieces, unless the config says otherwise
UNUSED = 2  # positions, which some families never use
_NOT_ARCHITECTURE = ("architectures", "transformers_version", "_name_or_path", "dtype")


class OtherEncoder(nn.Module):
    def __init__(self, architecture: Mapping[str, Any]) -> None:
        super().__init__()
        transformers = import_transformers(architecture.get("model_type"))
        config = transformers.AutoConfig.for_model(**architecture)
        self.model = transformers.AutoModel.from_config(config, trust_remote_code=False)
        self.width = _without_ends(self.model).shape[1]

    def recompute(self) -> None:
        """As `Transformer` has it; what dropout drew is drawn again."""
        self.model.gradient_checkpointing_enable({"use_reentrant": False})

    def forward(
        self,
        x: Tensor,
        absent: Tensor,
        noise: torch.Generator | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """As `cloze.readers.transformer.Transformer` has it."""
        self.model.train(noise is not None)
        with _dropping_by(noise, x.device):
            read = self.model(inputs_embeds=x, attention_mask=(~absent).long())
        h: Tensor = read.last_hidden_state
        return h if places is None else at_places(places, h)


def shape_of_other(folder: Path, found: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an Encoder Reader with an encoder of another family."""
    family = found.get("model_type")
    transformers = import_transformers(family, folder / CONFIG)
    known = transformers.models.auto.modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if family not in known or found.get("is_encoder_decoder"):
        raise UserError(
            f"the family '{family}' is not one of encoders that fill in masks",
            where=folder / CONFIG,
            fix="give the folder of an encoder, such as BERT",
        )
    architecture = {k: v for k, v in found.items() if k not in _NOT_ARCHITECTURE}
    try:
        made = transformers.AutoConfig.for_model(**architecture)
    except Exception as problem:  # of many kinds, for values that it does not expect
        raise UserError(
            f"cannot be read by transformers ({problem})", where=folder / CONFIG
        ) from None
    positions = getattr(made, "max_position_embeddings", 512) - UNUSED
    return {
        "architecture": architecture,
        "layers": made.num_hidden_layers,
        "hidden_size": made.hidden_size,
        "positions": min(LONGEST, positions),
        "separators": 2 if "roberta" in str(family) else 1,
    }


def weights_of_other(folder: Path, family: object) -> tuple[Tensor, dict[str, Tensor]]:
    """The embeddings of the words, and the rest under the names of an Encoder Reader."""
    transformers = import_transformers(family, folder)
    path = weights_file(folder)
    try:
        model, told = transformers.AutoModel.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as problem:  # of many kinds, for files that do not fit together
        why = " ".join(str(problem).split())
        raise UserError(f"cannot be read by transformers ({why})", where=path) from None
    missing = sorted(name for name in told["missing_keys"] if not name.startswith("pooler."))
    if missing:
        raise UserError(f"has no weights '{missing[0]}'", where=path)
    word = _without_ends(model)
    return word, {f"body.model.{name}": p.detach() for name, p in model.named_parameters()}


def _without_ends(model: Any) -> Tensor:
    """Take away the word embeddings, which are returned, and the summary of a whole text."""
    word: Tensor = model.get_input_embeddings().weight.detach()
    model.set_input_embeddings(nn.Identity())
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return word


@contextmanager
def _dropping_by(noise: torch.Generator | None, device: torch.device) -> Iterator[None]:
    """Dropout as the generator has it, which these networks draw from PyTorch's own."""
    if noise is None:
        yield
        return
    seed = int(torch.randint(2**62, (), generator=noise, device=noise.device))
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield

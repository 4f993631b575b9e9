"""Where a pretrained encoder is: a folder, or a name on the Hugging Face Hub.

Only config.json, model.safetensors and tokenizer.json are opened, or fetched. Weights in a pickle
are not read, and an encoder that comes with code of its own is refused: it is never run.
"""

from pathlib import Path
from typing import Any

from cloze.errors import UserError
from cloze.extras import install
from cloze.files import read_json
from cloze.readers.hub import fetch, may_be_on_the_hub

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"


def encoder_folder(given: Path) -> Path:
    """The folder, or the one into which the Hub's encoder of this name was fetched."""
    if given.is_dir():
        return given
    if given.exists() or not may_be_on_the_hub(given):
        raise UserError("is not the folder of an encoder", where=given)
    return fetch(given, [CONFIG, WEIGHTS, TOKENIZER], extra="encoder")


def read_config(folder: Path) -> dict[str, Any]:
    """config.json of an encoder that has no code of its own."""
    path = folder / CONFIG
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("model_type"), str):
        raise UserError("is not the config of an encoder", where=path)
    code = next(iter(sorted(folder.glob("*.py"))), None)
    if "auto_map" in found or code is not None:
        raise UserError(
            "this encoder has code of its own, which is never run",
            where=folder if code is None else code,
            fix="take one of a family that the package transformers knows",
        )
    return found


def weights_file(folder: Path) -> Path:
    path = folder / WEIGHTS
    if not path.is_file():
        raise UserError(
            f"there is no {WEIGHTS}; other files of weights are not read",
            where=folder,
            fix="save the encoder as safetensors, in one file",
        )
    return path


def import_transformers(family: object, where: Path | None = None) -> Any:
    try:
        import transformers
    except ImportError:
        raise UserError(
            f"an encoder of the family '{family}' needs the package transformers",
            where=where,
            fix=f"run: {install('encoder')}",
        ) from None
    transformers.utils.logging.disable_progress_bar()
    return transformers

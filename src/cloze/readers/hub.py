"""The Hugging Face Hub: fetching a model by its name, and publishing a folder under one.

    fetch("somebody/reader", ["config.json"], extra="hub")      the folder it was fetched into

What was fetched once is found in the Hub's own cache, also without a network. Only the files that
are asked for are fetched: no code, and nothing pickled.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze.errors import UserError
from cloze.extras import install, needs

_NAME = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)(@(?P<revision>[\w./-]+))?")


def may_be_on_the_hub(word: str | Path) -> bool:
    """Whether a word reads like a name on the Hub, and not like a path under a folder that is here.

    >>> [may_be_on_the_hub(word) for word in ("somebody/reader", "somebody/reader@v2", "reader")]
    [True, True, False]
    """
    given = str(word)
    return bool(_NAME.fullmatch(given)) and not Path(given).parent.is_dir()


def fetch(word: str | Path, files: Sequence[str], *, extra: str) -> Path:
    """The folder with these files of the model ORGANISATION/NAME or ORGANISATION/NAME@REVISION.

    extra: the one that installs what this needs.
    """
    found = _NAME.fullmatch(Path(word).as_posix())
    assert found is not None, word
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        what = "there is no such folder, and fetching it from the Hugging Face Hub needs a package"
        raise UserError(
            f"{what}, huggingface_hub", where=word, fix=f"run: {install(extra)}"
        ) from None
    try:
        place = snapshot_download(
            found["name"], revision=found["revision"], allow_patterns=list(files)
        )
    except Exception as problem:  # of many kinds: no network, no such name, not allowed
        what = "there is no such folder, and the Hugging Face Hub does not give it"
        raise UserError(f"{what} ({_one_line(problem)})", where=word) from None
    return Path(place)


def publish(folder: Path, name: str, *, private: bool, message: str) -> str:
    """Put the folder's files on the Hub under this name; returns the address of the commit."""
    with needs("hub"):
        from huggingface_hub import HfApi
    if "@" in name or not _NAME.fullmatch(name):
        raise UserError(f"'{name}' is no name on the Hub", fix="write it as organisation/name")
    hub: Any = HfApi()
    try:
        hub.create_repo(name, private=private, exist_ok=True)
        done = hub.upload_folder(repo_id=name, folder_path=folder, commit_message=message)
    except Exception as problem:
        what = f"the Hugging Face Hub does not take it ({_one_line(problem)})"
        raise UserError(what, where=name, fix="log in: hf auth login") from None
    return str(done.commit_url)


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())

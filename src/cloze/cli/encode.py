"""cloze encode: a corpus as flat arrays of token ids, ready for training anywhere."""

from pathlib import Path
from typing import Annotated

import typer


def encode(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    out: Annotated[Path, typer.Argument(help="Where the arrays and the vocabulary go.")],
    split: Annotated[
        list[str] | None, typer.Option(help="Only this split; may be given again. Default: all.")
    ] = None,
    vocabulary_from: Annotated[
        str, typer.Option(help="The split whose words make the vocabulary.")
    ] = "train",
    words: Annotated[
        int | None, typer.Option(min=1, help="Keep at most this many words, the most frequent.")
    ] = None,
    minimum_count: Annotated[int, typer.Option(min=1, help="Drop words rarer than this.")] = 1,
    pool: Annotated[int, typer.Option(min=0, help="The least number of markers.")] = 0,
    tokenizer: Annotated[
        Path | None, typer.Option(help="A tokenizer.json: encode its word pieces, not words.")
    ] = None,
) -> None:
    """Turn a corpus into memory-mapped arrays; what is already encoded is kept.

    \b
    cloze encode corpus/ encoded/
    cloze encode cnn/ cnn-encoded/ --split train --split valid --pool 600
    cloze encode cnn/ cnn-pieces/ --tokenizer bert-base-uncased/tokenizer.json
    cloze train configs/cnn/attentive.yaml encoded=cnn-encoded out=runs/attentive
    """
    from cloze.readers.encode_corpus import encode_corpus
    from cloze.training.data import open_encoded

    encode_corpus(
        corpus,
        out,
        splits=split or None,
        vocabulary_from=vocabulary_from,
        pool=pool,
        minimum_count=minimum_count,
        maximum_words=words,
        tokenizer=tokenizer,
    )
    shown = split or sorted(p.name for p in out.iterdir() if p.is_dir())
    data = open_encoded(out, shown[0], shown[-1])
    typer.echo(
        f"{out}: {', '.join(shown)}; {data.vocabulary.described}, {data.vocabulary.pool:,} markers"
    )

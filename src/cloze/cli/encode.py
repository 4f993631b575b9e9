"""cloze encode: a corpus as flat arrays of token ids, ready for training anywhere."""

import re
from pathlib import Path
from typing import Annotated

import typer

from cloze.cli._sharing import On, Shard, Workers

_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def _size(text: str) -> int:
    """Bytes: '60MB', '64MiB'."""
    found = re.fullmatch(r"(\d{1,6})\s?([a-z]+)", text, re.IGNORECASE)
    units = {unit.lower(): size for unit, size in _UNITS.items()}
    if found is None or found[2].lower() not in units or not int(found[1]):
        raise typer.BadParameter(f"'{text}' is no size; write 60MB or 64MiB")
    return int(found[1]) * units[found[2].lower()]


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
        Path | None,
        typer.Option(
            help="Read word pieces: a tokenizer.json, the folder of an encoder or a reader, or the "
            "name of a reader that ships."
        ),
    ] = None,
    part_size: Annotated[
        int | None,
        typer.Option(parser=_size, metavar="SIZE", help="Compressed parts of at most this size."),
    ] = None,
    workers: Workers = 0,
    on: On = None,
    shard: Shard = None,
    store: Annotated[
        str | None,
        typer.Option(help="Where the machines meet: a folder or s3://... (default: beside OUT)."),
    ] = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="Make the arrays after every --shard.")
    ] = False,
) -> None:
    """Turn a corpus into memory-mapped arrays; what is already encoded is kept.

    \b
    cloze encode corpus/ encoded/
    cloze encode cnn/ cnn-encoded/ --split train --split valid --pool 600
    cloze encode cnn/ cnn-pieces/ --tokenizer bert-base-uncased/tokenizer.json
    cloze encode mine/ mine-pieces/ --tokenizer small       those of the reader that ships
    cloze train configs/cnn/attentive.yaml encoded=cnn-encoded out=runs/attentive

    With --part-size the folder is a fifth as large, in files that fit through a narrow limit.
    Training and cloze evaluate --encoded read it as it is; they unpack it once.

    \b
    cloze encode cnn/ cnn-parts/ --pool 600 --part-size 60MB

    On many machines, with the same bytes in the end:

    \b
    cloze encode corpus/ encoded/ --on dask://10.0.0.1:8786
    cloze encode corpus/ encoded/ --shard 3/64            or by hand: 1/64 to 64/64,
    cloze encode corpus/ encoded/ --finish                and the arrays at the end
    """
    from functools import partial

    from cloze.builder.sharded.tasks import check_ways, parse_share
    from cloze.corpus.store import Corpus
    from cloze.engines.address import engine_at
    from cloze.readers import encode_shards
    from cloze.readers.encode_corpus import Encoding, tokenizer_in
    from cloze.readers.encode_corpus import encode as encode_here
    from cloze.readers.encode_split import encode_split
    from cloze.readers.encoder import open_encoder
    from cloze.readers.parts import is_split, parts_of
    from cloze.training.data import open_encoded

    check_ways(shard, finish, on)
    asked = Encoding(
        Corpus.open(corpus),
        vocabulary_from,
        pool,
        minimum_count,
        words,
        tokenizer_in(tokenizer),
        part_size,
    )
    if shard:
        number, of = parse_share(shard)
        engine = engine_at("processes", workers)
        done = encode_shards.encode_share(
            asked, out, split, number=number, of=of, engine=engine, store=store
        )
        typer.echo(f"shard {number} of {of}: {done:,} files; after all of them: --finish")
        return
    if on is None and not finish and store is None:
        encode_here(asked, out, split, asked.encoder, partial(encode_split, asked.corpus))
    else:
        how = None if finish else engine_at(on or "processes", workers)
        encode_shards.encode_on(asked, out, split, engine=how, store=store)
    shown = split or sorted(p.name for p in out.iterdir() if is_split(p))
    if part_size is None:
        open_encoded(out, shown[0], shown[-1])
    encoder = open_encoder(out)
    sizes = [f"{name}{_in_parts(parts_of(out / name))}" for name in shown]
    typer.echo(f"{out}: {', '.join(sizes)}; {encoder.described}, {encoder.pool:,} markers")


def _in_parts(sizes: list[int]) -> str:
    parts = f"{len(sizes)} part" if len(sizes) == 1 else f"{len(sizes)} parts"
    return f" ({parts}, {sum(sizes) / 1e6:,.1f} MB)" if sizes else ""

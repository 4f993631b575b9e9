"""Compressed parts: the same arrays back, within the size, and nothing broken is read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.compressed import opened
from cloze.errors import UserError
from cloze.files import described, read_json, write_json
from cloze.readers import bits, parts
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import DTYPES, STARTS, EncodedSplit
from cloze.readers.encoder import Encoder
from cloze.readers.parts import open_split, pack_split, parts_of
from cloze.readers.pieces import Pieces
from tests.readers.points import VOCABULARY, points_of, seeds
from tests.readers.test_encoded import corpus_of
from tests.readers.tokenizers import tokenizer_file


@given(values=st.lists(st.integers(0, 2**32 - 1), max_size=40), bits_kept=st.integers(1, 32))
def test_numbers_come_back(values: list[int], bits_kept: int) -> None:
    array = np.asarray(values, np.uint32) >> np.uint32(32 - bits_kept)
    wide = bits.width(array)
    data = bits.packed(array, wide)
    assert wide <= bits_kept
    assert len(data) == bits.size(len(array), wide)
    np.testing.assert_array_equal(bits.unpacked(data, len(array), wide), array)


def plain(folder: Path, encoder: Encoder, seed: int = 1, documents: int = 6) -> EncodedSplit:
    corpus = corpus_of(folder / "corpus", points_of(seed, documents))
    return encode_split(corpus, "train", encoder, folder / "plain")


def check_same(a: EncodedSplit, b: EncodedSplit) -> None:
    for name in (*DTYPES, *STARTS):
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
    assert (a.document_ids, a.question_ids) == (b.document_ids, b.question_ids)


@pytest.mark.parametrize("whole", [True, False], ids=["words", "pieces"])
@settings(max_examples=15, deadline=None)
@given(seed=seeds, documents=st.integers(1, 9), part_size=st.integers(500, 1000))
def test_a_split_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    whole: bool,
    seed: int,
    documents: int,
    part_size: int,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    file = tokenizer_file(folder / "tokenizer.json")
    encoder: Encoder = VOCABULARY if whole else Pieces.of_tokenizer(file, 8)
    split = plain(folder, encoder, seed, documents)
    pack_split(split, folder / "packed", part_size)
    sizes = parts_of(folder / "packed")
    assert sizes == [p.stat().st_size for p in sorted((folder / "packed").glob("*.zst"))]
    assert 0 < max(sizes) <= part_size
    check_same(open_split(folder / "packed", encoder), split)


def test_questions_in_any_order_come_back(tmp_path: Path) -> None:
    split = plain(tmp_path, VOCABULARY, documents=9)
    order = np.random.default_rng(1).permutation(len(split))
    mixed = split.some(range(split.documents), order.tolist())
    object.__setattr__(mixed, "meta", split.meta)
    ids = {"documents": split.document_ids, "questions": [split.question_ids[k] for k in order]}
    object.__setattr__(mixed, "_ids", ids)
    pack_split(mixed, tmp_path / "packed", 300)
    assert len(parts_of(tmp_path / "packed")) > 1
    found = open_split(tmp_path / "packed")
    assert found.question_ids == ids["questions"]
    for name in DTYPES:
        np.testing.assert_array_equal(getattr(found, name), getattr(mixed, name))


@pytest.mark.parametrize("documents", [0, 3])
def test_no_questions(tmp_path: Path, documents: int) -> None:
    points = [(document, []) for document, _ in points_of(1)[:documents]]
    corpus = corpus_of(tmp_path / "corpus", points, shards=1)
    split = encode_split(corpus, "train", VOCABULARY, tmp_path / "plain")
    pack_split(split, tmp_path / "packed", 1000)
    check_same(open_split(tmp_path / "packed", VOCABULARY), split)


def test_a_document_larger_than_a_part_is_refused(tmp_path: Path) -> None:
    split = plain(tmp_path, VOCABULARY)
    with pytest.raises(UserError, match=r"one document alone takes .* larger --part-size"):
        pack_split(split, tmp_path / "packed", 100)
    assert not (tmp_path / "packed").exists()


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    pack_split(plain(tmp_path, VOCABULARY), tmp_path / "packed", 300)
    return tmp_path / "packed"


def first(folder: Path) -> Path:
    return folder / "part-00000.zst"


def cut(folder: Path) -> None:
    first(folder).write_bytes(first(folder).read_bytes()[:-1])


def turn_a_bit(folder: Path) -> None:
    data = bytearray(first(folder).read_bytes())
    data[len(data) // 2] ^= 1
    first(folder).write_bytes(data)


def lose(folder: Path) -> None:
    sorted(folder.glob("*.zst"))[-1].unlink()


def forge(content: bytes) -> Callable[[Path], None]:
    """A part that its manifest describes, but that holds something else."""

    def damage(folder: Path) -> None:
        import pyarrow as pa

        first(folder).write_bytes(bytes(pa.Codec("zstd").compress(content)))
        manifest = read_json(folder / "parts.json")
        manifest["parts"]["part-00000.zst"] = described(first(folder))
        write_json(folder / "parts.json", manifest)

    return damage


def block(head: bytes) -> bytes:
    return len(head).to_bytes(8, "little") + head


def manifest(**changes: object) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        write_json(folder / "parts.json", read_json(folder / "parts.json") | changes)

    return damage


EMPTY = b'{"arrays":[],"documents":[],"questions":[]}'


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, r"part-00000\.zst: has .* \(truncated\)"),
        (turn_a_bit, r"part-00000\.zst: was altered"),
        (lose, r"part-0000\d\.zst: is missing"),
        (forge(b"no block at all"), r"part-00000\.zst: is not a part \(ends too early\)"),
        (forge(block(b"{}")), r"part-00000\.zst: is not a part"),
        (forge(block(b"[" * 100_000)), r"part-00000\.zst: is not a part"),
        (forge(block(EMPTY)), r"part-00000\.zst: is not a part"),
        (forge(block(EMPTY.replace(b"[]", b'[["x",9,1]]', 1))), "is not a part"),
        (forge(block(EMPTY.replace(b"[]", b'[["x",-9,1]]', 1))), "is not a part"),
        (forge(b"\xff" * 8), "is not a part"),
        (manifest(format=7), "is not 'cloze parts, format 1'"),
        (manifest(parts={"../x.zst": {"bytes": 1, "sha256": ""}}), "parts.json: 'parts"),
        (manifest(parts={}), "the parts hold 0 documents and 0 questions"),
    ],
)
def test_broken_parts_are_refused(
    packed: Path, damage: Callable[[Path], None], message: str
) -> None:
    damage(packed)
    with pytest.raises(UserError, match=message):
        open_split(packed, VOCABULARY)
    assert not (packed / "unpacked").exists()


def test_they_are_unpacked_once_and_again_after_a_change(packed: Path) -> None:
    open_split(packed)
    before = (packed / "unpacked").stat().st_ino
    open_split(packed)
    assert (packed / "unpacked").stat().st_ino == before
    manifest(note="another")(packed)
    open_split(packed)
    assert (packed / "unpacked").stat().st_ino != before


def test_a_killed_unpacking_leaves_nothing_that_is_read(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(parts, "key_of", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            open_split(packed)
    assert not (packed / "unpacked").exists()
    check_same(open_split(packed), EncodedSplit.open(packed.parent / "plain"))


def test_the_other_form_of_a_folder_is_refused(tmp_path: Path) -> None:
    corpus_of(tmp_path / "corpus", points_of(3))
    encode_corpus(tmp_path / "corpus", tmp_path / "encoded", part_size=10_000)
    encode_corpus(tmp_path / "corpus", tmp_path / "encoded", part_size=10_000)
    with pytest.raises(UserError, match=r"something else \(part_size differ\)"):
        encode_corpus(tmp_path / "corpus", tmp_path / "encoded")
    names = (path.name for path in (tmp_path / "encoded").iterdir())
    assert sorted(name for name in names if not name.startswith(".")) == [
        "made_from.json",
        "train",
        "vocabulary.txt",
    ]


def test_zstandard_reads_parts_where_there_is_no_pyarrow(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("zstandard")
    with opened(first(packed)) as stream:
        expected = stream.read()
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with opened(first(packed)) as stream:
        assert stream.read() == expected

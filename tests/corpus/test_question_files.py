import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.corpus.exchange import export_questions, import_questions
from cloze.corpus.question_files import QuestionFile, parse, to_document, to_question
from cloze.corpus.statistics import measure
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.errors import UserError
from tests.conftest import document_of, question_of

GOOD = (
    "http://example.org/1\n\n@entity3 struck @entity11 .\n\n@placeholder struck\n\n@entity3"
    "\n\n@entity3:Mara Venn\n@entity11:Tobias: Lund"
)


def test_a_file_in_the_published_form() -> None:
    file = parse(GOOD.encode(), "x.question")
    assert file.content == GOOD.encode()
    document = to_document(file)
    question = to_question(file, document)
    assert document.context.original == "Mara Venn struck Tobias: Lund ."
    assert question.answer == 3
    assert question.query.original == "Mara Venn struck"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.rsplit("\n\n", 1)[0], "4 of the 5 parts; the part 'entities' is missing"),
        ("http://example.org", "1 of the 5 parts; the part 'context' is missing"),
        (GOOD.replace("\n", "\r\n"), "CRLF"),
        (GOOD.replace("struck @entity11", "struck\udcff"), "not UTF-8"),
        (GOOD.replace("@entity3\n\n", "@entity4\n\n"), "answer @entity4 is not in the entity map"),
        (GOOD.replace("@entity3\n\n", "Mara\n\n"), "answer 'Mara' is not a marker"),
        (GOOD.replace("@entity11:", "@entity3:"), "@entity3 is mapped twice"),
        (GOOD.replace("@entity11:Tobias: Lund", "Tobias"), "'Tobias' is not an entity line"),
        (GOOD.replace("@placeholder", "who"), "0 placeholders"),
        (GOOD.replace("@placeholder struck", "@placeholder @placeholder"), "2 placeholders"),
        (GOOD.replace("struck @entity11 .", "struck  @entity11 ."), "one space apart"),
        (GOOD.replace("@entity3 struck @entity11 .", ""), "'context' is empty"),
    ],
)
def test_bad_files(content: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        parse(content.encode(errors="surrogateescape"), "bad.question")
    assert str(raised.value).startswith("bad.question: ")


words = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1
).filter(lambda w: not w.startswith("@"))
names = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))


@st.composite
def files(draw: st.DrawFn) -> QuestionFile:
    numbers = draw(st.lists(st.integers(0, 600), min_size=1, max_size=8, unique=True))
    markers = [f"@entity{n}" for n in numbers]
    tokens = st.lists(st.one_of(words, st.sampled_from(markers)), min_size=1, max_size=30)
    query = draw(tokens)
    query.insert(draw(st.integers(0, len(query))), "@placeholder")
    return QuestionFile(
        url=draw(words),
        context=" ".join(draw(tokens)),
        question=" ".join(query),
        answer=draw(st.sampled_from(markers)),
        entities=tuple((m, draw(names)) for m in markers),
    )


@given(files())
def test_parsing_is_the_inverse_of_writing(file: QuestionFile) -> None:
    assert parse(file.content, "x") == file


@given(st.binary())
def test_any_bytes_are_parsed_or_refused_in_one_line(content: bytes) -> None:
    try:
        file = parse(content, "x")
    except UserError as refused:
        assert "\n" not in str(refused)
    else:
        assert file.content == content


@given(st.lists(st.sampled_from([b"\n\n", b"@entity1", b":", b"a b", b"@placeholder", b"\n"])))
def test_nearly_right_bytes_round_trip_or_are_refused(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    try:
        file = parse(content, "x")
    except UserError:
        return
    assert file.content == content


def thousand(path: Path) -> Corpus:
    points = []
    for k in range(250):
        document = document_of(f"story {k} says @entity4 met @entity2 near @entity1", f"d{k}")
        asked = [
            question_of("@placeholder met @entity2", 4, document, 0),
            question_of("@entity4 met @placeholder", 2, document, 1),
            question_of("they met near @placeholder", 1, document, 2),
            question_of(f"in story {k} , @placeholder", 1, document, 3),
        ]
        points.append((document, asked))
    write_shard(path, "valid", 0, points)
    write_manifest(path, name="thousand", options={})
    return Corpus.open(path)


@pytest.mark.parametrize("ending", ["", ".tar"])
def test_round_trip_of_a_thousand_questions_byte_for_byte(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    counts = export_questions(thousand(tmp_path / "made"), first, ["valid"])
    assert counts["questions"] == 1000
    counts, problems = import_questions(first, tmp_path / "back", name="back", strict=True)
    assert (counts["questions"], counts["documents"], problems) == (1000, 250, [])
    export_questions(Corpus.open(tmp_path / "back"), second, ["valid"])
    if ending:
        import tarfile

        with tarfile.open(first) as a, tarfile.open(second) as b:
            contents = [
                {m.name: f.read() for m in tar if (f := tar.extractfile(m))} for tar in (a, b)
            ]
    else:
        contents = [
            {p.name: p.read_bytes() for p in folder.rglob("*.question")}
            for folder in (first, second)
        ]
    assert contents[0] == contents[1]
    assert len(contents[0]) == 1000


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_linked_folder_is_not_skipped_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.question").write_bytes(GOOD.encode())
    (tmp_path / "elsewhere").mkdir()
    (folder / "train").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="train: is a link to a folder"):
        import_questions(folder, tmp_path / "out", name="n")


def test_a_wrong_name_is_reported_and_strict_refuses(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "validation"
    folder.mkdir(parents=True)
    (folder / "wrong.question").write_bytes(GOOD.encode())
    (folder / "bad.question").write_bytes(b"nothing")
    counts, problems = import_questions(folder.parent, tmp_path / "out", name="n")
    assert counts["questions"] == 1
    assert counts["wrong name"] == 1
    assert len(problems) == 2
    corpus = Corpus.open(tmp_path / "out")
    assert corpus.splits == ["valid"]
    assert corpus.manifest["rejects"] == {"valid": {"bad file": 1}}
    with pytest.raises(UserError, match="is missing"):
        import_questions(folder.parent, tmp_path / "out2", name="n", strict=True)
    (folder / "bad.question").unlink()
    with pytest.raises(UserError, match="not the SHA-1"):
        import_questions(folder.parent, tmp_path / "out2", name="n", strict=True)
    assert not (tmp_path / "out2").exists()


@pytest.mark.parametrize("number", ["foo", "", "٣", "007", "99999999999"])
def test_a_token_that_only_looks_like_a_marker_is_imported_as_a_word(
    tmp_path: Path, number: str
) -> None:
    odd = f"@entity{number}"
    folder = tmp_path / "in" / "validation"
    folder.mkdir(parents=True)
    file = parse(GOOD.replace("struck", odd, 1).encode(), "x")
    assert odd in file.context
    (folder / f"{file.sha1}.question").write_bytes(file.content)
    import_questions(folder.parent, tmp_path / "out", name="n", strict=True)
    corpus = Corpus.open(tmp_path / "out")
    ((document, _),) = corpus.read("valid")
    assert document.context.surfaces[document.context.tokens.index(odd)] == odd
    words = {*file.context.split(" "), *file.question.split(" ")}
    markers = {marker for marker, _ in file.entities}
    assert measure(corpus).vocabulary == len(words - markers)


def test_nothing_to_import(tmp_path: Path, make_corpus: Callable[..., Path]) -> None:
    with pytest.raises(UserError, match="no such folder or tar"):
        import_questions(tmp_path / "nowhere", tmp_path / "out", name="n")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"no \.question file"):
        import_questions(tmp_path / "empty", tmp_path / "out", name="n")
    (tmp_path / "not.tar").write_text("nothing")
    (tmp_path / "empty" / "file").touch()
    with pytest.raises(UserError, match="not a whole tar"):
        import_questions(tmp_path / "not.tar", tmp_path / "out", name="n")
    with pytest.raises(UserError, match="already exists"):
        export_questions(Corpus.open(make_corpus()), tmp_path / "empty", ["valid"])

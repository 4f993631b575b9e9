"""Sources: every format gives the same stories, and bad input gets a one-line error."""

import csv
import gzip
import io
import json
import lzma
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.builder.sources import Columns, read_stories
from cloze.builder.sources.story_files import parse_story
from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story

STORIES = [
    Story("a1", "Rain fell.\n\nA lot of it.", ("Rain falls", "It's wet"), None, None),
    Story("b2", 'Snow, "white", fell in Œuvre.', ("Snow falls",), None, None),
]


def read(path: Path, columns: str = "") -> list[Story | Reject]:
    return list(read_stories(path, Columns.parse(columns)))


def as_jsonl(path: Path) -> None:
    lines = [
        json.dumps({"id": s.id, "article": s.article, "highlights": s.highlights}) for s in STORIES
    ]
    path.write_text("\n".join(lines) + "\n")


def as_csv(path: Path) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "article", "highlights"])
        rows.writerows([s.id, s.article, "\n".join(s.highlights)] for s in STORIES)


def as_parquet(path: Path) -> None:
    columns = {
        "id": [s.id for s in STORIES],
        "article": [s.article for s in STORIES],
        "highlights": [list(s.highlights) for s in STORIES],
    }
    pq.write_table(pa.table(columns), path)


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


def story_text(story: Story) -> str:
    return story.article + "".join(f"\n\n@highlight\n\n{h}" for h in story.highlights)


def as_folder(path: Path) -> None:
    path.mkdir()
    for story in STORIES:
        (path / f"{story.id}.story").write_text(story_text(story), encoding="utf-8")


def as_tar(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for story in STORIES:
            content = story_text(story).encode()
            member = tarfile.TarInfo(f"stories/{story.id}.story")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("n.jsonl", as_jsonl),
        ("n.csv", as_csv),
        ("n.parquet", as_parquet),
        ("n", as_folder),
        ("n.tar", as_tar),
    ],
)
def test_formats(tmp_path: Path, name: str, write: Callable[[Path], None]) -> None:
    write(tmp_path / name)
    assert read(tmp_path / name) == STORIES


@pytest.mark.parametrize("write", [as_jsonl, as_csv, as_tar])
@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".zst", zstd),
        # frames one after another are one file
        (".gz", lambda b: gzip.compress(b[:9]) + gzip.compress(b[9:])),
        (".zst", lambda b: zstd(b[:9]) + zstd(b[9:])),
    ],
)
def test_compressed(
    tmp_path: Path,
    write: Callable[[Path], None],
    ending: str,
    compress: Callable[[bytes], bytes],
) -> None:
    kind = {as_jsonl: ".jsonl", as_csv: ".csv", as_tar: ".tar"}[write]
    plain = tmp_path / f"n{kind}"
    write(plain)
    path = tmp_path / f"n{kind}{ending}"
    path.write_bytes(compress(plain.read_bytes()))
    assert read(path) == STORIES


@pytest.mark.parametrize("ending", [".gz", ".xz", ".zst"])
def test_a_truncated_file_is_an_error_and_not_an_end(tmp_path: Path, ending: str) -> None:
    content = b'{"id": "x", "article": "a", "highlights": ["b"]}\n' * 3000
    whole = {
        ".gz": gzip.compress,
        ".xz": lzma.compress,
        ".zst": zstd,
    }[ending](content)
    path = tmp_path / f"n.jsonl{ending}"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="truncated or damaged"):
        read(path)


def test_columns_by_other_names(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    record = {"body": "Text.", "summary": "One\nTwo", "link": "http://x.org/2015/03/09/a", "key": 7}
    path.write_text(json.dumps(record))
    (story,) = read(path, "article=body,highlights=summary,url=link,id=key")
    assert story == Story("7", "Text.", ("One", "Two"), record["link"], "2015-03-09")


def test_without_an_id_the_address_or_the_text_gives_one(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    record = {"article": "Text.", "highlights": ["One"]}
    path.write_text(json.dumps(record) + "\n" + json.dumps(record | {"url": "http://x.org"}))
    first, second = read(path)
    assert isinstance(first, Story)
    assert isinstance(second, Story)
    assert len(first.id) == len(second.id) == 40
    assert first.id != second.id


def test_a_csv_without_the_columns(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("id,text\n1,hello\n")
    with pytest.raises(UserError, match=r"no column 'article', only id, text; say which is which"):
        read(tmp_path / "n.csv")


def test_records_that_are_no_stories_are_rejected_with_a_reason(tmp_path: Path) -> None:
    lines = [
        b'{"id": "a", "article": "x", "highlights": ["y"]}',
        b'{"id": "b", "article": "\xff", "highlights": ["y"]}',
        b"not json",
        b"[1]",
        b'{"id": "c", "highlights": ["y"]}',
        b'{"id": "d", "article": "x"}',
        b'{"id": "e", "article": "x", "highlights": [3]}',
        b'{"id": "f", "article": 5, "highlights": ["y"]}',
        b'{"id": "g", "article": "\\ud800", "highlights": ["y"]}',
        b'{"id": "h\\n", "article": "x", "highlights": ["y"]}',
        b"",
    ]
    (tmp_path / "n.jsonl").write_bytes(b"\n".join(lines))
    found = read(tmp_path / "n.jsonl")
    assert isinstance(found[0], Story)
    assert [(r.where, r.reason) for r in found[1:] if isinstance(r, Reject)] == [
        ("n.jsonl, line 2", "invalid UTF-8"),
        ("n.jsonl, line 3", "invalid JSON"),
        ("n.jsonl, line 4", "invalid JSON"),
        ("n.jsonl, line 5", "no article"),
        ("n.jsonl, line 6", "no highlights"),
        ("n.jsonl, line 7", "article or highlights are not text"),
        ("n.jsonl, line 8", "article or highlights are not text"),
        ("n.jsonl, line 9", "invalid UTF-8"),
        ("n.jsonl, line 10", "id is not one word"),
    ]


GOOD = b'{"id": "good", "article": "x", "highlights": ["y"]}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"article": "x", "highlights": 5}', Reason.NOT_TEXT),
        (b'{"article": "x", "highlights": true}', Reason.NOT_TEXT),
        (b'{"article": "x", "highlights": {"y": 1}}', Reason.NOT_TEXT),
        (b'{"article": "x", "highlights": ["y"], "z": ' + b"[" * 100_000, Reason.NOT_JSON),
        (b'{"article": "x", "highlights": ["y"], "id": ' + b"9" * 5000 + b"}", Reason.NOT_JSON),
        (b'{"article": "x", "highlights": ["y"], "id": ["a"]}', Reason.NO_FIELD),
        (b'{"article": "x", "highlights": ["y"], "id": ' + b"[" * 990 + b"]" * 990 + b"}", None),
        (b'{"article": "x", "highlights": ["y"], "url": {"a": 1}}', Reason.NO_FIELD),
        (b'{"article": "x", "highlights": ["y"], "url": "http://\\ud800"}', Reason.NOT_UTF8),
        (b'{"article": "x", "highlights": ["y"], "date": "2015\\udfff"}', Reason.NOT_UTF8),
        (b'{"article": "x", "highlights": ["y"], "id": "\\udfff"}', Reason.NOT_UTF8),
        (b'{"article": "' + b"x" * (64 << 20) + b'", "highlights": ["y"]}', Reason.TOO_BIG),
        (b"\0", Reason.NOT_JSON),
        (b"NaN", Reason.NOT_JSON),
    ],
    ids=lambda value: value.name if isinstance(value, Reason) else None,
)
def test_one_bad_line_is_one_reject(tmp_path: Path, line: bytes, reason: Reason | None) -> None:
    (tmp_path / "n.jsonl").write_bytes(GOOD + b"\n" + line + b"\n" + GOOD)
    first, bad, last = read(tmp_path / "n.jsonl")
    assert isinstance(first, Story)
    assert first == last
    assert isinstance(bad, Reject)
    assert bad.where == "n.jsonl, line 2"
    assert reason is None or bad.reason == reason


def test_one_bad_row_of_a_csv_is_one_reject(tmp_path: Path) -> None:
    rows = [b"id,article,highlights,url,date"]
    rows += [b"1,x,y,,2015-\xff", b"2,x,y,\xff,", b"3,x", b"4,x,y,u,2015,more,and more", b"5,x,y,,"]
    (tmp_path / "n.csv").write_bytes(b"\n".join(rows))
    found = read(tmp_path / "n.csv")
    reasons = [each.reason if isinstance(each, Reject) else None for each in found]
    assert reasons == [Reason.NOT_UTF8, Reason.NOT_UTF8, Reason.NO_HIGHLIGHTS, None, None]


def test_one_bad_row_of_a_parquet_is_one_reject(tmp_path: Path) -> None:
    bad = pa.array([b"x", b"\xff\xfe", b"x", b"x"], pa.binary()).view(pa.string())
    highlights = pa.ListArray.from_arrays(
        [0, 1, 2, 3, 4], pa.array([b"y", b"y", b"\xff", b"y"], pa.binary()).view(pa.string())
    )
    dates = pa.array([0, 0, 0, 2**62], pa.timestamp("us"))
    columns = {"id": ["a", "b", "c", "d"], "article": bad, "highlights": highlights, "date": dates}
    pq.write_table(pa.table(columns), tmp_path / "n.parquet")
    good, *rejects = read(tmp_path / "n.parquet")
    assert isinstance(good, Story)
    assert rejects == [
        Reject("n.parquet, row 2", Reason.NOT_UTF8),
        Reject("n.parquet, row 3", Reason.NOT_UTF8),
        Reject("n.parquet, row 4", Reason.NO_FIELD),
    ]


def test_invalid_utf8_in_a_csv_and_in_a_story_file(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_bytes(b"id,article,highlights\n1,\xff,x\n2,ok,x\n")
    bad, good = read(tmp_path / "n.csv")
    assert isinstance(bad, Reject)
    assert bad.reason == "invalid UTF-8"
    assert isinstance(good, Story)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.story").write_bytes(b"\xff\n\n@highlight\n\nx")
    assert read(tmp_path / "s") == [Reject("a.story", Reason.NOT_UTF8)]


@pytest.mark.parametrize("name", ["missing.jsonl", "n.docx", "empty"])
def test_what_is_no_source(tmp_path: Path, name: str) -> None:
    (tmp_path / "n.docx").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError):
        read(tmp_path / name)


def test_damaged_tar_and_parquet(tmp_path: Path) -> None:
    as_tar(tmp_path / "n.tar")
    whole = (tmp_path / "n.tar").read_bytes()
    (tmp_path / "n.tar").write_bytes(whole[:600])
    with pytest.raises(UserError, match="not a whole tar"):
        read(tmp_path / "n.tar")
    (tmp_path / "n.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(UserError, match="not a whole Parquet"):
        read(tmp_path / "n.parquet")


def test_a_folder_with_files_of_several_kinds(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    as_folder(folder)
    (folder / "B2.STORY").write_text(story_text(STORIES[1]), encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "page.html").write_text(page())
    (folder / "sub" / "more.jsonl.gz").write_bytes(b"")
    (folder / "notes.txt").write_text("not for us")
    by_kind = {found.id if isinstance(found, Story) else found for found in read(folder)}
    (web,) = (found for found in read(folder / "sub") if isinstance(found, Story))
    assert by_kind == {
        "a1",
        "b2",
        "B2",
        web.id,
        Reject(str(Path("sub", "more.jsonl.gz")), Reason.OTHER_SOURCE),
    }


def test_what_lies_in_a_folder_under_the_name_of_a_story(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    as_folder(folder)
    (folder / "c.story").mkdir()
    (folder / "d.story").symlink_to("nowhere")
    with open(folder / "e.story", "wb") as file:
        file.truncate(65 << 20)
    assert read(folder) == [
        *STORIES,
        Reject("c.story", Reason.NO_FILE),
        Reject("d.story", Reason.NO_FILE),
        Reject("e.story", Reason.TOO_BIG),
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_linked_folder_is_a_reject(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    as_folder(folder)
    (tmp_path / "elsewhere").mkdir()
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    (folder / "round").symlink_to(folder)
    assert [found for found in read(folder) if isinstance(found, Reject)] == [
        Reject("more", Reason.LINKED_FOLDER),
        Reject("round", Reason.LINKED_FOLDER),
    ]


@given(st.text(), st.lists(st.text(alphabet="ab c\r@", min_size=1), max_size=3))
def test_story_files_give_back_what_was_written(article: str, highlights: list[str]) -> None:
    story = parse_story(story_text(Story("x", article, tuple(highlights))), "x")
    if "@highlight" not in article:
        assert story.article == article.replace("\r\n", "\n").strip()
        assert story.highlights == tuple(" ".join(h.split()) for h in highlights if h.split())


PAGE = """<html><head><title>Storm</title><link rel="canonical" href="http://x.org/2015/03/09/storm">
</head><body><nav><ul><li>Home is where it is at</li><li>News of the whole world</li></ul></nav>
<article><h1>Storm over the bay</h1>
<ul class="story-highlights"><li>Storm hits Kestrel Bay on Monday</li>
<li>Mayor Mara Venn asks people to stay at home</li></ul>
{paragraphs}</article><footer>About us</footer></body></html>"""


def page() -> str:
    text = (
        "A heavy storm hit the harbour of Kestrel Bay on Monday, and many boats were lost there. "
    )
    paragraphs = "".join(
        f"<p>{text}It was wave number {i} of the long night.</p>" for i in range(6)
    )
    return PAGE.format(paragraphs=paragraphs)


def test_a_saved_page(tmp_path: Path) -> None:
    (tmp_path / "storm.html").write_text(page())
    (story,) = read(tmp_path)
    assert isinstance(story, Story)
    assert story.highlights == (
        "Storm hits Kestrel Bay on Monday",
        "Mayor Mara Venn asks people to stay at home",
    )
    assert story.url == "http://x.org/2015/03/09/storm"
    assert story.article.count("wave number") == 6
    assert "Storm hits Kestrel Bay on Monday" not in story.article
    assert "News of the whole world" not in story.article

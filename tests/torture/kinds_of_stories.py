"""What `cloze build`, `annotate`, `audit` and `ask` read."""

import io
from functools import partial
from pathlib import Path

from rich.console import Console

from cloze.ask.article import check_article
from cloze.ask.tagging import tagger
from cloze.ask.terminal import Conversation
from cloze.builder.gold_scores import score
from cloze.builder.marked_scores import score_texts, table
from cloze.builder.marked_texts import read_texts
from cloze.builder.prepare import prepare, reject, reject_early
from cloze.builder.sources import Columns, Reading, read_stories
from cloze.cli.ask import _text as read_article
from cloze.corpus.splits import parse_rule
from cloze.corpus.store import Corpus
from cloze.finding import find
from cloze.names.detection import annotate
from cloze.names.language import load_language
from cloze.names.spans import check_fit, read_spans
from cloze.stories import Story
from cloze.tables import as_text
from tests.torture.kind import Kind
from tests.torture.mutated_archives import COMPRESS, compressed, members_changed, tar_changed
from tests.torture.mutated_json import json_line_changed, yaml_changed
from tests.torture.mutated_tables import table_changed
from tests.torture.mutations import (
    Mutation,
    any_of,
    bytes_changed,
    lines_changed,
    text_changed,
    words_changed,
)
from tests.torture.world import RULES, STORIES

HERE = Reading(seconds=0)  # pages are read in this process, where a fault is seen


def _read(source: Path) -> None:
    for found in read_stories(source, Columns(), HERE):
        if isinstance(found, Story):
            reject_early(found)


def _build(source: Path) -> None:
    """What a build does with a source, but for writing it down."""
    language = load_language("en")
    for found in read_stories(source, Columns(), HERE):
        if isinstance(found, Story) and found not in STORIES and reject_early(found) is None:
            (spans,) = annotate([found], RULES)
            reject(prepare(found, spans, language))


def _with_spans(path: Path) -> None:
    for story, spans in zip(STORIES, read_spans(path), strict=False):
        check_fit(story, spans, path)
        prepare(story, spans, load_language("en"))


def _split(path: Path) -> None:
    split_of = parse_rule(f"ids:valid={path}")
    for story in STORIES:
        split_of(story)


def _score_gold(folder: Path) -> None:
    score(Corpus.open(folder / "built"), folder / "news.gold.jsonl")


def _score_marked(folder: Path) -> None:
    texts = read_texts(folder)
    as_text(table(texts, score_texts(texts, RULES)))


def _read_text(path: Path) -> None:
    check_article(read_article(path))


def _ask(path: Path, highlights: bool) -> None:
    text = read_article(path)
    article, lines = (STORIES[0].article, text.splitlines()) if highlights else (text, [])
    answerer = find("maximum-frequency")
    told = Console(file=io.StringIO(), width=80)
    asked = Conversation(answerer, tagger(RULES), article, lines, told)
    asked.propose()
    asked.ask("X met Mr Lund")


def _source(name: str, *files: str, change: Mutation) -> list[Kind]:
    return [Kind(name, f"news/{file}", ("",), change, _read, _build) for file in files]


_LINES = any_of(json_line_changed, json_line_changed, text_changed)
_TAR = any_of(tar_changed, tar_changed, members_changed, bytes_changed, text_changed)
KINDS: tuple[Kind, ...] = (
    Kind("story", "news/stories", ("s1.story", "s2.story"), text_changed, _read, _build),
    Kind("web page", "news/pages", ("rain.html",), text_changed, _read, _build),
    *_source("tar of stories", "pax.tar", "gnu.tar", change=_TAR),
    *_source("WARC", "pages.warc", change=text_changed),
    *_source("compressed WARC", "pages.warc.gz", change=compressed(".gz", text_changed)),
    *_source("JSON lines", "news.jsonl", change=_LINES),
    *_source("CSV", "news.csv", "news.tsv", change=text_changed),
    *_source("Parquet of stories", "news.parquet", change=any_of(table_changed, bytes_changed)),
    *(
        Kind(
            f"compressed {codec}",
            f"news/news.jsonl{codec}",
            ("",),
            compressed(codec, _LINES),
            _read,
            _build,
        )
        for codec in COMPRESS
    ),
    Kind("list of ids", "news/valid.txt", ("",), text_changed, _split),
    Kind("spans", "news/spans.jsonl", ("",), _LINES, _with_spans),
    Kind("gold as spans", "news/news.gold.jsonl", ("",), _LINES, _with_spans),
    Kind("gold", "news", ("news.gold.jsonl", "news.jsonl"), _LINES, _score_gold),
    Kind(
        "marked text",
        "marked",
        ("text.yaml",),
        any_of(yaml_changed, yaml_changed, words_changed, lines_changed, bytes_changed),
        read_texts,
        _score_marked,
    ),
    Kind(
        "article",
        "news/article.txt",
        ("",),
        text_changed,
        _read_text,
        partial(_ask, highlights=False),
    ),
    Kind(
        "highlights",
        "news/highlights.txt",
        ("",),
        text_changed,
        read_article,
        partial(_ask, highlights=True),
    ),
)

"""One good file of every kind that a command reads, made by the software itself.

world/news/     stories as JSON lines, CSV, Parquet, tar, .story and .html; spans, gold, ids
      corpus/   questions/   encoded/   pieces/   model/   pieces-model/   tagger/   four-bits/
      encoder/  a pretrained encoder      run/     a training run with its checkpoints
      search/   a study                   predictions/   of a baseline and of a reader
      marked/   a text with marked names  bulk/    questions about many articles
      parts/    encoded, in parts         sharded/ the store of a build on many machines
      fetched/  pages and their account   replies/ of a language model
"""

import csv
import gzip
import io
import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloze.builder.chunks import Chunk, record_of
from cloze.builder.work_folder import FINISHED
from cloze.confidence import Confidence, Level
from cloze.config import load
from cloze.corpus.exchange import export_questions
from cloze.corpus.store import Corpus
from cloze.evaluation.run import Options
from cloze.evaluation.run import run as evaluate
from cloze.fetching.client import Got
from cloze.fetching.warcs import page_record
from cloze.finding import find
from cloze.names.detection import annotate
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.encoder import open_encoder
from cloze.readers.measured import store_confidence
from cloze.readers.reader import Reader
from cloze.readers.registry import config_of
from cloze.readers.tagging.adapters import Adapters, save_adapters
from cloze.readers.transformer import Transformer
from cloze.stories import Story
from cloze.training.data import open_encoded
from cloze.training.search import Search
from cloze.training.search_report import report
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train
from tests.readers.test_pretrained import folder_of
from tests.readers.tokenizers import tokenizer_file
from tests.torture.mutated_archives import COMPRESS
from tests.training.corpora import write_corpus

RULES = "rules:en"  # finds names without a trained pipeline, and quickly
CONFIDENCE = Confidence(
    temperature=1.5,
    corpus="tiny",
    split="valid",
    questions=9,
    error=0.1,
    levels=[Level(least=0.1, answers=4, right=1), Level(least=0.6, answers=5, right=4)],
)
STORIES = (
    Story(
        "s1",
        'Mr Tobias Lund of Ostrava Rail Ltd met Ms Mara Venn in Prague.\n\nShe said "no", then left.',
        ("Ms Mara Venn met Mr Tobias Lund", "Ostrava Rail Ltd was there"),
        "http://example.org/2015/03/23/lund/",
        "2015-03-23",
    ),
    Story(
        "s2",
        "Dr Ann Tillow won the Lantern Prize. Dr Tillow thanked NATO and Mr Lund at Kestrel Bay.",
        ("Dr Ann Tillow wins the Lantern Prize", "NATO is thanked by Dr Ann Tillow"),
        None,
        "2015-04",
    ),
    Story("s3", "It rained in London, said Mr Peter Oke.", ("Mr Peter Oke saw rain",)),
)
PAGE = """<!doctype html><html><head><title>Rain</title>
<link rel="canonical" href="http://example.org/2015/03/23/rain/"></head><body><article>
<ul class="story-highlights"><li>Mr Peter Oke saw rain in London today</li>
<li>Ms Mara Venn did not see the rain</li></ul><h1>Rain</h1>
<p>It rained in London on Monday, said Mr Peter Oke, who had been standing in it for an hour.</p>
<p>Ms Mara Venn of Ostrava Rail Ltd was in Prague at the time and saw none of it, she said.</p>
</article></body></html>"""
TRAIN = """
reader: {kind: attentive, hidden_size: 4, embedding_size: 4}
batches: {size: 8}
optimiser: {name: rmsprop, learning_rate: 0.01}
run: {steps: 2, validate_every: 1, checkpoint_every: 1, log_every: 1, device: cpu, threads: 1}
"""
SEARCH = "base: train.yaml\nfixed: {run.steps: 1}\nspace:\n  run.seed: [1]\n"
MARKED = """
manner: minutes
half: look
entities: {venn: PERSON, rail: ORG}
article: "Ms [Mara Venn]{venn} left [Ostrava Rail Ltd]{rail}. [Venn]{venn} was glad."
plain: [{ask: "X left a company", answer: venn}]
paraphrased: [{ask: "X lost somebody", answer: rail, sentence: "Venn was glad."}]
"""


def make_world(place: Path) -> Path:
    """Some seconds of work; a folder that stands already is taken as it is."""
    from tests.torture.kept_work import make_kept_work

    if not (place / "whole").exists():
        _news(place / "news")
        corpus = write_corpus(place / "corpus", documents=6)
        export_questions(corpus, place / "questions", corpus.splits)
        export_questions(corpus, place / "questions.tar", corpus.splits)
        _encoded(place)
        _models(place)
        _runs(place)
        _predictions(place, corpus)
        _few_questions(place)
        _work(place)
        make_kept_work(place)
        (place / "marked").mkdir()
        (place / "marked" / "text.yaml").write_text(MARKED)
        (place / "whole").touch()
    return place


def _news(folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = [
        {
            "id": s.id,
            "article": s.article,
            "highlights": list(s.highlights),
            "url": s.url,
            "date": s.date,
        }
        for s in STORIES
    ]
    (folder / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for codec, compress in COMPRESS.items():
        (folder / f"news.jsonl{codec}").write_bytes(compress((folder / "news.jsonl").read_bytes()))
    (folder / "news.csv").write_text(_csv(","), newline="")
    (folder / "news.tsv").write_text(_csv("\t"), newline="")
    pq.write_table(pa.Table.from_pylist(rows), folder / "news.parquet")
    (folder / "stories").mkdir()
    for story in STORIES:
        (folder / "stories" / f"{story.id}.story").write_text(story_text(story))
    (folder / "pages").mkdir()
    (folder / "pages" / "rain.html").write_text(PAGE)
    for form, name in ((tarfile.PAX_FORMAT, "pax"), (tarfile.GNU_FORMAT, "gnu")):
        (folder / f"{name}.tar").write_bytes(_tar(form))
    (folder / "pages.warc").write_bytes(_warc())
    (folder / "pages.warc.gz").write_bytes(COMPRESS[".gz"](_warc()))
    (folder / "valid.txt").write_text("s1\ns2\n")
    spans = [own.line() for own in annotate(STORIES, RULES)]
    (folder / "spans.jsonl").write_text("".join(line + "\n" for line in spans))
    _gold(folder)
    (folder / "article.txt").write_text(STORIES[0].article)
    (folder / "highlights.txt").write_text("\n".join(STORIES[0].highlights))


def _gold(folder: Path) -> None:
    """The spans as gold, each of a cluster of its own; `cloze build` makes the corpus of them."""
    from cloze.builder.build import build
    from cloze.builder.build_input import Source
    from cloze.builder.sources import Reading

    with open(folder / "news.gold.jsonl", "w") as file:
        for story, own in zip(STORIES, annotate(STORIES, RULES), strict=True):
            texts = [[[*span, k] for k, span in enumerate(text)] for text in own.texts]
            gold = {
                "id": story.id,
                "article": texts[0],
                "highlights": texts[1:],
                "names": ["a", "b"],
            }
            print(json.dumps(gold), file=file)
    source = Source(folder / "news.jsonl", "valid", folder / "spans.jsonl")
    build([source], folder / "built", name="built", workers=1)
    pages, here = Source(folder / "pages", "valid"), Reading(seconds=0)
    build([pages], folder.parent / "paged", pipeline=RULES, workers=1, pages=here)


def story_text(story: Story) -> str:
    return story.article + "".join(f"\n\n@highlight\n\n{text}" for text in story.highlights) + "\n"


def _csv(between: str) -> str:
    text = io.StringIO()
    table = csv.writer(text, delimiter=between)
    table.writerow(["id", "article", "highlights", "url", "date"])
    for s in STORIES:
        table.writerow([s.id, s.article, "\n".join(s.highlights), s.url, s.date])
    return text.getvalue()


def _warc() -> bytes:
    """Two pages as `cloze fetch` keeps them, unpacked."""
    headers = [("Content-Type", "text/html; charset=utf-8")]
    addresses = ("http://www.cnn.com/2015/03/09/rain", "http://x.example/rain")
    got = [Got(address, 200, "OK", headers, PAGE.encode()) for address in addresses]
    return gzip.decompress(b"".join(page_record(each.url, each) for each in got))


def _tar(form: int) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=form) as archive:
        for number, story in enumerate(STORIES):
            long = "n" * 120 if number == 1 else ""
            member = tarfile.TarInfo(f"stories/{long}{story.id}.story")
            content = story_text(story).encode()
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return whole.getvalue()


def _encoded(place: Path) -> None:
    encode_corpus(place / "corpus", place / "encoded")
    tokenizer_file(place / "tokenizer.json")
    encode_corpus(place / "corpus", place / "pieces", tokenizer=place / "tokenizer.json")
    folder_of(place / "encoder", "bert")
    encode_corpus(place / "corpus", place / "parts", part_size=1 << 20)
    open_encoded(place / "parts")  # unpacks them
    _for_training(place)


def _for_training(place: Path) -> None:
    """Word vectors, and what a teacher says of the training questions."""
    words = (place / "encoded" / "vocabulary.txt").read_text().splitlines()[2:12]
    rows = [f"{word.partition(chr(9))[0]} 0.1 -0.2 3e-1 4" for word in words]
    (place / "vectors.txt").write_text("\n".join(rows) + "\n")
    questions = len(open_encoded(place / "encoded").train)
    candidates = np.tile(np.array([0, 1, -1], np.int16), (questions, 1))
    probabilities = np.tile(np.array([200, 40, 0], np.uint8), (questions, 1))
    np.savez(place / "teacher.npz", candidates=candidates, probabilities=probabilities)


def _models(place: Path) -> None:
    settings = {"kind": "attentive", "hidden_size": 4, "embedding_size": 4}
    for encoded, model in (("encoded", "model"), ("pieces", "pieces-model")):
        Reader(config_of(settings), open_encoder(place / encoded)).save_pretrained(place / model)
    store_confidence(place / "model", CONFIDENCE)
    (place / "model" / "NOTICE.md").write_text("The weights are ours.\n")
    settings = {"kind": "encoder", "layers": 1, "hidden_size": 8, "heads": 2, "positions": 64}
    reader = Reader(config_of(settings), open_encoder(place / "pieces"))
    reader.save_pretrained(place / "tagger")
    assert isinstance(reader.network.body, Transformer)
    save_adapters(place / "tagger", Adapters(reader.network.body, {"layers.0.up": 2}, 2.0))
    settings |= {"hidden_size": 64, "relative_buckets": 8}  # smaller matrices stay in 16 bits
    reader = Reader(config_of(settings), open_encoder(place / "pieces"))
    reader.save_pretrained(place / "four-bits", bits=4)


def _runs(place: Path) -> None:
    (place / "train.yaml").write_text(TRAIN)
    (place / "search.yaml").write_text(SEARCH)
    given = [f"encoded={place / 'encoded'}"]
    train(load(TrainSettings, place / "train.yaml", [*given, f"out={place / 'run'}"]))
    study = place / "study"
    study.mkdir()
    for name in ("train.yaml", "search.yaml"):
        (study / name).write_bytes((place / name).read_bytes())
    search = Search(study / "search.yaml", study / "search", given, lambda line: None)
    search.run()
    report(search)
    shutil.rmtree(study / "search" / "trials")


def _few_questions(place: Path) -> None:
    """One file, and a tar of two: small things are spoilt in more places."""
    first, second, *_ = sorted((place / "questions" / "training").iterdir())
    (place / "one-question" / "train").mkdir(parents=True)
    (place / "one-question" / "train" / "one.question").write_bytes(first.read_bytes())
    with tarfile.open(place / "few-questions.tar", "w") as archive:
        for path in (first, second):
            archive.add(path, f"train/{path.name}")


def _work(place: Path) -> None:
    """What a build leaves that was killed in its midst, or when its output stood."""
    identity = {"made": "by us"}
    building = place / "work" / ".out.building"
    (building / FINISHED).mkdir(parents=True)
    (building / "identity.json").write_text(json.dumps(identity))
    for name in ("a", "b"):
        chunk = Chunk(name, 1, ["payload"])
        record = record_of(chunk, {"split": "train"}, {"made": {"bytes": 0, "sha256": ""}})
        (building / FINISHED / f"{name}.json").write_text(json.dumps(record))
    (place / "work-done" / "out").mkdir(parents=True)
    mark = {"identity": identity, "inode": 7}
    (place / "work-done" / ".out.built").write_text(json.dumps(mark))


def _predictions(place: Path, corpus: Corpus) -> None:
    out = place / "predictions"
    options = Options(attention=True, permutations=2)
    for word in ("maximum-frequency", str(place / "model")):
        evaluate(find(word, device="cpu"), corpus, "valid", out, options)

"""Good files of the commands that keep their work: sharded builds, bulk questions, pages, replies."""

import json
import shutil
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from cloze.ask.bulk import Bulk
from cloze.ask.tagging import tagger
from cloze.builder.build import build_chunk
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.run import do_share
from cloze.builder.sharded.stores import FolderStore
from cloze.builder.sources import Columns, Reading
from cloze.corpus.store import Corpus
from cloze.fetching.account import Account, Outcome, Settled
from cloze.fetching.client import Got
from cloze.fetching.manner import Manner
from cloze.fetching.warcs import Warcs
from cloze.finding import find
from cloze.language_models.address import Key, parse_address
from cloze.language_models.forms import Form
from cloze.language_models.model import LanguageModel
from cloze.language_models.prompts import Prompt
from cloze.language_models.replies import Replies, Reply
from cloze.language_models.request import Settings
from cloze.readers.encode_corpus import Encoding
from cloze.readers.encode_shards import encode_share
from tests.torture.world import PAGE, RULES, STORIES

MANNER = Manner(contact="a@example.org")
ADDRESSES = [f"http://example.org/2015/03/23/{name}/" for name in ("rain", "sun", "ice")]
PART = ".answers.jsonl.building/chunks/part.jsonl"  # the true name ends in a hash


def make_kept_work(place: Path) -> None:
    _sharded(place)
    _bulk(place / "bulk")
    _fetched(place / "fetched")
    (place / "urls.txt").write_text("# pages\n" + "\n".join(ADDRESSES) + "\nftp://x\n")
    _replies(place)
    (place / "prompt.txt").write_text(Prompt.built_in("chat").text)


def recipe(world: Path) -> Recipe:
    """Stories with spans, and pages without."""
    news = world / "news"
    sources = (
        Source(news / "news.jsonl", "train", news / "spans.jsonl"),
        Source(news / "pages", "valid"),
    )
    pages = Reading(seconds=0)
    return Recipe(sources, "made", "train", Columns(), RULES, "en", 1, pages, stories_a_shard=2)


def plan(world: Path, store: Path) -> Plan:
    return Plan(recipe(world), build_chunk, FolderStore(store), world)


def _sharded(place: Path) -> None:
    """The store of a build whose shards are all there, ready to become a corpus."""
    out = place / "out"
    do_share(recipe(place), build_chunk, out, number=1, of=1, engine=map)
    store = place / ".out.shards"
    (kept,) = (path for path in store.iterdir() if path.name != "fingerprints")
    kept.rename(place / "sharded")
    (place / "sharded" / "fingerprints").mkdir()
    first = min((store / "fingerprints").iterdir())
    first.rename(place / "sharded" / "fingerprints" / "moment.json")
    shutil.rmtree(store)
    asked = Encoding(Corpus.open(place / "corpus"))
    encode_share(asked, out, None, number=1, of=1, engine=map)
    (kept,) = store.iterdir()
    kept.rename(place / "shared-encoding")
    shutil.rmtree(store)


def bulk() -> Bulk:
    return Bulk(find("maximum-frequency"), tagger(RULES), pipeline=RULES)


def _bulk(folder: Path) -> None:
    folder.mkdir()
    (folder / "s1.txt").write_text(STORIES[0].article)
    lines = [
        {"id": "a", "article": STORIES[1].article, "questions": ["X won a prize", "who won?"]},
        {"path": "s1.txt", "highlights": ["X met"], "questions": ["X met Mr Lund"]},
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with suppress(KeyboardInterrupt), patch("cloze.ask.bulk.join", side_effect=KeyboardInterrupt):
        bulk().run(folder / "questions.jsonl", folder / "answers.jsonl")
    (part,) = (folder / ".answers.jsonl.building" / "chunks").iterdir()
    part.rename(folder / PART)


def _fetched(folder: Path) -> None:
    """One page is settled, one is in the WARC alone, one is still to be asked for."""
    folder.mkdir()
    headers = [("Content-Type", "text/html")]
    with (
        Account(folder / "account.sqlite") as account,
        Warcs(folder, agent=MANNER.agent) as warcs,
    ):
        account.add((address, "example.org", None) for address in ADDRESSES)
        account.note("asked", [MANNER.wayback, MANNER.archive])
        account.keep_robots("http://example.org", b"User-agent: *\nDisallow: /x\n", 1e12)
        for number, address in enumerate(ADDRESSES[:2]):
            place = warcs.keep(address, Got(address, 200, "OK", headers, PAGE.encode()))
            if number == 0:
                account.settle(1, Settled(Outcome.FETCHED, None, 200, address), place)
        account.flush()


def language_model(replies: Replies) -> LanguageModel:
    address = parse_address("http://localhost:9/v1")
    settings = Settings(address.url, "m", address.interface, Prompt.built_in("chat"))
    return LanguageModel(settings, Form.MARKERS, replies, address, Key(""))


def _replies(place: Path) -> None:
    (place / "replies").mkdir()
    kept = Replies(place / "replies" / "replies.sqlite")
    points = list(Corpus.open(place / "corpus").read("valid"))[:2]
    said = [Reply(text="@entity1", finish="stop", tokens_read=9), Reply(failure="time-out")]
    for number, request in enumerate(language_model(kept).requests(points)):
        kept.keep(request, said[number % 2])
    kept.flush()
    kept.close()

import calendar
import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.newsroom import Gold, Mention, stories, write_story
from cloze.newsroom.desks import ASIDES, DESKS, PROFILES
from cloze.newsroom.frame import Slot, parse_desk
from cloze.stories import Story

LABELS = {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART"}
NOT_NAMES = {
    *calendar.day_name,
    *calendar.month_name,
    *("I", "Mr", "Ms", "Dr", "Judge", "Mayor", "Captain", "Professor", "Sundays"),
}
any_story = st.builds(write_story, st.integers(-(2**70), 2**70), st.integers(0, 10**12))


@pytest.fixture(scope="module")
def corpus() -> list[tuple[Story, Gold]]:
    return list(stories(seed=3, count=500))


def texts(story: Story, gold: Gold) -> list[tuple[str, tuple[Mention, ...]]]:
    highlights = zip(story.highlights, gold.highlights, strict=True)
    return [(story.article, gold.article), *highlights]


def is_form_of(surface: str, name: str) -> bool:
    """The name, some of its words, or its initials."""
    initials = "".join(word[0] for word in name.split())
    return f" {surface} " in f" {name} " or surface == initials


def check(story: Story, gold: Gold) -> None:
    seen: set[str] = set()
    for text, mentions in texts(story, gold):
        end = 0
        for mention in mentions:
            assert end <= mention.start < mention.end <= len(text)
            end = mention.end
            surface = text[mention.start : mention.end]
            assert is_form_of(surface, gold.names[mention.cluster]), surface
            assert mention.label in LABELS
            seen.add(surface)
    for text, mentions in texts(story, gold):
        covered = {i for m in mentions for i in range(m.start, m.end)}
        for surface in seen:
            for match in re.finditer(rf"(?<!\w){re.escape(surface)}(?!\w)", text):
                assert match.start() in covered, (surface, text)
        for match in re.finditer(r"[A-Z][\w-]*", text):
            starts_sentence = re.search(r'(?:^|[.?!]"?\s+|\n|-- )"?$', text[: match.start()])
            known = match.start() in covered or match[0] in NOT_NAMES
            opens_quote = text[: match.start()].endswith('"')
            assert known or starts_sentence or opens_quote, (match[0], text)
    first_mentions = dict.fromkeys(m.cluster for _, ms in texts(story, gold) for m in ms)
    assert list(first_mentions) == list(range(len(gold.names)))
    assert gold.id == story.id
    assert len(story.id) == 40
    assert 60 <= len(story.article.split()) <= 400
    assert 5 <= len({mention.cluster for mention in gold.article}) <= 30
    assert 3 <= len(story.highlights) <= 4
    for highlight in story.highlights:
        assert highlight not in story.article


@settings(max_examples=150)
@given(any_story)
def test_any_story_is_well_formed_and_its_names_are_marked(written: tuple[Story, Gold]) -> None:
    check(*written)


def test_a_story_depends_on_seed_and_index_alone() -> None:
    forwards = [write_story(5, index) for index in range(20)]
    backwards = [write_story(5, index) for index in reversed(range(20))]
    assert forwards == backwards[::-1]
    assert forwards[7:12] == list(stories(5, 5, start=7))
    others = [write_story(6, index) for index in range(20)]
    articles = {story.article for story, _ in forwards + others}
    assert len(articles) == 40
    assert len({story.id for story, _ in forwards + others}) == 40


def test_another_process_writes_the_same() -> None:
    program = "from cloze.newsroom import write_story; print(repr(write_story(1, 2)))"
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == repr(write_story(1, 2))


def test_a_cluster_has_one_label(corpus: list[tuple[Story, Gold]]) -> None:
    for story, gold in corpus:
        labels: dict[int, set[str]] = {}
        for _, mentions in texts(story, gold):
            for mention in mentions:
                labels.setdefault(mention.cluster, set()).add(mention.label)
        assert all(len(found) == 1 for found in labels.values())


def test_every_label_and_every_kind_of_short_form_occurs(corpus: list[tuple[Story, Gold]]) -> None:
    labels: Counter[str] = Counter()
    surnames = abbreviations = shared = titled = 0
    for story, gold in corpus:
        people = set()
        for mention in gold.article:
            surface = story.article[mention.start : mention.end]
            labels[mention.label] += 1
            if mention.label == "PERSON":
                people.add(gold.names[mention.cluster])
                surnames += " " not in surface
                titled += story.article[: mention.start].endswith(("Mr ", "Ms "))
            abbreviations += mention.label == "ORG" and surface.isupper()
        shared += len({name.split()[-1] for name in people}) < len(people)
    assert set(labels) == LABELS
    assert min(surnames, abbreviations, titled) > 100
    assert shared > 10


def test_dates_spread_over_a_year(corpus: list[tuple[Story, Gold]]) -> None:
    months = Counter(story.date[:7] for story, _ in corpus if story.date)
    assert len(months) == 12
    assert {"2015-03", "2015-04"} < set(months)
    assert max(months.values()) - min(months.values()) <= 1


def test_the_text_is_clean(corpus: list[tuple[Story, Gold]]) -> None:
    wrong = re.compile(
        r"  | [,.;]|\.\.|,,|[{}_]|\b(\w+) \1\b|\b[aA] [aeioAEIO]|\b[aA]n (?!hour)[^aeiouAEIOU8\W1]|"
        r"\bthe (?:a|an|his|her)\b|\(\)|None"
    )
    for story, gold in corpus:
        for paragraph in story.article.split("\n\n"):
            assert paragraph.count('"') % 2 == 0, paragraph
            assert re.search(r'[.?!]"?$', paragraph), paragraph
            for sentence in re.split(r'(?<=[.?!])\s+|(?<=[.?!]")\s+', paragraph):
                assert sentence[0].isupper() or sentence[0] == '"', sentence
        for highlight in story.highlights:
            assert highlight[0].isupper() or highlight[0] == '"' or highlight[0].isdigit()
            assert not highlight.endswith(".")
        for text, _ in texts(story, gold):
            assert not (found := wrong.search(text)), (found, text)


def test_highlights_paraphrase(corpus: list[tuple[Story, Gold]]) -> None:
    shares = []
    for story, _ in corpus:
        words = story.article.lower().split()
        article = set(zip(words, words[1:], words[2:], words[3:], strict=False))
        for highlight in story.highlights:
            words = highlight.lower().split()
            grams = list(zip(words, words[1:], words[2:], words[3:], strict=False))
            if grams:
                shares.append(sum(gram in article for gram in grams) / len(grams))
    assert sum(shares) / len(shares) < 0.05
    assert sum(share > 0.5 for share in shares) / len(shares) < 0.01


def test_names_of_highlights_are_mostly_in_the_article(corpus: list[tuple[Story, Gold]]) -> None:
    found: list[bool] = []
    for _, gold in corpus:
        article = {mention.cluster for mention in gold.article}
        found += [m.cluster in article for mentions in gold.highlights for m in mentions]
    assert 0.95 < sum(found) / len(found) < 1.0


def test_the_vocabulary_is_moderate(corpus: list[tuple[Story, Gold]]) -> None:
    words: set[str] = set()
    for story, gold in corpus:
        for text, mentions in texts(story, gold):
            for mention in reversed(mentions):
                text = text[: mention.start] + text[mention.end :]
            words.update(re.findall(r"[a-z]+", text.lower()))
    assert 1500 < len(words) < 3000


def test_every_highlight_of_every_frame_can_be_written() -> None:
    def slots(template: tuple[str | Slot, ...]) -> set[str]:
        return {piece.name for piece in template if isinstance(piece, Slot)}

    frames = [frame for desk in DESKS for frame in desk]
    assert len(frames) >= 30
    assert all(len(f.facts[0].tellings) >= 4 and len(f.facts[0].highlights) >= 3 for f in frames)
    for frame in [*frames, *ASIDES, *PROFILES.values()]:
        core = frame.facts[0]
        for fact in frame.facts:
            for highlight in fact.highlights:
                said = [
                    slots(telling) | (set() if fact is core else slots(of_event))
                    for telling in fact.tellings
                    for of_event in core.tellings
                ]
                assert any(slots(highlight) <= found for found in said), (frame.name, highlight)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# raid\ngang: person\n- {gang} came.", "frame raid: not a role: gang: person"),
        ("# raid\ngang = person\n- {gnag} came.", "frame raid: unknown slot gnag"),
    ],
)
def test_a_slip_in_a_desk_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_desk(text)


def test_stories_are_printed_to_be_read() -> None:
    command = [sys.executable, "-m", "cloze.newsroom", "--stories", "2", "--seed", "4"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for index in range(2):
        story, _ = write_story(4, index)
        assert all(highlight in printed for highlight in story.highlights)

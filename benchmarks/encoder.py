"""The Encoder Reader on a CPU: what one question about an article costs, in 8 bits and in 32.

    python benchmarks/encoder.py                             the reader that ships
    python benchmarks/encoder.py MODEL --pieces 1000 --threads 2
    python benchmarks/encoder.py --rival                     beside transformers' BertModel
    python benchmarks/encoder.py --start                     cloze ask, from start to answer

The question is about a made-up article of that many word pieces, a tenth of them names. The reader
answers as it does by default and with --exact; a rival of the same shape, with random weights,
reads as many pieces. All take turns in the same run, so that they meet the same load. Times are
medians, by the clock and by the processor (all threads together, which depends less on other load);
a peak of memory is that of a process that loads the reader and answers once. The rival needs the
package transformers.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from cloze.ask.examples import examples
from cloze.document import Document, Entity, Question
from cloze.readers.reader import Reader
from cloze.readers.shipped_models import shipped_models
from cloze.text import PLACEHOLDER, Text

WORDS = "the of and a government said in on for was officials city new people after year".split()


def text_of(tokens: list[str]) -> Text:
    return Text(tokens, tokens, [1] * len(tokens))


def question_about(length: int, names: int) -> tuple[Document, Question]:
    random = np.random.default_rng(0)
    words = random.choice(WORDS, length - 20).tolist()
    for place in random.choice(len(words), len(words) // 10, replace=False):
        words[place] = f"@entity{random.integers(names)}"
    seen = sorted({int(w[7:]) for w in words if w.startswith("@entity")})
    entities = tuple(Entity(marker, f"name {marker}") for marker in seen)
    document = Document("article", text_of(words), entities)
    asked = [
        "the",
        PLACEHOLDER,
        "said",
        "in",
        "a",
        "city",
        f"@entity{seen[0]}",
        "after",
        "officials",
    ]
    return document, Question("question", "article", text_of(asked), seen[0])


def rival_of(reader: Reader, length: int) -> Callable[[], object]:
    from transformers import BertConfig, BertModel

    config = reader.config
    shape = BertConfig(
        vocab_size=len(reader.vocabulary),
        hidden_size=config.hidden_size,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        intermediate_size=config.inner_size,
        max_position_embeddings=config.positions,
    )
    model = BertModel(shape, add_pooling_layer=False).eval()
    ids = torch.randint(len(reader.vocabulary), (1, length))
    return lambda: model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state


@torch.inference_mode()
def taken(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, np.ndarray]:
    """Milliseconds of each by clock and by processor, in turn, after one run to warm up."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(repeats + 1):
        for name, work in works.items():
            begun = (time.perf_counter(), time.process_time())
            work()
            ended = (time.perf_counter(), time.process_time())
            times[name].append((ended[0] - begun[0], ended[1] - begun[1]))
    return {name: 1000 * np.median(own[1:], axis=0) for name, own in times.items()}


def peak_memory() -> float:
    """In MiB; macOS counts in bytes, others in KiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def peak_of_one_answer(folder: Path, options: argparse.Namespace, exact: bool) -> None:
    """In a process of its own, since a peak never falls."""
    words = [str(folder), "--pieces", str(options.pieces), "--names", str(options.names)]
    words += ["--threads", str(options.threads), "--peak", "exact" if exact else "default"]
    subprocess.run([sys.executable, __file__, *words], check=True)


def started(model: Path, *more: str) -> None:
    """The whole command with one question about a made-up story that ships."""
    article, asked = examples()[0].article, "X was in the news"
    command = [sys.executable, "-m", "cloze", "ask", str(model), "--article", "-", "--question"]
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [*command, asked, *more]
    subprocess.run(words, input=article, text=True, check=True, capture_output=True)
    clock, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = " ".join(["cloze ask", *more])
    print(f"{said}, from start to answer: {clock:.1f} s, processor {processor:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--pieces", type=int, default=1000)
    parser.add_argument("--names", type=int, default=26)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--rival", action="store_true")
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--peak", choices=["default", "exact"], help="print only its memory")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    folder = options.model or next(f for f in shipped_models() if (f / "pieces.json").is_file())
    document, question = question_about(options.pieces, options.names)
    if options.peak:
        one = Reader.from_pretrained(folder, exact=options.peak == "exact")
        one.answer_one(document, question)
        print(f"peak memory, {one.products}: {peak_memory():.0f} MiB")
        return
    if options.start:
        started(folder)
        started(folder, "--exact")
    print(f"{folder}: {sum(f.stat().st_size for f in folder.iterdir()) / 1e6:.1f} MB", flush=True)
    for exact in (False, True):
        peak_of_one_answer(folder, options, exact)
    begun = time.perf_counter()
    reader = Reader.from_pretrained(folder)
    print(f"loaded in {time.perf_counter() - begun:.2f} s; {reader.products}")
    exact_reader = Reader.from_pretrained(folder, exact=True)
    works: dict[str, Callable[[], object]] = {
        "ours": lambda: reader.answer_one(document, question),
        "ours, exact": lambda: exact_reader.answer_one(document, question),
    }
    if options.rival:
        works["transformers"] = rival_of(reader, options.pieces)
    found = taken(works, options.repeats)
    for name, (clock, processor) in found.items():
        print(f"{name}: {clock:.0f} ms, processor {processor:.0f} ms, for {options.pieces} pieces")
    for name in [name for name in works if name != "ours"]:
        clock, processor = found["ours"] / found[name]
        print(f"ours / {name}: {clock:.2f}, processor {processor:.2f}")


if __name__ == "__main__":
    main()

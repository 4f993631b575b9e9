"""Inspect's mock model with replies of our own.

The right answers score 1, the first candidates the share that is right, and nonsense 0. Each reply
says how many tokens it took: Inspect would otherwise fetch a tokenizer to count them.
"""

import sys
from pathlib import Path

from inspect_ai import eval as run
from inspect_ai.model import ModelOutput, ModelUsage, get_model

FORMS = ("markers", "names", "swapped", "markers-alone", "names-alone")


def main(path: Path) -> None:
    sys.path.append(str(path.parent.resolve()))
    import cloze_task

    for form in FORMS:
        asked = cloze_task.questions(form)
        right = [question["answer"] for question in asked]
        first = [question["candidates"][0] for question in asked]
        share = sum(a == b for a, b in zip(first, right, strict=True)) / len(asked)
        nonsense = ["who knows"] * len(asked)
        for replies, expected in ((right, 1.0), (first, share), (nonsense, 0.0)):
            found = accuracy(path, form, replies)
            assert abs(found - expected) < 1e-9, (form, found, expected)
            print(f"{form}: {len(asked)} questions, accuracy {found:.3f}, expected {expected:.3f}")


def accuracy(path: Path, form: str, replies: list[str]) -> float:
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in replies]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    # One sample at a time: the mock model says its outputs in order.
    (log,) = run(
        str(path),
        model=model,
        task_args={"form": form},
        max_samples=1,
        max_connections=1,
        log_dir="logs",
        display="none",
    )
    if log.status != "success":
        raise SystemExit(log.error.message if log.error else log.status)
    return float(log.results.scores[0].metrics["accuracy"].value)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

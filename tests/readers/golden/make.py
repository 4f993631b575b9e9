"""Save a tiny model of each kind with its answers; run once for a new format of models.

python -m tests.readers.golden.make
"""

from pathlib import Path

from cloze.files import write_json
from cloze.readers.reader import Reader
from cloze.readers.saving import FORMAT
from tests.conftest import document_of, question_of
from tests.readers.cases import KINDS, reader_config
from tests.readers.points import VOCABULARY


def main() -> None:
    document = document_of("the @entity3 train met @entity1 at a prize of @entity2 .")
    question = question_of("@entity1 met @placeholder", 3, document)
    for kind in KINDS:
        config = reader_config(kind=kind, hidden_size=3, output_scale=2.0, embedding_scale=1.0)
        folder = Path(__file__).parent / f"format-{FORMAT}" / kind
        reader = Reader(config, VOCABULARY, seed=11, about={"corpus": "none, weights are random"})
        reader.save_pretrained(folder, overwrite=True)
        ranking = reader.answer_one(document, question)
        candidates, scores = ranking.candidates.tolist(), ranking.scores.tolist()
        write_json(folder / "expected.json", {"candidates": candidates, "scores": scores})


if __name__ == "__main__":
    main()

"""load_dataset in one line, and the queries of both cards as they are written there."""

import re
from pathlib import Path

import duckdb
from datasets import load_dataset


def main() -> None:
    table = load_dataset("table")
    print('load_dataset("table"):', {split: len(rows) for split, rows in table.items()})
    for split, rows in table.items():
        assert len(rows) == count(f"table/data/{split}.parquet"), split
        for row in rows:
            assert row["question"].split(" ").count("@placeholder") == 1
            assert row["answer"] in row["candidates"]
            assert set(row["candidates"]) <= set(row["context"].split(" "))
    first = table["validation"][0]
    print("  the first:", first["question"], "->", first["answer"])

    questions = load_dataset("news")  # without a name: the questions
    documents = load_dataset("news", "documents")
    assert set(questions["valid"]["document_id"]) <= set(documents["valid"]["id"])
    print('load_dataset("news", "documents"):', {s: len(rows) for s, rows in documents.items()})

    query = sql("table")
    rows = duckdb.sql(query.replace("'data/", "'table/data/")).fetchall()
    assert len(rows) == sum(map(len, table.values()))
    print("DuckDB, the query of the table's card:", len(rows), "rows, such as", rows[0])
    query = re.sub(r"'(questions|documents)/", r"'news/\1/", sql("news"))
    rows = set(duckdb.sql(query).fetchall())
    joined = {(r["question"], r["answer"], r["context"]) for r in table["test"]}
    assert rows == joined, "the corpus joined by DuckDB is the exported table"
    print("DuckDB, the query of the corpus's card:", len(rows), "rows, the same as in the table")


def sql(folder: str) -> str:
    card = Path(folder, "README.md").read_text(encoding="utf-8")
    return card.split("```sql\n")[1].split("```")[0].strip().rstrip(";")


def count(path: str) -> int:
    return duckdb.sql(f"SELECT count(*) FROM '{path}'").fetchall()[0][0]


if __name__ == "__main__":
    main()

"""Execute the tutorial as a notebook server would, and look at what its cells show."""

import sys
import time

import nbformat
from nbclient import NotebookClient

HTML, WIDGET = "text/html", "application/vnd.jupyter.widget-view+json"


def main(source: str, out: str) -> None:
    notebook = nbformat.read(source, as_version=4)
    nbformat.validate(notebook)
    begin = time.monotonic()
    NotebookClient(notebook, timeout=1800, kernel_name="python3").execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    print(f"{len(cells)} cells executed in {time.monotonic() - begin:.0f} s")
    nbformat.write(notebook, out)
    shown = [kind for cell in cells for kind in shown_by(cell)]
    assert shown.count(HTML) >= 2, shown  # a document and an answer
    assert shown.count(WIDGET) >= 2, shown  # the heat map and the film
    bars = [cell for cell in cells if "heatmap()" not in cell.source and WIDGET in shown_by(cell)]
    assert bars, "no progress bar was shown"
    print(f"progress bars in {len(bars)} cells")
    widgets = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    ours = [w for w in widgets.values() if "map" in w["state"]]
    steps = [w["state"]["map"]["attention"]["steps"] for w in ours]
    print("heat maps with", " and ".join(map(str, steps)), "steps; the last cell printed:")
    print(" ", cells[-1].outputs[-1].text.strip())
    assert steps[0] == 1 < steps[1]


def shown_by(cell: nbformat.NotebookNode) -> list[str]:
    bundles = [o.data for o in cell.outputs if o.output_type in ("execute_result", "display_data")]
    return [
        WIDGET if WIDGET in data else HTML for data in bundles if WIDGET in data or HTML in data
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])

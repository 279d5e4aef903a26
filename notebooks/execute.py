"""Run the numbered notebooks in this folder anew and store their outputs in place.

`python execute.py` runs all, `python execute.py 01 09` those whose names begin so.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from dendrolab.execution import this_interpreter
from dendrolab.files import whole_file
from dendrolab.webpage import WIDGET_VIEW

HERE = Path(__file__).resolve().parent
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def execute(path):
    """Run one notebook; a cell that fails raises and leaves the file as it was."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_manager_class=this_interpreter(),
        resources={"metadata": {"path": str(HERE)}},
        record_timing=False,
        coalesce_streams=True,
    )
    client.execute()
    clean(notebook)
    with whole_file(path) as part:
        nbformat.write(notebook, part)


def clean(notebook):
    """Keep of the metadata what a reader's Jupyter needs, so that a rerun changes outputs alone."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)  # it names a model by a random number


def main(prefixes):
    paths = [
        path for path in sorted(HERE.glob("[0-9]*.ipynb")) if path.name.startswith(tuple(prefixes) or "")
    ]
    for path in paths:
        print(path.name, flush=True)
        execute(path)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Runs of small notebooks: parameters, failures, pages and sweeps."""

import json
import re
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest

from dendrolab.batch import (
    NotebookError,
    run_notebook,
    sweep,
    to_html,
)


def outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return "".join(output.get("text", "") for cell in cells for output in cell.outputs)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# One run


def test_run_with_parameters_in_a_folder_with_braces_and_accents(tmp_path, write_notebook):
    notebook = write_notebook(tmp_path / "show.ipynb", "print(seed, label, linkages)")
    before = notebook.read_bytes()
    output = tmp_path / "é {out}" / "done.ipynb"
    run_notebook(notebook, output, {"seed": np.int64(5), "label": 'é "q" \\', "linkages": ("ward",)})
    assert outputs(output) == "5 é \"q\" \\ ['ward']\n"
    assert notebook.read_bytes() == before
    assert names(output.parent) == ["done.ipynb"]


def test_run_uses_this_interpreter_whatever_kernel_is_registered(tmp_path, monkeypatch, write_notebook):
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    stale = {
        "argv": ["/nowhere/python", "-f", "{connection_file}"],
        "display_name": "old",
        "language": "python",
    }
    (spec / "kernel.json").write_text(json.dumps(stale))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    notebook = write_notebook(tmp_path / "n.ipynb", "import sys; print(sys.executable)")
    run_notebook(notebook, tmp_path / "done.ipynb")
    assert outputs(tmp_path / "done.ipynb").strip() == sys.executable


def test_run_takes_place_in_the_notebooks_folder_or_in_cwd(tmp_path, write_notebook):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    notebook = write_notebook(home / "n.ipynb", "import os; print(os.getcwd())")
    run_notebook(notebook, tmp_path / "a.ipynb")
    run_notebook(notebook, tmp_path / "b.ipynb", cwd=other)
    assert outputs(tmp_path / "a.ipynb").strip() == str(home.resolve())
    assert outputs(tmp_path / "b.ipynb").strip() == str(other.resolve())


def test_run_leaves_no_papermill_record_and_no_times(notebook, tmp_path):
    run_notebook(notebook, tmp_path / "done.ipynb", {"out": str(tmp_path)})
    done = nbformat.read(tmp_path / "done.ipynb", as_version=4)
    assert not any({"papermill", "execution"} & set(part.metadata) for part in (done, *done.cells))


def test_a_refused_parameter_writes_nothing(notebook, tmp_path):
    with pytest.raises(ValueError, match="no parameter"):
        run_notebook(notebook, tmp_path / "new" / "done.ipynb", {"k": 1})
    assert not (tmp_path / "new").exists()


def test_a_failed_run_is_kept_under_another_name_until_one_ends_well(notebook, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(NotebookError) as caught:
        run_notebook(notebook, out / "done.ipynb", {"seed": 3})
    error = caught.value
    assert error.error == "ValueError: seed 3 is refused"
    assert error.cell == 3
    assert error.kept == out / "done-failed.ipynb"
    assert str(error) == (
        f"cell [3] of small.ipynb failed: ValueError: seed 3 is refused (the run is kept in {error.kept})"
    )
    assert names(out) == ["done-failed.ipynb"]
    run_notebook(notebook, out / "done.ipynb", {"out": str(tmp_path)})
    assert names(out) == ["done.ipynb"]


def test_a_failed_run_leaves_the_older_output(notebook, tmp_path):
    output = tmp_path / "done.ipynb"
    output.write_text("older")
    with pytest.raises(NotebookError):
        run_notebook(notebook, output, {"seed": 3})
    assert output.read_text() == "older"


@pytest.mark.parametrize(
    ("source", "match"),
    [("import os; os._exit(1)", "DeadKernelError"), ("import time; time.sleep(60)", "timed out")],
)
def test_a_dead_kernel_and_a_slow_cell_are_reported(tmp_path, source, match, write_notebook):
    notebook = write_notebook(tmp_path / "n.ipynb", source)
    with pytest.raises(NotebookError, match=match) as caught:
        run_notebook(notebook, tmp_path / "out" / "n.ipynb", timeout=2)
    assert names(tmp_path / "out") == ["n-failed.ipynb"]
    assert len(str(caught.value)) < 600


# Pages


def test_page_is_self_contained(tmp_path, write_notebook):
    figure = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    widget = "import ipywidgets\nipywidgets.IntSlider()"
    text = nbformat.v4.new_markdown_cell(
        r"Distances $D_{ij} \le 1$ and $\begin{cases}a\\b\end{cases}$ for 5\$ & more"
    )
    hidden = nbformat.v4.new_markdown_cell("Next notebook", metadata={"tags": ["no-report"]})
    notebook = write_notebook(tmp_path / "n.ipynb", "secret = 1", figure, widget, text, hidden)
    run_notebook(notebook, tmp_path / "done.ipynb")
    page = to_html(tmp_path / "done.ipynb", tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>A small one</title>" in page
    assert not re.search(r"""<(script|link)|(src|href)=["']?https?:|@import|url\(["']?https?:""", page)
    assert page.count('src="data:image/') == 2  # the figure and the formula that can be drawn
    assert r'alt="D_{ij} \le 1"' in page
    assert r"<code>\begin{cases}a\\b\end{cases}</code>" in page
    assert not any(word in page for word in ("secret", "Next notebook", "IntSlider", "mathjax"))
    assert names(tmp_path) == ["done.ipynb", "n.ipynb", "page.html"]


def test_page_takes_the_title_given(notebook, tmp_path):
    assert (
        "<title>Mine &amp; yours</title>"
        in to_html(notebook, tmp_path / "p.html", "Mine & yours").read_text()
    )


# Sweeps


def test_sweep_collects_scores_and_survives_a_failure(notebook, tmp_path):
    out = tmp_path / "out"
    summary = sweep(notebook, {"seed": [1, 3, np.int64(1)], "label": ["x", "y"]}, out, jobs=2)
    assert list(zip(summary["seed"], summary["label"], strict=True)) == [
        (1, "x"),
        (1, "y"),
        (3, "x"),
        (3, "y"),
    ]
    assert list(summary["status"]) == ["ok", "ok", "failed", "failed"]
    assert list(summary["error"]) == ["", ""] + ["ValueError: seed 3 is refused"] * 2
    assert list(summary["double"])[:2] == [2, 2]
    assert list(summary["scores.seed"])[:2] == [1, 1]
    assert "rows" not in summary
    read = pd.read_csv(
        out / "summary.csv", keep_default_na=False, na_values={"double": [""], "scores.seed": [""]}
    )
    pd.testing.assert_frame_equal(read, summary, check_dtype=False)
    assert names(out) == sorted([*summary["run"], "manifest.json", "summary.csv"])


def test_manifest_names_notebook_versions_and_runs(notebook, tmp_path):
    summary = sweep(notebook, {"seed": [1, 3]}, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["notebook"] == "small.ipynb"
    assert len(manifest["notebook_sha256"]) == 64
    assert manifest["packages"]["numpy"] == np.__version__
    assert manifest["grid"] == {"seed": [1, 3]}
    assert [run["notebook"] for run in manifest["runs"]] == ["small.ipynb", "small-failed.ipynb"]
    for run, folder in zip(manifest["runs"], summary["run"], strict=True):
        assert run["run"] == folder
        assert (tmp_path / "out" / folder / run["notebook"]).exists()


def test_sweep_goes_on_where_it_stopped(tmp_path, write_notebook):
    log = tmp_path / "log"
    count = "with open(label, 'a') as log:\n    log.write(f'{seed} ')\nassert seed != 2"
    notebook = write_notebook(tmp_path / "n.ipynb", count)
    for seeds in ([1], [1, 2], [2, 1]):  # 1 is done already, 2 fails and is tried again
        sweep(notebook, {"seed": seeds, "label": [str(log)]}, tmp_path / "out")
    assert log.read_text().split() == ["1", "2", "2"]
    write_notebook(notebook, count + "\n# changed")
    sweep(notebook, {"seed": [1], "label": [str(log)]}, tmp_path / "out")
    assert log.read_text().split() == ["1", "2", "2", "1"]


@pytest.mark.parametrize(
    ("grid", "options", "match"),
    [
        ({"sede": [1]}, {}, "no parameter 'sede'"),
        ({"seed": [1, "a"]}, {}, "parameter 'seed' is 'a'"),
        ({"seed": []}, {}, "'seed' needs a list of one or more values"),
        ({"label": "abc"}, {}, "'label' needs a list"),
        ({"out": ["a"]}, {}, "set by the sweep"),
        ({"seed": [1]}, {"jobs": 0}, "jobs is 0"),
        ({"seed": [1]}, {"backend": "threads"}, "backend is 'threads'"),
    ],
)
def test_sweep_refuses_before_anything_runs(notebook, tmp_path, grid, options, match):
    with pytest.raises(ValueError, match=match):
        sweep(notebook, grid, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_sweep_by_dask_says_how_to_get_it(notebook, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'dask\[distributed\]'"):
        sweep(notebook, {"seed": [1]}, tmp_path / "out", backend="dask")


def test_missing_papermill_says_how_to_get_it(notebook, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)
    with pytest.raises(ImportError, match=r"pip install 'dendrolab\[notebooks\]'"):
        run_notebook(notebook, tmp_path / "done.ipynb")

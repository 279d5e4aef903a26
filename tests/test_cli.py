"""The command line, on a small notebook in the place of the report's."""

import json
import subprocess
import sys

import nbformat
import pytest

from dendrolab.cli import main, parse_grid

PARAMETERS = """
source = "two_moons"
label = ""
n_clusters = 0
linkages = ["single"]
level = "level"
scale = "none"
seed = 0
out = "."
"""
WORK = """
import json, os, pathlib
if seed == 13:
    raise ValueError("seed 13 brings\\n\\x1b[31mbad luck\\x1b[0m")
row = {"representation": "raw data", "clusterer": "k-means", "silhouette": 0.25}
row["ami"] = 0.5 if label else None
better = row | {"representation": "single", "silhouette": 0.75}
scores = json.dumps({"scores": [row, better], "seed": seed})
files = {"labels.csv": "label", "features.csv": "f0", "scores.json": scores}
if seed == 14:
    files.pop("labels.csv")
for name, text in files.items():
    pathlib.Path(out, name).write_text(text)
print(source, label, n_clusters, linkages, level, scale, os.path.isabs(source))
"""
FIVE = ["features.csv", "labels.csv", "report.html", "report.ipynb", "scores.json"]


@pytest.fixture(autouse=True)
def notebooks(tmp_path, monkeypatch):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    cells = [
        nbformat.v4.new_markdown_cell("# Cluster your data\n\nAbout 15 minutes."),
        nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(WORK),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "09_cluster_your_data.ipynb")
    nbformat.write(nbformat.v4.new_notebook(cells=cells[1:]), folder / "10_scale.ipynb")
    for module in ("report", "library"):
        monkeypatch.setattr(f"dendrolab.{module}.resource_folder", lambda name: folder)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "my täble.csv"
    path.write_text("x,y,kind\n1,2,a\n3,4,b\n5,7,a\n", encoding="utf-8")
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "results"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def printed(notebook):
    return nbformat.read(notebook, as_version=4).cells[-1].outputs[0].text


def test_report_writes_five_files_and_says_which(table, out, capsys):
    assert (
        main(["report", table.name, "--out", str(out), "--n-clusters", "2", "--linkages", "single, ward"])
        == 0
    )
    assert names(out) == FIVE
    assert printed(out / "report.ipynb") == f"{table}  2 ['single', 'ward'] level none True\n"
    assert "<title>dendrolab: my täble</title>" in (out / "report.html").read_text(encoding="utf-8")
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[:-1]) == [str(out / name) for name in FIVE]
    assert lines[-1] == "Best: single + k-means silhouette 0.750; raw data + k-means silhouette 0.250"


def test_report_on_a_data_set_with_every_option(out):
    assert (
        main(f"report two_moons --out {out} --level size --scale robust --seed 7 --no-progress".split()) == 0
    )
    assert printed(out / "report.ipynb").startswith(
        "two_moons  0 ['single', 'complete', 'average', 'ward'] size robust"
    )
    assert json.loads((out / "scores.json").read_text())["seed"] == 7


def test_report_ranks_by_the_labels_where_they_are_given(table, out, capsys):
    assert main(["report", str(table), "--label", "kind", "--out", str(out)]) == 0
    assert "Best: raw data + k-means ami 0.500" in capsys.readouterr().out


def test_a_failed_report_keeps_the_notebook_alone(table, out, capsys):
    assert main(["report", str(table), "--out", str(out), "--seed", "13"]) == 1
    assert names(out) == ["report-failed.ipynb"]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "dendrolab: error: cell [3] of 09_cluster_your_data.ipynb failed: ValueError: seed 13 brings bad "
        f"luck (the run is kept in {out / 'report-failed.ipynb'})\n"
    )
    assert main(["report", str(table), "--out", str(out)]) == 0
    assert names(out) == FIVE
    assert main(["report", str(table), "--out", str(out), "--seed", "13"]) == 1
    assert names(out) == sorted([*FIVE, "report-failed.ipynb"])


def test_a_report_that_lacks_a_file_is_a_failure(table, out, capsys):
    assert main(["report", str(table), "--out", str(out), "--seed", "14"]) == 1
    assert names(out) == []
    assert "did not write labels.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ("missing.csv", "there is no file missing.csv"),
        ("notebooks", "notebooks is a folder"),
        ("two_mons", "no data set 'two_mons'.*'two_moons'"),
        ("two_moons --linkages sinlge", "linkage is 'sinlge'"),
        ("two_moons --linkages centroid", "inversion"),
        ("two_moons --linkages ,", "no linkage is given"),
        ("two_moons --level height", "level is 'height'"),
        ("two_moons --scale minmax", "scale is 'minmax'"),
        ("two_moons --n-clusters 0", "--n-clusters is 0"),
        ("two_moons --n-clusters 301", "n_clusters is 301, more than the 300 rows"),
        ("two_moons --n-clusters two", "invalid int value: 'two'"),
        ("two_moons --seed -1", "seed is -1"),
        ("two_moons --linkages ward,ward", "name one of them twice"),
        ("square.csv", "square, symmetric and zero on its diagonal, as distances are"),
        ("text.csv --label x", "text.csv"),
        ("one_class.csv --label kind", "'kind' has 1 different values in 3 labelled rows"),
        ("two_moons --label kind", "labels of its own"),
        ("table.csv --label kidn", "no label column 'kidn'.*'kind'"),
        ("text.csv", "text.csv"),
        ("two_moons --out table.csv", "table.csv is a file"),
        ("two_moons --out table.csv/in", "table.csv is a file"),
    ],
)
def test_report_refuses_in_one_line_before_anything_runs(tmp_path, table, capsys, arguments, match):
    table.rename(tmp_path / "table.csv")
    (tmp_path / "text.csv").write_bytes(b"\x00\x01\x02")
    (tmp_path / "square.csv").write_text("a,b,c\n0,1,4\n1,0,3\n4,3,0\n")
    (tmp_path / "one_class.csv").write_text("x,kind\n1,a\n2,a\n4,a\n")
    before = names(tmp_path)
    arguments = ["report", "--out", "results", *arguments.split()]
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse's own way out
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2
    assert error.count("\n") == 1
    assert pytest.raises(ValueError, match=match).matches(ValueError(error))
    assert names(tmp_path) == before


def test_sweep_by_number(tmp_path, out, capsys):
    assert (
        main(["sweep", "9", "-g", "seed=1,13", "-g", "linkages=['ward']", "--out", str(out), "--no-progress"])
        == 1
    )
    shown = capsys.readouterr()
    assert "bad luck" in shown.err
    assert str(out / "summary.csv") in shown.out
    assert {"summary.csv", "manifest.json"} < set(names(out))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ("11 -g seed=1", "no notebook '11'"),
        ("09_cluster_your_dat -g seed=1", "did you mean '09_cluster_your_data'"),
        ("09 -g sede=1", "did you mean 'seed'"),
        ("09 -g seed", "not of the form"),
        ("09 -g seed=a", "parameter 'seed' is 'a'; expected a whole number"),
        ("09 -g seed=1 -g seed=2", "given twice"),
        ("09 -g seed=1 --backend threads", "backend is 'threads'"),
    ],
)
def test_sweep_refuses_in_one_line(out, capsys, arguments, match):
    assert main(["sweep", *arguments.split(), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert match in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("entry", "values"),
    [
        ("k=1,2.5,True,None", [1, 2.5, True, None]),
        ("k='a,b',c", ["a,b", "c"]),
        ("k=[1,2],(3,)", [[1, 2], (3,)]),
        ("k={'a': [1, 2]}", [{"a": [1, 2]}]),
        ("k=a=b", ["a=b"]),
        ("k=it's,ok", ["it's", "ok"]),
    ],
)
def test_grid_values(entry, values):
    assert parse_grid([entry]) == {"k": values}


def test_notebooks_are_listed(capsys):
    assert main(["notebooks"]) == 0
    assert capsys.readouterr().out == "09   15 min  Cluster your data\n10    ? min  10_scale\n"


def test_datasets_are_listed(capsys):
    assert main(["datasets"]) == 0
    assert "two_moons" in capsys.readouterr().out


def test_missing_packages_are_named_with_the_remedy(out, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)
    for command in ("report two_moons", "sweep 09 -g seed=1"):
        assert main([*command.split(), "--out", str(out)]) == 2
        assert "pip install 'dendrolab[notebooks]'" in capsys.readouterr().err
    assert not out.exists()


def test_help_loads_nothing_heavy():
    code = "import sys, dendrolab.cli as cli\ntry: cli.main(['--help'])\nfinally: print(sorted(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "report" in shown
    assert not any(f"'{name}'" in shown for name in ("numpy", "pandas", "papermill", "nbformat", "sklearn"))


def test_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("dendrolab ")

"""Guards over the numbered notebooks, and over the two tools that run them."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from dendrolab.parameters import notebook_parameters

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
PATHS = sorted(FOLDER.glob("[0-9]*.ipynb"))

ABSOLUTE_PATH = re.compile(r"(?<![\w.:/])(/(home|root|tmp|usr|opt|work|mnt|var|Users)/|[A-Z]:\\[A-Z])")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)|src=[\"']([^\"'#]+)")
EXERCISE = re.compile(r"^(?:[#*>\s]|<[a-z]+>)*(Exercise|Solution)\b\D{0,3}(\d*)", re.MULTILINE)
NEEDS_SEED = {
    "CorrelationClustering",
    "ConsensusClustering",
    "DendrogramEnsemble",
    "GaussianMixture",
    "KMeans",
    "RandomState",
    "SpectralClustering",
    "default_rng",
    "make_blobs",
    "make_circles",
    "make_moons",
    "train_test_split",
}

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def sources(path, kind):
    return [cell.source for cell in read(path).cells if cell.cell_type == kind]


def outputs(path):
    return [output for cell in read(path).cells for output in cell.get("outputs", [])]


def links(text):
    return [a or b for a, b in LINK.findall(text) if not re.match(r"[a-z]+:", a or b)]


def calls(path):
    code = "\n".join(sources(path, "code"))
    python = re.sub(r"^(\s*)[%!].*$", r"\1pass", code, flags=re.MULTILINE)
    return [node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call)]


def test_the_notebooks_are_found():
    assert {"00_start_here", "09_cluster_your_data"} <= {path.stem for path in PATHS}


@each_notebook
def test_cells_were_run_in_order(path):
    counts = [cell.execution_count for cell in read(path).cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@each_notebook
def test_metadata_names_the_kernel_and_holds_no_widget_state_or_record(path):
    metadata = read(path).metadata
    assert metadata.kernelspec.name == "python3"
    assert not {"widgets", "papermill"} & set(metadata)


@each_notebook
def test_one_parameters_cell_of_literals(path):
    assert notebook_parameters(path)


@each_notebook
def test_no_absolute_path(path):
    shown = [str(v) for o in outputs(path) for k, v in o.get("data", o).items() if "image" not in k]
    text = "\n".join([cell.source for cell in read(path).cells] + shown)
    assert not ABSOLUTE_PATH.search(text)
    assert str(ROOT) not in text


@each_notebook
def test_no_cell_failed(path):
    assert "error" not in {output.output_type for output in outputs(path)}


@each_notebook
def test_size(path):
    assert path.stat().st_size < 1_000_000


@each_notebook
def test_relative_links_resolve(path):
    targets = links("\n".join(sources(path, "markdown")))
    assert [target for target in targets if not (FOLDER / target).exists()] == []


@each_notebook
def test_every_exercise_has_its_solution(path):
    found = EXERCISE.findall("\n".join(cell.source for cell in read(path).cells))
    exercises, solutions = ([n for kind, n in found if kind == wanted] for wanted in ("Exercise", "Solution"))
    assert sorted(exercises) == sorted(solutions)


@each_notebook
def test_every_random_draw_has_a_seed(path):
    for call in calls(path):
        name = ast.unparse(call.func)
        last = name.rpartition(".")[2]
        assert not re.match(r"(np|numpy)\.random\.[a-z_]+$", name) or last == "default_rng", name
        if last in NEEDS_SEED:
            seeded = call.args if last in ("default_rng", "RandomState") else []
            assert seeded or {"random_state", "seed", None} & {k.arg for k in call.keywords}, ast.unparse(
                call
            )


@each_notebook
def test_code_cells_are_short(path):
    assert max(len(source.splitlines()) for source in sources(path, "code")) <= 30


@each_notebook
def test_first_cell_says_what_it_teaches_and_how_long_it_takes(path):
    first = read(path).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    assert "What you will learn" in first.source
    assert re.search(r"\d+\s*min", first.source)


@each_notebook
def test_last_cell_links_to_the_neighbours(path):
    last, here = read(path).cells[-1], PATHS.index(path)
    assert last.cell_type == "markdown"
    neighbours = {neighbour.name for neighbour in PATHS[max(here - 1, 0) : here + 2]} - {path.name}
    assert neighbours <= set(links(last.source))


@each_notebook
def test_readme_lists_it(path):
    assert path.stem in (ROOT / "README.md").read_text(encoding="utf-8")


# The tools


@pytest.fixture
def notebook(tmp_path):
    def write(*code):
        cells = [nbformat.v4.new_code_cell(source, metadata={"collapsed": True}) for source in code]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01_n.ipynb")
        return tmp_path / "01_n.ipynb"

    return write


@pytest.fixture
def tool(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    return module


def test_execute_stores_outputs_and_repeats_byte_for_byte(tool, notebook):
    path = notebook("import os; print('a'); print(os.listdir())", "import ipywidgets; ipywidgets.IntSlider()")
    tool.main([])
    first = path.read_bytes()
    assert [output.get("text") for output in outputs(path)] == ["a\n['01_n.ipynb']\n", None]
    assert set(read(path).metadata) == {"kernelspec", "language_info"}
    assert not any(cell.metadata for cell in read(path).cells)
    tool.main(["01"])
    assert path.read_bytes() == first


def test_execute_leaves_a_failing_notebook_as_it_was(tool, notebook):
    path = notebook("print('a')", "1 / 0")
    before = path.read_bytes()
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        tool.main([])
    assert path.read_bytes() == before


CHANGING = """
import sys, time
print("took", round(time.perf_counter(), 3), "s at", time.strftime("%H:%M:%S"), object())
print(time.perf_counter(), file=sys.stderr)
"""


@pytest.mark.parametrize(("code", "passes"), [(CHANGING, True), ("import time; print(time.time())", False)])
def test_nbval_compares_results_and_not_times(tool, notebook, tmp_path, code, passes):
    notebook(code)
    tool.main([])
    for name in ("nbval.cfg", "conftest.py"):
        shutil.copy(FOLDER / name, tmp_path)
    options = [
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        "nbval.cfg",
        "-p",
        "no:cacheprovider",
    ]
    run = subprocess.run([sys.executable, "-m", "pytest", *options, "."], cwd=tmp_path, capture_output=True)
    assert (run.returncode == 0) == passes, run.stdout.decode()

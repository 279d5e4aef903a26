"""The project as a whole: dependencies, public names, layers, docstrings, import time, repeatability."""

import ast
import dataclasses
import hashlib
import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from numpydoc.validate import validate

import dendrolab

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "dendrolab"

CONDA_NAMES = {"matplotlib-base": "matplotlib", "seaborn-base": "seaborn"}

PUBLIC_NAMES = """
    Dendrogram DendrogramFeatures Embedding check_level_function dendrogram_distances distance_pairs
    distance_rows distances_to_similarities embed_dendrogram embed_distances is_ultrametric
    level_function list_datasets load_csv load_dataset minimax_distances outlier_scores partition_scores
    prepare_table stack_features tree_coordinates
""".split()  # noqa: SIM905

# Data flows down: a module imports only from modules before it. A new module gets its place here.
ROOMS = {
    "checks and helpers": "_version memory files validation threads pairwise parameters metrics",
    "dendrograms": """
        spanning_tree linkage_matrix cluster_means lean_linkage linkage range_maximum dendrogram levels
        distances minimax minimax_paths gram embedding features similarities""",
    "ensembles": """
        local_search labelings signed_graph vote_graph correlation consensus exact_clustering relaxations
        clusterers tree_clusterers ensemble""",
    "kernels": """
        bandwidths gaussian_similarity eigenspace kernel_checks kernel_functions kernel_spectrum kernel_lloyd
        nystrom kernels kernel_input kernel_kmeans mkkm hmkc_updates hmkc""",
    "discriminative similarity": """
        simplex_qp laplacian spectral cdsk_similarity cdsk_lam cdsk_start cdsk_classifier cdsk_solvers
        cdsk_parameters cdsk""",
    "data": "resources csv_text csv_columns tables registry fetching datasets",
    "tables": """
        representations ensemble_rows results published ensemble_tables text_tables stacking_tables
        hmkc_tables cdsk_tables protocols""",
    "figures": """
        palette tree_drawing tree_plots point_plots ensemble_plots stacking_plots hmkc_plots cdsk_plots plots
        widgets ensemble_widgets stacking_widgets hmkc_widgets cdsk_widgets""",
    "runs": "webpage library execution batch report cli",
}
LAYERS = " ".join(ROOMS.values()).split()

HEAVY = {"matplotlib", "pandas", "seaborn", "ipywidgets", "papermill", "sklearn"}

# numpydoc's codes: a docstring with a one-line summary that ends in a full stop, parameters all named,
# typed and in order, what is returned, an example.
DOCSTRING_CHECKS = {"GL08", "SS03", "SS04", "SS06", "PR01", "PR02", "PR03", "PR04", "RT01", "EX01"}


def listed_in_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return {f"python{project['requires-python']}", *project["dependencies"], *extras}


def listed_in_environment():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert {"pip": ["-e ."]} in lines
    names = {line for line in lines if isinstance(line, str)} - {"pip"}
    return {re.sub(r"^[\w-]+", lambda name: CONDA_NAMES.get(name[0], name[0]), line) for line in names}


def test_conda_and_pip_install_the_same_packages_with_the_same_lowest_versions():
    assert listed_in_environment() == listed_in_pyproject()


@pytest.mark.parametrize("name", ["pyproject.toml", "environment.yml"])
def test_every_dependency_has_a_reason_beside_it(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if re.match(r'\s+(- |")[a-z][\w-]+>=', line) and "python>=" not in line]
    names = {re.search(r"[a-z][\w-]+(?=>=)", line)[0] for line in listed}
    assert len(names) == len(listed_in_pyproject()) - 1  # python itself needs no reason
    assert [line for line in listed if not re.search(r"# .{6,}", line)] == []


def test_the_version_stands_in_one_place():
    pattern = re.compile(r"""^\s*(__version__|version)\s*[:=]\s*["']""", re.MULTILINE)
    files = [ROOT / "pyproject.toml", ROOT / "environment.yml", *PACKAGE.glob("*.py*")]
    assert [p.name for p in files if pattern.search(p.read_text(encoding="utf-8"))] == ["_version.py"]
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", dendrolab.__version__)


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_a_public_name_is_importable_and_listed(name):
    assert callable(getattr(dendrolab, name))
    assert name in dendrolab.__all__
    assert name in dir(dendrolab)


def test_every_listed_name_exists():
    for name in dendrolab.__all__:
        assert getattr(dendrolab, name) is not None


def imported_modules(path):
    """Names of the package's modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dendrolab"):
            yield [*node.module.split("."), "__init__"][1]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            yield from ([*parts, "__init__"][1] for parts in names if parts[0] == "dendrolab")


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.stem)
def test_imports_point_down_the_layers(path):
    if path.stem == "__init__":
        assert list(imported_modules(path)) == []
    else:
        assert path.stem in LAYERS, "give the new module its place in LAYERS"
        before = LAYERS[: LAYERS.index(path.stem)]
        assert [name for name in imported_modules(path) if name not in before] == []


@pytest.mark.parametrize(
    "path", sorted([*PACKAGE.glob("*.py*"), *Path(__file__).parent.rglob("*.py")]), ids=lambda path: path.name
)
def test_no_file_is_over_300_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def documented():
    """Dotted names of the public functions, classes and their own methods."""
    for name in sorted(set(dendrolab.__all__) - {"__version__"}):
        thing = getattr(dendrolab, name)
        yield f"{thing.__module__}.{name}"
        if inspect.isclass(thing):
            own = (n for n, value in vars(thing).items() if n[0] != "_" and callable(getattr(thing, n)))
            yield from (f"{thing.__module__}.{name}.{n}" for n in own)


def is_described_elsewhere(code, text, thing):
    """Arguments may stand under Attributes; the example of a method or a result elsewhere."""
    if code == "EX01":
        return dataclasses.is_dataclass(thing) or "." in thing.__qualname__
    if code == "PR01" and inspect.isclass(thing):
        missing = re.findall(r"'(\w+)'", text)
        return all(re.search(rf"^ +{name} ?:", thing.__doc__, re.MULTILINE) for name in missing)
    return code == "PR02" and dataclasses.is_dataclass(thing)


@pytest.mark.parametrize("name", sorted(documented()))
def test_the_docstring_is_complete(name):
    module, _, rest = name.removeprefix("dendrolab.").partition(".")
    thing = importlib.import_module(f"dendrolab.{module}")
    for part in rest.split("."):
        thing = getattr(thing, part)
    errors = [error for error in validate(name)["errors"] if error[0] in DOCSTRING_CHECKS]
    assert [error for error in errors if not is_described_elsewhere(*error, thing)] == []


@pytest.mark.parametrize("name", sorted(set(dendrolab.__all__) - {"__version__"}))
def test_public_attributes_are_described(name):
    thing = getattr(dendrolab, name)
    for attribute, value in vars(thing).items() if inspect.isclass(thing) else ():
        if attribute[0] != "_" and not callable(getattr(thing, attribute)):
            own = inspect.getdoc(value) if not isinstance(value, str) else None
            assert own or re.search(rf"^ +{attribute} ?:", thing.__doc__, re.MULTILINE), attribute


def run_python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )


def test_importing_the_package_imports_no_heavy_library():
    loaded = run_python("-X", "importtime", "-c", "import dendrolab").stderr
    names = {line.rpartition("|")[2].strip().split(".")[0] for line in loaded.splitlines()}
    assert "dendrolab" in names
    assert names & HEAVY == set()


REPEAT = """
import numpy as np, sys
from dendrolab import *
X = np.random.default_rng(0).integers(0, 4, (450, 2)).astype(float)
for linkage in ("single", "complete", "average", "ward", "weighted"):
    tree = Dendrogram.from_data(X, linkage)
    for array in (tree.linkage_matrix, tree.cut(9), outlier_scores(tree), dendrogram_distances(tree),
                  embed_dendrogram(tree, n_components=5).coordinates, embed_dendrogram(tree).coordinates):
        sys.stdout.write(array.tobytes().hex())
print(sorted(partition_scores(list(map(str, X[:, 0])), tree.cut(4)).items()))
"""


def test_two_hash_seeds_give_identical_output():
    first, second = (
        run_python("-c", REPEAT, PYTHONHASHSEED=seed, OMP_NUM_THREADS="1").stdout for seed in "12"
    )
    assert len(first) > 1_000_000
    assert hashlib.sha256(first.encode()).digest() == hashlib.sha256(second.encode()).digest()

"""The `dendrolab` command."""

import argparse
import ast
import re
import sys
from pathlib import Path

from ._version import __version__


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : list of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        0 if all went well, 1 if a notebook failed, 2 if the arguments or the input were refused, 130 if
        interrupted.
    """
    arguments = _parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stderr.close()
        return 0
    except (ValueError, OSError, ImportError) as error:
        return _fail(error, 2)
    except RuntimeError as error:  # execution.NotebookError, which is loaded with a run only
        return _fail(error, 1)


def _fail(error, code):
    print(f"dendrolab: error: {' '.join(str(error).split())}", file=sys.stderr)
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: error: {message}\n")


def _parser():
    parser = _Parser(
        prog="dendrolab", description="Features, distances and clusterings read off dendrograms."
    )
    parser.add_argument("--version", action="version", version=f"dendrolab {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_report(commands)
    _add_sweep(commands)
    _add(commands, "datasets", _datasets, "list the data sets")
    _add(commands, "notebooks", _notebooks, "list the notebooks")
    return parser


def _add(commands, name, run, summary):
    command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
    command.set_defaults(run=run)
    return command


def _add_report(commands):
    add = _add(commands, "report", _report, "cluster a table and write a report").add_argument
    add("source", metavar="FILE.csv|NAME", help="a CSV file, or the name of a data set")
    add(
        "--out",
        metavar="DIR",
        required=True,
        help="folder for the results; an older report in it is replaced",
    )
    add("--label", metavar="COL", default="", help="column that holds known classes, to score against")
    add("--n-clusters", metavar="K", type=int, help="number of clusters; without it the table decides")
    add("--linkages", metavar="A,B", default="single,complete,average,ward", help="default: %(default)s")
    add("--level", metavar="KIND", default="level", help="level, linkage, size or rank; default: %(default)s")
    add("--scale", metavar="HOW", default="none", help="none, standard or robust; default: %(default)s")
    add("--seed", metavar="N", type=int, default=0, help="default: %(default)s")
    add("--no-progress", action="store_true", help="show no progress bar")


def _add_sweep(commands):
    add = _add(commands, "sweep", _sweep, "run a notebook over a grid of parameters").add_argument
    add("notebook", metavar="NOTEBOOK", help="a path, or the number or name of one of ours (see `notebooks`)")
    add(
        "-g",
        "--grid",
        metavar="NAME=V1,V2",
        action="append",
        default=[],
        help="a parameter and its values; repeatable; lists go in brackets: linkages=['single'],['ward']",
    )
    add("--out", metavar="DIR", required=True, help="folder for the runs, summary.csv and manifest.json")
    add("--jobs", metavar="N", type=int, default=1, help="runs side by side, -1 for one per core")
    add("--backend", metavar="NAME", default="loky", help="loky or dask; default: %(default)s")
    add("--no-progress", action="store_true", help="show no progress bar")


def _report(arguments):
    from .report import best_scores, make_report

    if arguments.n_clusters is not None and arguments.n_clusters < 1:
        raise ValueError(f"--n-clusters is {arguments.n_clusters}; it must be at least 1")
    files = make_report(
        arguments.source,
        arguments.out,
        progress=not arguments.no_progress,
        label=arguments.label,
        n_clusters=arguments.n_clusters or 0,
        linkages=[name.strip() for name in arguments.linkages.split(",") if name.strip()],
        level=arguments.level,
        scale=arguments.scale,
        seed=arguments.seed,
    )
    print(*files, sep="\n")
    print("Best:", best_scores(files[-1]))
    return 0


def _sweep(arguments):
    from .batch import sweep
    from .library import find_notebook

    summary = sweep(
        find_notebook(arguments.notebook),
        parse_grid(arguments.grid),
        arguments.out,
        jobs=arguments.jobs,
        backend=arguments.backend,
        progress=not arguments.no_progress,
    )
    print(summary.drop(columns="error").to_string(index=False))
    failures = summary[summary["status"] == "failed"]
    for run, error in zip(failures["run"], failures["error"], strict=True):
        print(f"dendrolab: error: run {run} failed: {error}", file=sys.stderr)
    print(Path(arguments.out).absolute() / "summary.csv")
    return 1 if len(failures) else 0


def _datasets(arguments):
    from .datasets import list_datasets

    print(list_datasets().to_string(index=False))
    return 0


def _notebooks(arguments):
    from .library import list_notebooks

    for number, title, minutes in list_notebooks():
        print(f"{number}  {minutes:>3} min  {title}")
    return 0


def parse_grid(entries):
    """Read `name=v1,v2` entries.

    Parameters
    ----------
    entries : list of str
        One entry a parameter. Values are Python literals, or else text; commas inside brackets and quotes do
        not separate values.

    Returns
    -------
    dict
        List of values by name.

    Raises
    ------
    ValueError
        If an entry has no name or no values, or a name comes twice.

    Examples
    --------
    >>> parse_grid(["k=2,3", "linkages=['single','ward'],['average']", "level=size"])
    {'k': [2, 3], 'linkages': [['single', 'ward'], ['average']], 'level': ['size']}
    """
    grid = {}
    for entry in entries:
        name, equals, values = entry.partition("=")
        name = name.strip()
        if not (name.isidentifier() and equals and values.strip()):
            raise ValueError(f"grid entry {entry!r} is not of the form name=v1,v2")
        if name in grid:
            raise ValueError(
                f"grid: {name!r} is given twice; put its values in one entry, as in {name}=v1,v2"
            )
        grid[name] = [_value(text) for text in _split(values)]
    return grid


def _split(text):
    """Split at the commas that are outside brackets and quotes."""
    pieces = re.findall(r"'[^']*'|\"[^\"]*\"|.", text, flags=re.DOTALL)
    parts, depth = [""], 0
    for piece in pieces:
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _value(text):
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()

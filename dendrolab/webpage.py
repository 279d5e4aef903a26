"""An executed notebook as one HTML file that needs no network and no other file."""

import base64
import html
import io
import re
from pathlib import Path

from .files import write_text
from .parameters import read_notebook

NOT_IN_REPORT = "no-report"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# nbconvert's page fetches these four from the network even where an empty address is given.
_TEMPLATE = """{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block extra_css -%}<style>
main { max-width: 60rem; margin: 0 auto; }
.jp-InputPrompt { display: none !important; }
</style>{%- endblock -%}
"""

# TeX that MathJax knows in JupyterLab and Matplotlib does not.
_ALIASES = {
    "le": r"\leq",
    "ge": r"\geq",
    "ne": r"\neq",
    "to": r"\rightarrow",
    "lVert": r"\|",
    "rVert": r"\|",
    "lvert": "|",
    "rvert": "|",
    "tfrac": r"\frac",
}


def to_html(notebook_path, html_path, title=None):
    """Write an executed notebook as one self-contained HTML file.

    Parameters
    ----------
    notebook_path : path-like
        The executed notebook.
    html_path : path-like
        The file to make; written whole or not at all.
    title : str, optional
        The page's title; without it the notebook's first heading.

    Returns
    -------
    pathlib.Path
        The file made.

    Notes
    -----
    Images are embedded, formulas are drawn by Matplotlib (those that it can't draw are shown as TeX), code is
    left out, and so are widgets and cells tagged `no-report`.
    """
    import nbformat

    notebook = nbformat.read(notebook_path, as_version=4)
    notebook.metadata["title"] = title or notebook_title(notebook_path)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if WIDGET_VIEW not in output.get("data", {})]
    resources = {"metadata": {"path": str(Path(notebook_path).parent)}}
    page, _ = _exporter().from_notebook_node(notebook, resources=resources)
    write_text(html_path, page)
    return Path(html_path)


def notebook_title(notebook):
    """The first heading of a notebook.

    Parameters
    ----------
    notebook : path-like
        The notebook to read.

    Returns
    -------
    str
        The heading's text, or the file's name where there is none.
    """
    text = "\n".join(c["source"] for c in read_notebook(notebook)["cells"] if c["cell_type"] == "markdown")
    heading = re.search(r"^#+\s+(.+?)\s*$", text, flags=re.MULTILINE)
    return heading.group(1) if heading else Path(notebook).stem


def _exporter():
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def inline_math(self, body):
            return _formula(body)

        def block_math(self, body):
            return f'<div style="text-align: center">{_formula(body)}</div>'

        def latex_environment(self, name, body):
            return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    class Exporter(HTMLExporter):
        def default_filters(self):
            yield from super().default_filters()
            yield "markdown2html", _markdown_filter(Renderer, MarkdownWithMath)

    exporter = Exporter(raw_template=_TEMPLATE, exclude_input=True, exclude_output_prompt=True)
    exporter.register_preprocessor(_without_tagged(NOT_IN_REPORT), enabled=True)
    return exporter


def _markdown_filter(renderer_class, markdown_class):
    from jinja2 import pass_context

    @pass_context
    def to_markdown(context, source):
        renderer = renderer_class(
            escape=False,
            embed_images=True,
            exclude_anchor_links=True,
            path=context["resources"]["metadata"]["path"],
            attachments=context.get("cell", {}).get("attachments", {}),
        )
        return markdown_class(renderer=renderer).render(source)

    return to_markdown


def _without_tagged(tag):
    from nbconvert.preprocessors import TagRemovePreprocessor

    return TagRemovePreprocessor(remove_cell_tags={tag})


def _formula(tex):
    from matplotlib.mathtext import math_to_image

    drawable = re.sub(r"\\([A-Za-z]+)", lambda m: _ALIASES.get(m[1], m[0]), " ".join(tex.split()))
    picture = io.BytesIO()
    try:
        depth = math_to_image(f"${drawable}$", picture, format="svg")
    except ValueError:
        return f"<code>{html.escape(tex)}</code>"
    data = base64.b64encode(picture.getvalue()).decode("ascii")
    style = f"vertical-align: -{depth}pt"
    return f'<img alt="{html.escape(tex)}" style="{style}" src="data:image/svg+xml;base64,{data}">'

"""The manual as a site: `make docs` builds it into build/site, without network and warnings."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import api  # noqa: E402

import dalembert  # noqa: E402

project = "dalembert"
author = "The dalembert authors"
copyright = "2026, The dalembert authors"
version = release = dalembert.__version__

extensions = ["myst_nb", "sphinx_copybutton", "sphinx-mathjax-offline"]
root_doc = "index"
exclude_patterns = ["README.md", "_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # csv
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# notebooks run when the site is built; a cell that fails ends the build
nb_execution_mode = os.environ.get("DALEMBERT_NOTEBOOKS", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # on a busy machine
nb_merge_streams = True

html_theme = "furo"
html_title = f"dalembert {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
templates_path: list[str] = []

os.environ["DALEMBERT_BROWSER"] = "off"
# names of the catalog's own languages, which no highlighter knows
highlight_language = "none"


def setup(app):
    """Write the pages of the API, which are not kept in the repository."""
    api.write(HERE / "reference")
    return {"parallel_read_safe": True}

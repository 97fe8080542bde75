"""How docs/ become pages: Sphinx reads the Markdown, and every link that leads nowhere is an error.

sphinx-build -W -n --keep-going docs .cache/docs
"""

project = "Crossbias"
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4
nitpicky = True
# The theme brings its own files, and formulas are written in plain text: nothing is fetched when a page is opened.
html_theme = "furo"
html_title = "Crossbias"
html_show_sourcelink = False
html_copy_source = False

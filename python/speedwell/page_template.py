"""Templates of the HTML pages."""

import os

import jinja2
from markupsafe import Markup

from .text import printable


def environment():
    """Returns a Jinja2 environment that escapes every value for HTML and removes control characters."""
    def finalize(value):
        return value if isinstance(value, Markup) else "" if value is None else printable(value)

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.join(os.path.dirname(__file__), "templates")), autoescape=True, finalize=finalize,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined)

"""Templates of the HTML pages, and what they have in common."""

import os

import jinja2
from markupsafe import Markup

from .text import printable

_FOLDER = os.path.join(os.path.dirname(__file__), "templates")


def asset(name):
    """Returns the text of a file of the templates, such as the style sheet, to stand in a page as it is."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as stream:
        return Markup(stream.read().strip())


def environment():
    """Returns a Jinja2 environment that escapes every value for HTML and removes control characters."""
    def finalize(value):
        return value if isinstance(value, Markup) else "" if value is None else printable(value)

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, finalize=finalize,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined)

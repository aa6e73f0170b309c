"""Reads Markdown documents and replaces what stands between their markers <!-- results:NAME --> and <!-- /results -->."""
import re

from .errors import InputError
from .text import printable

MAX_DOCUMENT_BYTES = 16 << 20
_OPENING = re.compile(r"<!-- results:(.*) -->\Z")
_CLOSING = "<!-- /results -->"


def replaced(text, tables, name):
    """Returns the text with the tables of `tables` put in, and the names of all its markers."""
    out, names, opened, fence = [], [], None, None
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        content = line.strip()
        place = f"{printable(name)}:{number}"
        if opened is None and content[:3] in ("```", "~~~") and fence in (None, content[:3]):
            fence = content[:3] if fence is None else None
        marker = _OPENING.match(content) if fence is None else None
        if fence is None and content == _CLOSING:
            if opened is None:
                raise InputError(f"{place}: '{_CLOSING}' closes nothing")
            opened = None
        elif marker:
            if opened is not None:
                raise InputError(f"{place}: '<!-- results:{printable(opened)} -->' is not closed before this one")
            if not marker[1] or marker[1] in names:
                raise InputError(f"{place}: '<!-- results:{printable(marker[1])} -->' stands here a second time or has no name")
            opened = marker[1]
            names.append(opened)
            out.append(line)
            if opened in tables:
                out.append(tables[opened] if tables[opened].endswith("\n") else tables[opened] + "\n")
            continue
        if opened not in tables or content == _CLOSING:
            out.append(line)
    if opened is not None:
        raise InputError(f"{printable(name)}: '<!-- results:{printable(opened)} -->' is not closed")
    return "".join(out), names


def marker_names(text, name="the text"):
    """Returns the names of all markers of `text`, in order. Raises InputError for a marker that is not closed, opened twice or closed unopened;
    `name` is how messages call the text. Fenced code blocks are left alone."""
    return replaced(text, {}, name)[1]


def read_document(path):
    """Returns the text of a Markdown file of at most 16 MiB. Raises InputError."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(data) > MAX_DOCUMENT_BYTES:
            raise InputError(f"{printable(path)}: holds more than {MAX_DOCUMENT_BYTES >> 20} MiB")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{printable(path)}: is not UTF-8 text") from error
    except OSError as error:
        raise InputError(f"{printable(path)}: {error.strerror}") from error

"""The errors of this package. Each carries the exit status of the command line and an id (docs/errors.md)."""
import json


class SpeedwellError(Exception):
    """A failure that is one line, with an optional hint for the user."""

    status = 70
    id = "bug"

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SpeedwellError):
    """An option, name, key or value that is not allowed."""

    status = 2
    id = "usage"


class InputError(SpeedwellError):
    """A file of the user that is malformed, truncated, inconsistent or cannot be read."""

    status = 3
    id = "input.records"


class UnavailableError(SpeedwellError):
    """Something that is not available here, such as a package that is not installed."""

    status = 4
    id = "unavailable"


class OutputError(SpeedwellError):
    """An output that cannot be written."""

    status = 5
    id = "output"


class NothingMatchedError(SpeedwellError):
    """A comparison or a rule to which no run belongs: nothing was tested, so it must not pass."""

    status = 6
    id = "comparison"


def document(error):
    """Returns as text the document that stands for an error where JSON was asked for."""
    found = {"status": error.status, "id": error.id, "message": error.message, "hint": error.hint or None, "file": None, "line": None,
             "column": None}
    return json.dumps({"schema": "speedwell-records/1", "error": found, "runs": []}, ensure_ascii=False) + "\n"

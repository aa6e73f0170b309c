"""The errors of this package. Each carries the exit status of the command line (docs/errors.md)."""


class SpeedwellError(Exception):
    """A failure that is one line, with an optional hint for the user."""

    status = 70

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SpeedwellError):
    """An option, name, key or value that is not allowed."""

    status = 2


class InputError(SpeedwellError):
    """A file of the user that is malformed, truncated, inconsistent or cannot be read."""

    status = 3


class UnavailableError(SpeedwellError):
    """Something that is not available here, such as a package that is not installed."""

    status = 4


class OutputError(SpeedwellError):
    """An output that cannot be written."""

    status = 5


class NothingMatchedError(SpeedwellError):
    """A comparison or a rule to which no run belongs: it has shown nothing, so it must not pass."""

    status = 6

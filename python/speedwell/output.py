"""Writes files to a temporary name in the same folder and renames them: an output is whole or absent."""
import os
import stat
import sys
import tempfile

from .errors import OutputError, UsageError
from .text import printable


def check_output(path, force, inputs=()):
    """Rejects an output before anything is computed: one that exists (without `force`), one that is also an input, or one in a folder that does not
    exist."""
    if path == "-":
        return
    name = printable(path)
    for source in inputs:
        if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
            raise UsageError(f"{name} is one of the files that are read")
    if os.path.isdir(path):
        raise OutputError(f"{name}: is a folder")
    if os.path.exists(path) and not force:
        raise UsageError(f"{name} exists", "--force replaces it; --out FILE writes another file")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise OutputError(f"{name}: there is no folder {printable(folder)}")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{name}: the folder {printable(folder)} cannot be written to")


def _permissions(path):
    """Returns the permissions of a file, or those of a new one."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_file(path, content):
    """Writes text or bytes to `path`, or to standard output for "-". Symbolic links are followed, and an existing file's permissions are kept."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device cannot be renamed over
        try:
            with open(path, "wb") as stream:
                stream.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"{printable(path)}: {error.strerror}") from error
        return
    target, temporary = os.path.realpath(path), None
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), prefix=".speedwell-", delete=False) as stream:
            temporary = stream.name
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OutputError(f"{printable(path)}: {error.strerror}") from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)

"""Planes of the fields that `speedwell solve` writes, for tools/flow_figures.py."""
import array
import os
import re
import struct
import sys

from flow_drawing import BadFile, draw, label, usage


def read_vti(path):
    """Reads cells and arrays of a VTK image, raw and appended with 64-bit lengths: (nx, ny, nz), {name: (parts, values)}."""
    try:
        with open(path, "rb") as f:
            content = f.read()
    except OSError as e:
        raise BadFile(f"{path}: {e.strerror}") from None
    mark = content.find(b'<AppendedData encoding="raw">')
    begin = content.find(b"_", mark) + 1
    if mark < 0 or begin == 0:
        raise BadFile(f"{path}: no raw appended data")
    head = content[:mark].decode("utf-8", "replace")
    extent = re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)"', head)
    if not extent or 'header_type="UInt64"' not in head:
        raise BadFile(f"{path}: not an image as speedwell writes it")
    shape = tuple(int(n) for n in extent.groups())
    fields = {}
    arrays = re.findall(r'type="Float32" Name="(\w+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"',
                        head)
    for name, parts, offset in arrays:
        at = begin + int(offset)
        size = struct.unpack_from("<Q", content, at)[0] if at + 8 <= len(content) else -1
        if size != 4 * int(parts) * shape[0] * shape[1] * shape[2] or at + 8 + size > len(content):
            raise BadFile(f"{path}: '{name}' is cut short or has another size than its mesh")
        values = array.array("f")
        values.frombytes(content[at + 8:at + 8 + size])
        if sys.byteorder == "big":
            values.byteswap()
        fields[name] = (int(parts), values)
    return shape, fields


def name_of(path):
    """Returns ", time 5" where the run's index of fields has the time of a file, or else " of" and the file's name."""
    folder, file = os.path.split(path)
    try:
        with open(os.path.join(folder, "..", "flow.pvd"), encoding="utf-8") as index:
            times = dict((os.path.basename(name), time) for time, name in re.findall(r'timestep="([^"]*)" file="([^"]*)"', index.read()))
    except (OSError, ValueError):
        times = {}
    return f", time {float(times[file]):g}" if file in times else f" of {label(path)}"


def plane_of(path, component, axis, cell):
    """Returns the rows of a plane of a component ('?' in solids), the axes it lies along, and its title."""
    shape, fields = read_vti(path)
    field = "velocity" if component in ("u", "v", "w") else component
    if field not in fields:
        raise BadFile(f"{path}: no {field}")
    across = "xyz".index(axis)
    if cell is None:
        cell = shape[across] // 2
    if not 0 <= cell < shape[across]:
        usage(f"cell {cell} along {axis}: 0 to {shape[across] - 1}")
    first, second = [d for d in range(3) if d != across]
    strides = (1, shape[0], shape[0] * shape[1])
    parts, values = fields[field]
    c, solid, rows = max(0, "uvw".find(component)), fields.get("solid"), []
    for j in range(shape[second]):
        at = [cell * strides[across] + j * strides[second] + i * strides[first] for i in range(shape[first])]
        rows.append(["?" if solid and solid[1][n] else f"{values[parts * n + c]:.4g}" for n in at])
    return rows, "xyz"[first] + "xyz"[second], f"{component} at {axis} = {cell}{name_of(path)}"


def plane(out, files, component, axis, cell):
    planes = []
    for path in files:
        if path.endswith(".csv"):
            try:
                with open(path, encoding="utf-8") as f:
                    title, axes, *lines = f.read().splitlines()
            except (OSError, ValueError):
                raise BadFile(f"{path}: not a plane that this program wrote") from None
            planes.append(([row.split(",") for row in lines], axes[2:], title[2:]))
        else:
            planes.append(plane_of(path, component, axis, cell))
    if out.endswith(".csv"):
        rows, axes, title = planes[0]
        with open(out, "w", encoding="utf-8") as f:
            f.write(f"# {title}\n# {axes}\n" + "".join(",".join(row) + "\n" for row in rows))
        return
    wide = min(3, len(planes))
    high = (len(planes) + wide - 1) // wide
    small, ticks = (" font ',8'", 2) if len(planes) > 1 else ("", 4)
    script = f"set size ratio -1\nunset key\nunset grid\nset multiplot layout {high},{wide}\n"
    for n, (rows, axes, title) in enumerate(planes):
        numbers = [float(v) for row in rows for v in row if v != "?"] or [0]
        if title.startswith(("density", "pressure")):  # never below 0: from light to dark
            low, high_value = min(numbers), max(numbers)
            if low == high_value:
                high_value = low + 1
            palette = "0 '#ffffcc', 1 '#fd8d3c', 2 '#800026'"
        else:
            high_value = max(map(abs, numbers)) or 1
            low, palette = -high_value, "-1 '#2166ac', 0 '#f7f7f7', 1 '#b2182b'"
        script += (f"$plane{n} << EOD\n" + "\n".join(" ".join(row) for row in rows) + "\nEOD\n"
                   f"set palette defined ({palette})\nset cbrange [{low:.4g}:{high_value:.4g}]\nset xrange [-0.5:{len(rows[0]) - 0.5}]\n"
                   f"set xtics {max(1, len(rows[0]) // ticks)}\nset ytics {max(1, len(rows) // ticks)}\n"
                   f"set yrange [-0.5:{len(rows) - 0.5}]\nset xlabel '{axes[0]} (cells)'\nset ylabel '{axes[1]} (cells)'\n"
                   f"set title '{title}'{small}\nplot $plane{n} matrix with image\n")
    draw(out, script + "unset multiplot\n", f"{max(560, 310 * wide)},{280 * high if high > 1 else 520}")

"""Reads the records of Speedwell and makes everything of them but the measurement.

records   files of records to documents and to a pandas DataFrame
analysis  which runs belong together, which is fastest, ratios with their intervals
report    one HTML file;  compare  machines side by side;  diff  two sets of sessions;  accept  rules with a verdict

`python3 -m speedwell --help` is the command line; docs/python.md is the manual.
"""
__version__ = "0.1.0"

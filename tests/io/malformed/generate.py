#!/usr/bin/env python3
"""Writes the malformed sequence files of this folder and expected.tsv, the table that sequence_malformed_test.cpp reads.

Line and column of each case are counted by hand: they are what the reader is held against. Run it after a change here.
"""
import gzip
import pathlib
import struct
import zlib

A, P, D = "any", "protein", "dna"
BOM = b"\xef\xbb\xbf"
fasta = [
    ("empty", b"", A, "empty", 0, 0),
    ("blank-lines-only", b"\n\n \t\r\n", A, "empty", 0, 0),
    ("comments-only", b"; a comment\n;another\n", A, "empty", 0, 0),
    ("byte-order-mark-only", BOM, A, "empty", 0, 0),
    ("no-header", b"ACGT\nACGT\n", A, "no_header", 1, 1),
    ("no-header-after-blank-lines", b"\n\nACGT\n", A, "no_header", 3, 1),
    ("no-header-after-comment", b";c\nMKV\n>a\nMKV\n", A, "no_header", 2, 1),
    ("no-header-after-byte-order-mark", BOM + b"MKV\n", A, "no_header", 1, 4),
    ("numbered-lines", b"        1 mkvla\n", A, "no_header", 1, 9),
    ("fastq-after-comment", b";c\n@a\nACGT\n+\nIIII\n", A, "no_header", 2, 1),
    ("exclamation-mark", b">a\nMKVLAA\nMKV!LA\n", P, "character", 3, 4),
    ("digit", b">a\nMKV1\n", P, "character", 2, 4),
    ("bad-first-letter", b">a\n?MKV\n", P, "character", 2, 1),
    ("bad-last-letter", b">a\nMKVL#", P, "character", 2, 5),
    ("bad-second-record", b">a\nMKV\n>b desc\nMK\nM@\n", P, "character", 5, 2),
    ("bad-letter-crlf", b">a\r\nMKV\r\nM$V\r\n", P, "character", 3, 2),
    ("bad-letter-after-blanks", b">a\nMKV  \t LA_\n", P, "character", 2, 10),
    ("comma-separated", b">a\nM,K,V\n", P, "character", 2, 2),
    ("header-within-line", b">a\nMKV>b\nMKV\n", P, "character", 2, 4),
    ("comment-within-line", b">a\nMKV;c\n", P, "character", 2, 4),
    ("fastq-record-in-fasta", b">a\nMKV\n@b\nMKV\n+\nIII\n", P, "character", 3, 1),
    ("accented-letter", b">a\nMK\xc3\x89V\n", P, "character", 2, 3),
    ("no-break-space", b">a\nMK\xc2\xa0V\n", P, "character", 2, 3),
    ("dna-amino-acid", b">a\nACGTE\n", D, "character", 2, 5),
    ("dna-lower-case", b">a\nacgtnnz\n", D, "character", 2, 7),
    ("dna-stop", b">a\nACG*\n", D, "character", 2, 4),
    ("dna-is-protein", b">a\nMKWVTF\n", D, "character", 2, 6),
    ("identifier-empty", b">\nMKV\n", A, "identifier", 1, 2),
    ("identifier-after-blank", b"> a b\nMKV\n", A, "identifier", 1, 2),
    ("identifier-after-tab", b">\ta\nMKV\n", A, "identifier", 1, 2),
    ("identifier-empty-crlf", b">a\r\nMKV\r\n>\r\nMKV\r\n", A, "identifier", 3, 2),
    ("identifier-empty-second", b">a\nMKV\n>\nMKV\n", A, "identifier", 3, 2),
    ("header-cut", b">a\nMKV\n>b descr", A, "truncated", 3, 9),
    ("header-cut-at-once", b">a\nMKV\n>", A, "truncated", 3, 2),
    ("header-mark-only", b">", A, "truncated", 1, 2),
    ("header-only", b">a", A, "truncated", 1, 3),
    ("nul-in-sequence", b">a\nMK\0V\n", A, "binary", 2, 3),
    ("nul-in-header", b">a\0b\nMKV\n", A, "binary", 1, 3),
    ("nul-in-comment", b"; c\0\n>a\nMKV\n", A, "binary", 1, 4),
    ("nul-first", b"\0\0\0\0", A, "binary", 1, 1),
    ("escape-in-header", b">a \x1b[31mred\nMKV\n", A, "binary", 1, 4),
    ("bell-in-sequence", b">a\nM\x07KV\n", A, "binary", 2, 2),
    ("delete-in-sequence", b">a\nMK\x7f\n", A, "binary", 2, 3),
    ("form-feed", b">a\nMKV\n\x0c>b\nMKV\n", A, "binary", 3, 1),
    ("utf-16", b"\xff\xfe>\0a\0\n\0M\0", A, "binary", 1, 1),
    ("byte-order-mark-cut", b"\xef\xbb>a\nMKV\n", A, "binary", 1, 3),
    ("elf", b"\x7fELF\x02\x01\x01\0", A, "binary", 1, 1),
    ("png", b"\x89PNG\r\n\x1a\n", A, "binary", 1, 1),
    ("old-macintosh", b">a\rMKV\r>b\rMKV\r", A, "line_end", 1, 3),
    ("carriage-return-in-sequence", b">a\nMK\rV\n", A, "line_end", 2, 3),
    ("carriage-return-twice", b">a\r\r\nMKV", A, "line_end", 1, 3),
]
fastq = [
    ("cut-in-header", b"@a", A, "truncated", 1, 3),
    ("cut-in-letters", b"@a\nACGT", A, "truncated", 2, 5),
    ("cut-after-letters", b"@a\nACGT\n", A, "truncated", 3, 1),
    ("cut-in-plus", b"@a\nACGT\n+", A, "truncated", 3, 2),
    ("cut-after-plus", b"@a\nACGT\n+\n", A, "truncated", 4, 1),
    ("cut-in-qualities", b"@a\nACGT\n+\nII", A, "truncated", 4, 3),
    ("qualities-fewer", b"@a\nACGT\n+\nII\n", A, "length", 4, 3),
    ("qualities-more", b"@a\nACGT\n+\nIIIIII\n", A, "length", 4, 5),
    ("qualities-fewer-crlf", b"@a\r\nACGT\r\n+\r\nIII\r\n", A, "length", 4, 4),
    ("wrapped", b"@a\nACGT\nACGT\n+\nIIIIIIII\n", A, "plus", 3, 1),
    ("plus-other-name", b"@a x\nACGT\n+b x\nIIII\n", A, "plus", 3, 2),
    ("quality-blank", b"@a\nACGT\n+\nII I\n", A, "quality", 4, 3),
    ("quality-high-byte", b"@a\nACGT\n+\nI\xffII\n", A, "quality", 4, 2),
    ("quality-nul", b"@a\nACGT\n+\nI\0II\n", A, "binary", 4, 2),
    ("record-without-mark", b"@a\nACGT\n+\nIIII\nb\nACGT\n+\nIIII\n", A, "record", 5, 1),
    ("fasta-record", b"@a\nACGT\n+\nIIII\n>b\nACGT\n", A, "record", 5, 1),
    ("gap", b"@a\nAC-T\n+\nIIII\n", A, "character", 2, 3),
    ("blank", b"@a\nAC T\n+\nIIII\n", A, "character", 2, 3),
    ("letter", b"@a\nACGX\n+\nIIII\n", D, "character", 2, 4),
    ("identifier-empty", b"@\nACGT\n+\nIIII\n", A, "identifier", 1, 2),
    ("old-macintosh", b"@a\rACGT\r+\rIIII\r", A, "line_end", 1, 3),
]


def gz(data):
    return gzip.compress(data, mtime=0)


good = gz(b">a\nMKVLAAGIVGLLLAQWTFRRNDHHSPY\n" * 4)
crc, size = zlib.crc32(b">a\nMKV\n"), 7
body = gz(b">a\nMKV\n")[:-8]
compressed = [
    ("cut-in-data", good[: len(good) // 2], A, "gzip.truncated", 0, 0),
    ("cut-after-magic", good[:2], A, "gzip.truncated", 0, 0),
    ("cut-in-header", good[:7], A, "gzip.truncated", 0, 0),
    ("cut-in-trailer", good[:-4], A, "gzip.truncated", 0, 0),
    ("cut-second-member", good + good[:-9], A, "gzip.truncated", 0, 0),
    ("wrong-checksum", body + struct.pack("<II", crc ^ 1, size), A, "gzip.corrupt", 0, 0),
    ("wrong-length", body + struct.pack("<II", crc, size + 1), A, "gzip.corrupt", 0, 0),
    ("wrong-method", good[:2] + b"\x07" + good[3:], A, "gzip.corrupt", 0, 0),
    ("bad-block", good[:10] + b"\x07" + good[11:], A, "gzip.corrupt", 0, 0),
    ("bytes-after-end", good + b">b\nMKV\n", A, "gzip.corrupt", 0, 0),
    ("member-after-padding", good + bytes(8) + good, A, "gzip.corrupt", 0, 0),
    ("of-nothing", gz(b""), A, "fasta.empty", 0, 0),
    ("twice", gz(good), A, "fasta.binary", 1, 1),
    ("bad-letter", gz(b">a\nMKV\nMK+\n"), P, "fasta.character", 3, 3),
    ("bad-letter-second-member", gz(b">a\nMKV\n") + gz(b"M!V\n"), P, "fasta.character", 3, 2),
    ("qualities-fewer", gz(b"@a\nACGT\n+\nII\n"), A, "fastq.length", 4, 3),
]

here = pathlib.Path(__file__).parent
rows = []
for suffix, prefix, cases in (("fa", "fasta.", fasta), ("fq", "fastq.", fastq), ("gz", "", compressed)):
    for name, data, alphabet, error, line, column in cases:
        error = "fasta.no_header" if error == "no_header" else prefix + error
        (here / f"{name}.{suffix}").write_bytes(data)
        rows.append(f"{name}.{suffix}\t{alphabet}\t3\tinput.{error}\t{line}\t{column}\n")
(here / "expected.tsv").write_text("file\talphabet\tstatus\tid\tline\tcolumn\n" + "".join(rows))

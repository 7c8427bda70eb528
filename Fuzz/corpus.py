"""Corpora as text: one input a line, as hexadecimal digits, the shortest first.

    corpus.py unpack FILE FOLDER     writes each line as a file of FOLDER
    corpus.py pack FOLDER FILE       writes the files of FOLDER as lines, at most 64 KiB of inputs
"""

import pathlib
import sys

LIMIT = 64 << 10


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    if file.exists():
        for number, line in enumerate(file.read_text().split()):
            # A hyphen represents an empty input.
            (folder / f"{number:05}").write_bytes(b"" if line == "-" else bytes.fromhex(line))


def pack(folder, file):
    inputs = sorted({path.read_bytes() for path in folder.iterdir()}, key=lambda octets: (len(octets), octets))
    lines, total = [], 0
    for octets in inputs:
        total += len(octets)
        if total > LIMIT:
            break
        lines.append(octets.hex() or "-")
    file.write_text("".join(line + "\n" for line in lines))
    print(f"{file.stem}: {len(lines)} inputs, {sum(len(line) // 2 for line in lines)} octets")


def main():
    verb, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    {"unpack": unpack, "pack": pack}[verb](source, target)


if __name__ == "__main__":
    main()

"""Results of these scripts: tables with tabs, a head, and rows that belong to a program.

They accumulate in bench/amplify/rows: what is there of earlier runs stays, and rows of a program that was measured again
replace those that it had.
"""
import os

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows")
# Which rows are replaced together.
KEYS = {"findings.tsv": ["program"], "programs.tsv": ["program"], "subsets.tsv": ["program"], "alone.tsv": ["program"],
        "checks.tsv": ["store", "program"], "packaged.tsv": ["program"], "own.tsv": ["program"]}


def read(path):
    """A table's rows, each {column: cell}; none when there is no such file."""
    if not os.path.exists(path):
        return []
    with open(path) as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def rows(name, folder=None):
    """The rows of table NAME that the repository has, with those of FOLDER in their place."""
    def key(row):
        return tuple(row[column] for column in KEYS[name])

    old, new = read(os.path.join(REPOSITORY, name)), read(os.path.join(folder, name)) if folder else []
    again = {key(row) for row in new}
    if name == "findings.tsv" and folder:  # a program in which nothing was found this time has no row there
        again |= {(row["program"],) for row in read(os.path.join(folder, "programs.tsv"))}
    for row in new:
        if "file" in row:
            row["file"] = os.path.basename(row["file"])
    merged, placed = [], set()
    for row in old:
        if key(row) not in again:
            merged.append(row)
        elif key(row) not in placed:
            placed.add(key(row))
            merged += [other for other in new if key(other) == key(row)]
    return merged + [row for row in new if key(row) not in placed]


def accumulate(folder):
    """Puts FOLDER's rows into the repository."""
    for name in KEYS:
        merged = rows(name, folder)
        if not merged:
            continue
        head = list(merged[0])
        path = os.path.join(REPOSITORY, name)
        with open(path + ".new", "w") as f:
            for cells in [head, *([row[column] for column in head] for row in merged)]:
                f.write("\t".join(cells) + "\n")
        os.rename(path + ".new", path)

"""Runs a command until it has used so much processor time, all its processes together.

Wall clocks say little on a machine that does other things as well. Processes that have ended count
for those that waited for them, so the sum over the living ones is the sum over all.
"""
import glob
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


def processes():
    """pid -> (parent, seconds)"""
    table = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        table[int(name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICK)
    return table


def cpu_seconds(root):
    table = processes()
    children = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    total, waiting = 0.0, [root]
    while waiting:
        pid = waiting.pop()
        if pid in table:
            total += table[pid][1]
            waiting += children.get(pid, [])
    return total


def run(command, seconds, log, each=None, step=0.25, environment=None, stop=signal.SIGINT, stdin=None):
    """Runs it for `seconds` of processor time; `each(cpu)` is called every second or so of it.

    Returns the processor time and the wall time it took.
    """
    started, last, cpu = time.time(), 0.0, 0.0
    with open(log, "wb") as out:
        p = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment,
                             stdin=stdin or subprocess.DEVNULL, start_new_session=True)
        while p.poll() is None:
            cpu = max(cpu, cpu_seconds(p.pid))
            if each and cpu - last >= min(1.0, 0.2 + last / 5):
                last = cpu
                each(cpu)
            if cpu >= seconds:
                p.send_signal(stop)
                break
            time.sleep(step)
        p.wait()
    return cpu, time.time() - started


def coverage(veer, folder, pattern):
    """(covered, total) lines, (covered, total) branches of the files, and lines that are not covered."""
    out = subprocess.run([veer, "coverage", "--file", pattern, "--uncovered", folder], capture_output=True, text=True)
    lines, branches, uncovered = (0, 0), (0, 0), []
    for line in out.stdout.splitlines():
        if line.endswith("  all"):
            counts = re.findall(r"(\d+)/(\d+)", line)
            lines, branches = (tuple(map(int, c)) for c in counts[:2])
        elif re.search(r":[\d-]+$", line):
            uncovered.append(line.rpartition(":")[2])
    return lines, branches, uncovered


def statistics(log):
    """What veer explore --stats said."""
    with open(log) as f:
        text = f.read()
    numbers = {}
    for key, pattern in {
        "runs": r": (\d+) runs",
        "errors": r"(\d+) errors?",
        "warnings": r"(\d+) warnings?",
        "queries": r"(\d+) queries",
        "unknown": r"(\d+) unknown",
        "expected": r"should: (\d+) of",
        "predicted": r"should: \d+ of (\d+)",
        "unmodelled": r"others, (\d+) met",
        "care": r"that matter: (\d+) of",
        "care_of": r"that matter: \d+ of (\d+)",
    }.items():
        found = re.findall(pattern, text)
        numbers[key] = int(found[-1]) if found else 0
    for share in "run", "read traces", "solve", "oracle", "relevant bytes":
        found = re.search(re.escape(share) + r" ([\d.]+)%", text)
        numbers["share " + share] = float(found.group(1)) if found else 0.0
    return numbers


def inputs(folder, kept_only=True):
    """The inputs of a campaign in the order of their making: [(kind, name, bytes), ...] each."""
    db = sqlite3.connect(f"file:{folder}/veer.db?mode=ro", uri=True)
    where = "WHERE in_corpus = 1" if kept_only else ""
    for (data,) in db.execute(f"SELECT data FROM inputs JOIN bytes ON input = inputs.id {where} ORDER BY inputs.id"):
        count, at, parts = struct.unpack_from("<I", data, 8)[0], 12, []
        for _ in range(count):
            kind, named = struct.unpack_from("<II", data, at)
            at, name = at + 8, None
            if named:
                (n,) = struct.unpack_from("<I", data, at)
                name, at = data[at + 4 : at + 4 + n].decode(), at + 4 + n
            (n,) = struct.unpack_from("<Q", data, at)
            parts.append(("argument variable stdin file objects".split()[kind], name, data[at + 8 : at + 8 + n]))
            at += 8 + n
        yield parts


def replay(program, parts, folder, seconds=0.5):
    """Runs the native program on an input, in that folder."""
    arguments = [data for kind, _, data in parts if kind == "argument"]
    stdin = b"".join(data for kind, _, data in parts if kind == "stdin")
    try:
        subprocess.run([program, *arguments[1:]], input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       cwd=folder, timeout=seconds, env={"LC_ALL": "C"})
    except subprocess.TimeoutExpired:
        pass


def gcov(tree, utility, inputs):
    """line -> covered, by the inputs, of src/UTILITY.c in a tree that was built with gcc --coverage."""
    for old in os.listdir(os.path.join(tree, "src")):
        if old.endswith(utility + ".gcda"):
            os.remove(os.path.join(tree, "src", old))
    with tempfile.TemporaryDirectory() as folder:
        for parts in inputs:
            replay(os.path.join(tree, "src", utility), parts, folder)
    subprocess.run(["gcov", "-o", "src", f"src/{utility}.c"], cwd=tree, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    lines = {}
    with open(os.path.join(tree, utility + ".c.gcov")) as f:
        for line in f:
            count, number = line.split(":")[:2]
            if int(number) and count.strip() != "-":
                lines[int(number)] = count.strip() not in ("#####", "=====")
    return lines


def branches(command, tree, pattern, inputs, scratch):
    """Sides of branches that the inputs cover, and all, by gcov; the command has @@ for the file."""
    for old in glob.glob(os.path.join(tree, "**/*.gcda"), recursive=True):
        os.remove(old)
    given = os.path.join(scratch, "given")
    for data in inputs:
        with open(given, "wb") as f:
            f.write(data)
        try:
            subprocess.run([given if a == "@@" else a for a in command], stdin=subprocess.DEVNULL, timeout=1,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"LC_ALL": "C"})
        except subprocess.TimeoutExpired:
            pass  # gcov writes at the end only: what it covered is lost
    sides = {}
    for notes in glob.glob(os.path.join(tree, pattern + ".gcda")):
        out = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", notes],
                             capture_output=True, cwd=tree, check=True).stdout
        for report in out.splitlines():
            for file in json.loads(report)["files"]:
                if file["file"].startswith("/usr/"):
                    continue
                for line in file["lines"]:
                    for i, b in enumerate(line["branches"]):
                        key = file["file"], line["line_number"], line.get("function_name"), i
                        sides[key] = sides.get(key, False) or b["count"] > 0
    return sum(sides.values()), len(sides)

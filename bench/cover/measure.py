"""What the scripts of this folder share: building with veer-cc, campaigns of veer cover, segments that are covered."""
import json
import os
import re
import shlex
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(os.environ.get("VEER_BENCH_DIR", os.path.join(ROOT, "bench", "work")), "cover")
SEGMENT = re.compile(r"^(.*):(\d+) (\S+) segment (\d+) (covered|not): (.*)$")


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def veer(*args, **more):
    return subprocess.run(["veer", *args], text=True, capture_output=True, **more)


def segments_of(text):
    """{(file, function, number): (covered, what it looks like)} of the lines that veer prints for segments."""
    found = {}
    for line in text.splitlines():
        m = SEGMENT.match(line)
        if m:
            key = (os.path.basename(m[1]), m[3], int(m[4]))
            found[key] = (m[5] == "covered" or found.get(key, (False,))[0], m[6])
    return found


def run_segments(program, args="", stdin="/dev/null", cwd=None):
    """The segments that one run of a program passes through."""
    command = f"veer path --segments --no-compare -- {shlex.quote(program)} {args}"
    with open(os.path.join(cwd or ".", stdin), "rb") as f:
        r = subprocess.run(["sh", "-c", command], stdin=f, capture_output=True, cwd=cwd)
    return segments_of(r.stdout.decode("utf-8", "replace"))


def campaign(name, program, args, seconds, phases, more=()):
    """Runs veer cover unless DIR/done says that it was; returns results.json, or None with what went wrong printed."""
    folder = os.path.join(WORK, name)
    done = os.path.join(folder, "done")
    if not os.path.exists(done):
        say(f"{name}: {seconds} s, phases {phases}")
        os.makedirs(WORK, exist_ok=True)
        started = time.time()
        r = veer("cover", "-q", "-j1", "-o", folder, "--budget", f"{seconds}s", "--phases", phases, *more, program,
                 *(["--", *args] if args else []))
        if r.returncode not in (0, 1) or not os.path.exists(os.path.join(folder, "results.json")):
            print(f"{name}: veer cover ended with {r.returncode}: {(r.stderr or r.stdout).strip()[-300:]}")
            return None
        with open(done, "w") as f:
            print(round(time.time() - started, 1), file=f)
    with open(os.path.join(folder, "results.json")) as f:
        results = json.load(f)
    results["seconds"] = float(open(done).read())
    results["folder"] = folder
    return results


def covered_by(folder):
    """The segments of a campaign's program, each covered or not."""
    r = veer("coverage", "--segments", folder)
    return segments_of(r.stdout)

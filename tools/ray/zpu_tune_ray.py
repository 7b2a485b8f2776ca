#!/usr/bin/env python3
"""Runs the shards of zpu-tune on Ray, and merges their journals.

Each shard is a task: it gets the kernel, the space and the files that these name as bytes, so machines need not share a
file system, and the trials that the journal has, so a run that was ended goes on. What a shard has tried is in the
journal as soon as the shard ends. At the end zpu-tune itself runs once more, here, on the whole journal: it prints the
table and the proof, and keeps the winner.

Exit codes are those of zpu-tune; 1 for a wrong use of this driver, too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

USAGE = 1
# A shard that has no program is fine where another one has.
NO_PROGRAM = 2
# Options of zpu-tune that say what becomes of the winner.
AT_THE_END = ("--check", "--json", "--out", "--rows")
# A worker that dies is tried again so many times.
RETRIES = 2


class Refused(Exception):
    """A message for the user."""


@dataclass(frozen=True)
class Shard:
    """What a shard leaves."""

    index: int
    code: int
    messages: str
    lines: list[bytes]


def main(arguments: list[str]) -> int:
    """Runs all shards and then the search over their journal."""
    try:
        return tune(arguments)
    except Refused as refused:
        print(f"zpu_tune_ray: error: {refused}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("zpu_tune_ray: stopped; the journal has all shards that ended", file=sys.stderr)
        return 130


def tune(arguments: list[str]) -> int:
    what, handed_on = parse(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return search(what, handed_on, what.journal or Path(folder, "journal.jsonl"))


def search(what: argparse.Namespace, handed_on: list[str], journal: Path) -> int:
    files, names = bundle(what)
    known = read(journal)
    options = [*handed_on, *names]
    for shard in run_all(what, files, options, known):
        if shard.code not in (0, NO_PROGRAM):
            raise Refused(f"shard {shard.index}/{what.shards} ended with code {shard.code}: {shard.messages.strip()}")
        merge(journal, shard.lines)
    return last_search(what, handed_on, journal)


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="zpu_tune_ray.py",
        description="Runs the shards of zpu-tune on Ray. All other options are handed on to zpu-tune; so are --check, "
        "--json, --out and --rows, but only to the search at the end.",
        allow_abbrev=False,
    )
    parser.add_argument("kernel", type=Path, help="the kernel, MLIR")
    parser.add_argument("--space", type=Path, required=True, metavar="FILE", help="the space, TOML")
    parser.add_argument("--script", type=Path, metavar="FILE", help="the transform script")
    parser.add_argument("--device", metavar="DEVICE", help="the device, a name or a file")
    parser.add_argument("--shards", type=int, required=True, metavar="N", help="parts of the space, a task each")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="keeps the trials, and takes over those it has")
    # Not None, which takes any cluster that this machine has seen, a dead one included.
    parser.add_argument(
        "--address",
        metavar="ADDRESS",
        default="local",
        help="the Ray cluster; without it, a Ray of its own runs on this machine",
    )
    parser.add_argument("--zpu-tune", default="zpu-tune", metavar="PATH", help="the tool, on every machine")
    parser.add_argument("--cpus-per-shard", type=int, default=1, metavar="N", help="processors and threads of a task")
    for option in AT_THE_END:
        parser.add_argument(option, help=argparse.SUPPRESS)
    what, handed_on = parser.parse_known_args(arguments)
    if what.shards < 1:
        raise Refused(f"--shards is {what.shards}, and has to be at least 1")
    if what.cpus_per_shard < 1:
        raise Refused(f"--cpus-per-shard is {what.cpus_per_shard}, and has to be at least 1")
    for option in handed_on:
        if option.split("=")[0] in ("--shard", "--threads"):
            raise Refused(f"{option} is what this driver decides; leave it out")
    return what, [option for option in handed_on if option != "--"]


def bundle(what: argparse.Namespace) -> tuple[dict[str, bytes], list[str]]:
    """The files of a search by the names that they have on a worker, and the options that name them."""
    text = contents(what.space)
    try:
        space = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"{what.space}: {error}") from error
    files = {"kernel.mlir": contents(what.kernel), "space.toml": text}
    options: list[str] = []
    script = what.script
    if script is None and isinstance(space.get("script"), str):
        script = what.space.parent / space["script"]
    if script is not None:
        files["script.mlir"] = contents(script)
        options += ["--script", "script.mlir"]
    device = what.device or space.get("device")
    if isinstance(device, str):
        # What is no file is the name of a device that the tool has.
        if Path(device).is_file():
            files["device.toml"] = contents(Path(device))
            device = "device.toml"
        options += ["--device", device]
    return files, options


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def run_all(what: argparse.Namespace, files: dict[str, bytes], options: list[str], known: bytes) -> Iterable[Shard]:
    """The shards, each as soon as it ends."""
    try:
        import ray
    except ImportError as error:
        raise Refused("Ray is missing; install what tools/ray/requirements.txt lists") from error
    try:
        ray.init(address=what.address, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    except Exception as error:  # Ray has no common class for a cluster that does not answer.
        raise Refused(f"Ray at {what.address} does not answer: {error}") from error
    try:
        task = ray.remote(run_shard).options(num_cpus=what.cpus_per_shard, max_retries=RETRIES)
        fixed = [ray.put(part) for part in (files, options, known)]
        left = [
            task.remote(*fixed, index, what.shards, what.cpus_per_shard, what.zpu_tune) for index in range(what.shards)
        ]
        while left:
            [done], left = ray.wait(left, num_returns=1)
            try:
                yield ray.get(done)
            except ray.exceptions.RayError as error:
                first = str(error).strip().splitlines()[0]
                raise Refused(f"a shard was lost, {RETRIES + 1} times: {first}; run this again to go on") from error
    finally:
        ray.shutdown()


def run_shard(
    files: dict[str, bytes], options: list[str], known: bytes, index: int, shards: int, threads: int, tool: str
) -> Shard:
    """One shard, on a worker."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_bytes(text)
        journal = Path(folder, "journal.jsonl")
        journal.write_bytes(known)
        path = shutil.which(tool)
        if path is None:
            return Shard(index, 127, f"there is no {tool} on {platform.node()}", [])
        strategy = [] if any(option.startswith("--strategy") for option in options) else ["--strategy=exhaustive"]
        command = [path, "kernel.mlir", "--space", "space.toml", *options, *strategy, "--check=off"]
        command += ["--journal", "journal.jsonl", "--shard", f"{index}/{shards}", "--threads", str(threads)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        new = journal.read_bytes()[len(known) :]
        return Shard(index, done.returncode, done.stderr, new.splitlines())


def read(journal: Path) -> bytes:
    """The trials that there are, each in a whole line."""
    if not journal.exists():
        return b""
    text = contents(journal)
    return text if text.endswith(b"\n") or not text else text + b"\n"


def merge(journal: Path, lines: Iterable[bytes]) -> None:
    """Puts lines into the journal: each trial once, in the order of the space. What is no trial stays, at the end."""
    trials: dict[str, tuple[int, bytes]] = {}
    others: list[bytes] = []
    for line in [*read(journal).splitlines(), *lines]:
        if not line.strip():
            continue
        try:
            trial = json.loads(line)
            trials.setdefault(trial["key"], (int(trial["index"]), line))
        except (ValueError, KeyError, TypeError):
            others.append(line)
    ordered = sorted(trials.items(), key=lambda item: (item[1][0], item[0]))
    text = b"".join(line + b"\n" for line in [*(line for _, (_, line) in ordered), *others])
    descriptor, name = tempfile.mkstemp(dir=journal.parent, prefix=journal.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
        os.replace(name, journal)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise Refused(f"{journal}: {error.strerror}") from error


def last_search(what: argparse.Namespace, handed_on: list[str], journal: Path) -> int:
    """The search over the whole journal, on this machine."""
    path = shutil.which(what.zpu_tune)
    if path is None:
        raise Refused(f"there is no {what.zpu_tune} on this machine")
    command = [path, str(what.kernel), "--space", str(what.space), "--journal", str(journal), *handed_on]
    command += ["--script", str(what.script)] if what.script else []
    command += ["--device", what.device] if what.device else []
    for option in AT_THE_END:
        value = getattr(what, option.removeprefix("--"))
        command += [option, value] if value is not None else []
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

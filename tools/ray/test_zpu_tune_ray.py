"""The driver on a Ray of this machine, with the zpu-tune that ZPU_TUNE names; and its parts without Ray."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import zpu_tune_ray

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples" / "tuning"
HAS_RAY = importlib.util.find_spec("ray") is not None
TUNE = shutil.which(os.environ.get("ZPU_TUNE", "zpu-tune"))

KERNEL = """
func.func @product(%a: memref<96x64xf16> {llvm.noalias}, %b: memref<64x96xf16> {llvm.noalias},
    %c: memref<96x96xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<96x64xf16>, memref<64x96xf16>) outs(%c : memref<96x96xf32>)
  return
}
"""
SPACE = f"""
script = "{EXAMPLES / "matmul.transform.mlir"}"
[knobs]
tile_m = [32, 96]
tile_n = [32, 96]
tile_k = [32]
stages = [1]
[pipeline]
num-stages = [0, 2, 3]
"""


def line(key: str, index: int, cycles: int = 1) -> bytes:
    return json.dumps({"key": key, "index": index, "cycles": cycles}).encode()


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.journal = self.folder / "all.jsonl"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path


class Merging(InAFolder):
    def test_each_trial_is_there_once_and_in_order(self) -> None:
        self.journal.write_bytes(line("b", 2, 7) + b"\n")
        zpu_tune_ray.merge(self.journal, [line("c", 1), line("b", 2, 9), line("a", 2)])
        keys = [json.loads(each)["key"] for each in self.journal.read_bytes().splitlines()]
        self.assertEqual(keys, ["c", "a", "b"])
        self.assertEqual(json.loads(self.journal.read_bytes().splitlines()[2])["cycles"], 7)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["all.jsonl"])

    def test_what_is_no_trial_stays(self) -> None:
        self.journal.write_bytes(b'{"key": "cut o\n' + line("a", 0) + b"\n[]")
        zpu_tune_ray.merge(self.journal, [line("b", 1)])
        lines = self.journal.read_bytes().splitlines()
        self.assertEqual(lines, [line("a", 0), line("b", 1), b'{"key": "cut o', b"[]"])


class WrongUse(InAFolder):
    def refused(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, HERE / "zpu_tune_ray.py", *arguments], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def test_files_and_numbers(self) -> None:
        kernel, space = self.write("k.mlir", KERNEL), self.write("s.toml", SPACE)
        self.assertIn("nowhere.mlir: No such file", self.refused("nowhere.mlir", "--space", str(space), "--shards=2"))
        self.assertIn("no.toml: No such file", self.refused(str(kernel), "--space", "no.toml", "--shards=2"))
        self.assertIn("--shards is 0", self.refused(str(kernel), "--space", str(space), "--shards=0"))
        wrong = self.write("wrong.toml", "[knobs")
        self.assertIn("wrong.toml", self.refused(str(kernel), "--space", str(wrong), "--shards=2"))
        self.assertIn("leave it out", self.refused(str(kernel), "--space", str(space), "--shards=2", "--shard=0/2"))


@unittest.skipUnless(HAS_RAY, "Ray is not installed")
class OnRay(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.assertIsNotNone(TUNE, "build zpu-tune, and name it in ZPU_TUNE")
        self.kernel, self.space = self.write("k.mlir", KERNEL), self.write("s.toml", SPACE)
        self.device = ["--device", "sunmmio-a4e"]

    def run_driver(self, *options: str, tool: str | None = TUNE) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, HERE / "zpu_tune_ray.py", self.kernel, "--space", self.space, *self.device]
        command += ["--shards=3", "--journal", self.journal, "--zpu-tune", tool or "zpu-tune", "--check=off", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def cycles(self, journal: Path) -> dict[int, int]:
        trials = [json.loads(each) for each in journal.read_text().splitlines()]
        return {trial["index"]: trial["cycles"] for trial in trials}

    def test_shards_leave_what_one_search_leaves(self) -> None:
        done = self.run_driver()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 configurations", done.stdout)
        self.assertRegex(done.stdout, r"(\d+) trials, \1 of them from the journal")
        alone = self.folder / "alone.jsonl"
        command = [TUNE, self.kernel, "--space", self.space, *self.device, "--check=off", "--strategy=exhaustive"]
        subprocess.run([*command, "--journal", alone], capture_output=True, check=True)
        self.assertEqual(self.cycles(self.journal), self.cycles(alone))
        # Once more: nothing is tried, and nothing changes.
        before = self.journal.read_bytes()
        self.assertEqual(self.run_driver().returncode, 0)
        self.assertEqual(self.journal.read_bytes(), before)

    def test_a_file_of_a_device_goes_along(self) -> None:
        shutil.copy(HERE.parent.parent / "devices" / "toy.toml", self.folder / "mine.toml")
        self.device = ["--device", str(self.folder / "mine.toml")]
        done = self.run_driver()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(\d+) trials, \1 of them from the journal")

    def test_a_worker_that_dies_is_tried_again(self) -> None:
        marker, tool = self.folder / "died", self.folder / "dying"
        tool.write_text(f'#!/bin/sh\n[ -e {marker} ] || {{ touch {marker}; kill -9 $PPID; }}\nexec {TUNE} "$@"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        done = self.run_driver(tool=str(tool))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(marker.exists())
        self.assertEqual(len(self.cycles(self.journal)), 12)

    def test_what_zpu_tune_refuses_ends_the_run(self) -> None:
        self.space.write_text(SPACE.replace("tile_m", "tile_q"))
        done = self.run_driver()
        self.assertEqual(done.returncode, 1)
        self.assertIn("zpu_tune_ray: error: shard", done.stderr)
        self.assertIn("tile_q", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_tool_that_is_missing_is_named(self) -> None:
        done = self.run_driver(tool="/nowhere/zpu-tune")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no /nowhere/zpu-tune on ", done.stderr)


if __name__ == "__main__":
    unittest.main()

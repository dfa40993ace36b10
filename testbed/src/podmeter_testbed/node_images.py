"""The images of a node: its containerd starts with every one of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def take(source: Path, target: Path) -> None:
    """Fill containerd's root with every image. By hard links if possible: layers never change."""
    target.parent.mkdir(parents=True, exist_ok=True)
    linked = subprocess.run(
        ["cp", "--archive", "--link", f"{source}/.", str(target)], capture_output=True, check=False
    )
    if linked.returncode != 0:  # another file system
        shutil.rmtree(str(target), ignore_errors=True)
        subprocess.run(
            ["cp", "--archive", "--reflink=auto", f"{source}/.", str(target)], check=True
        )
        return
    # Its databases do change, in place.
    for database in source.glob("**/*.db"):
        if "snapshots" in database.relative_to(source).parts:
            continue
        copy = f"{target}/{database.relative_to(source)}"
        subprocess.run(["cp", "--archive", "--remove-destination", str(database), copy], check=True)

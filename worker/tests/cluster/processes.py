"""Processes of the testbed's machines, as the computer itself sees them."""

from pathlib import Path


def process_of(program: str, argument: str | None = None) -> int:
    """The process of a program, with an argument where several run it."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if Path(words[0].decode(errors="replace")).name == program and (
            argument is None or argument.encode() in words
        ):
            return int(folder.name)
    raise AssertionError(f"no {program} {argument or ''} runs on this computer")


def kubelet_of(node: str) -> int:
    """The kubelet of a node."""
    return process_of("kubelet", f"--hostname-override={node}")

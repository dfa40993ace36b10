"""A long text takes no more work for a line than a short one, whatever it is of.

A text of 1 MB is read in 2 s at most where each line takes a bounded number of calls. Calls are
counted, not seconds, which a busy machine has fewer of.
"""

import sys

import pytest
from core.tests.sampling import sampled

from podmeter.drivers.pasted.read import examine

from .pasted import PASTED, text

#: Calls for a line of the worst form, and how many more of a text that is four times as long.
MOST_CALLS, MOST_GROWTH = 600, 4.2
LEAST_LINES = 60

NAMES = sorted(f"{one.parent.name}/{one.stem}" for one in PASTED.glob("*/*.txt"))
#: What is around outputs, or looks like one and never ends.
HOSTILE = {
    "another command's lines": "$ ./run.sh\n" + "what it printed, which is long\n" * 60,
    "prompts": "user@host:~$ ls -la /tmp/some/directory\n" * 60,
    "titles": "a title of a thing that is here, again and again:\n" * 60,
    "intervals": "Connecting to host 10.0.0.2, port 5201\n"
    + "[  5]   0.00-1.00   sec  1.62 GBytes  13.9 Gbits/sec    0   3.62 MBytes\n" * 60,
    "a log's lines": "[pod/a/b] 2026-01-05T10:11:12Z [  5] 0.00-1.00 sec 1.62 GBytes 13.9 Gbit\n"
    * 60,
    "quotes": "> > > 2026-01-05T10:11:12Z user@host:~$ cat a/path\n" * 60,
    "entities": "&lt;&gt;&amp;&nbsp;&lt;&gt;\n" * 60,
    "epochs": "1795846783 [  5]   0.00-1.00   sec  1.62 GBytes  13.9 Gbits/sec    0\n" * 60,
    "events": '{"event":"interval","data":{"a":1}}\n' * 60,
}


def calls(pasted):
    """How many functions are called to read a text, those in C as well."""
    count = 0

    def counted(_, event, __):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        examine(pasted)
    finally:
        sys.setprofile(None)
    return count


def checked(pasted):
    once, more = calls(pasted), calls(pasted * 4)
    lines = pasted.count("\n") + 1
    assert once <= MOST_CALLS * max(lines, LEAST_LINES), once / lines
    assert more <= MOST_GROWTH * once + 1000, more / once


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_output_takes_bounded_work_for_a_line(name):
    checked(HOSTILE[name])


def test_every_form_takes_bounded_work_for_a_line():
    for name in sampled(NAMES, 8):
        pasted = text(name)
        checked(pasted * max(1, LEAST_LINES // (pasted.count("\n") + 1)))

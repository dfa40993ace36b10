"""What a command prints for its user."""

import subprocess
import sys

SAYS = """
from podmeter_testbed.progress import say
for number in range(10_000): say(f'{number}')
"""


def test_a_command_is_brought_to_its_end_when_nobody_reads_any_more() -> None:
    piped = '"$0" -c "$1" | head --lines=1'
    ended = subprocess.run(
        ["bash", "-o", "pipefail", "-c", piped, sys.executable, SAYS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")

"""Run a program that cannot outlive the process that started it.

Run as a file, ``python bound.py PARENT_PID SIGNAL ACCOUNT PROGRAM ARGS...``: it becomes the
program, after asking the kernel to send SIGNAL when the parent dies, however that dies. ACCOUNT
is the user to run as, or ``-`` for the present one; it is changed first, because a change of
credentials makes the kernel forget the request.

Standard library only: this file runs without the virtual environment's packages.
"""

import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1


def become(account: str) -> None:
    """Drop to the named account, with its own group alone."""
    entry = pwd.getpwnam(account)
    os.setgroups([entry.pw_gid])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.environ["HOME"] = entry.pw_dir


def bind(parent: int, death_signal: signal.Signals) -> None:
    """Ask for the signal when the parent dies, and take the signals that it blocks."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit("the parent was gone before the program could start")
    # The supervisor blocks the signals that it waits for; a program starts with none blocked.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def main(arguments: list[str]) -> None:
    """Bind to the parent, then become the program."""
    parent, signal_name, account, program, *rest = arguments
    if account != "-":
        become(account)
    bind(int(parent), signal.Signals[signal_name])
    os.execvp(program, [program, *rest])  # noqa: S606 (becoming the program is the purpose)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Exit codes and the errors that end a command. The codes are documented and stable."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit code says."""

    #: Nothing is worse: every main case is better or the same, or nothing was compared.
    FINE = 0
    #: Something is worse, or breaks its budget.
    WORSE = 1
    #: Nothing is worse, and at least one main case is undecided or did not succeed.
    UNDECIDED = 2
    #: It could not be done: the run failed or was refused, the server is unavailable.
    FAILED = 3
    #: Wrong use: unknown option, invalid specification, missing login, no such run.
    USAGE = 4
    #: Ended by Ctrl-C, as shells have it.
    INTERRUPTED = 130


class CommandError(Exception):
    """Why a command cannot go on, for the person at the terminal."""

    def __init__(self, message: str, code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """The command was used wrongly."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)

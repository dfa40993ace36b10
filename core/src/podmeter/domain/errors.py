"""What can go wrong, in Podmeter's own words.

Every error says whether trying the same thing again may help: a `TemporaryError` may pass, a
`PermanentError` needs a change first. Edges turn these into HTTP problems or run outcomes; no
HTTP status appears here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.problems import Problem
    from podmeter.domain.run import Step


class PodmeterError(Exception):
    """Base of all domain errors, made of what there is to say.

    `code` is stable and says what kind of error it is, `said` what went wrong.
    """

    code = "error"

    @property
    def said(self) -> Message:
        """What went wrong; a text that is no message says no more than the text."""
        return Message.of(self.args[0] if self.args else str(self))


class PermanentError(PodmeterError):
    """Trying again without changing something gives the same error."""

    code = "permanent"


class TemporaryError(PodmeterError):
    """Something outside was not there; the same request may succeed later."""

    code = "temporary"


class InvalidSpecError(PermanentError):
    """An experiment does not validate; every fault is named by its JSON pointer."""

    code = "invalid_spec"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        faults = [say("fault_at", pointer=p.pointer or "/", what=p.message) for p in self.problems]
        super().__init__(say("several", several=faults))


class TransitionError(PermanentError):
    """A run was asked for a change of state that its present state does not allow.

    `allowed` are the steps that its owner can take instead.
    """

    code = "transition_refused"

    def __init__(self, message: str, allowed: Iterable[Step] = ()) -> None:
        self.allowed = tuple(allowed)
        super().__init__(message)


class PreconditionError(PermanentError):
    """The cluster as it is cannot carry the experiment; nothing was created for it."""

    code = "precondition"


class ToolError(PermanentError):
    """A measuring tool failed, or what it printed is not a complete, valid answer."""

    code = "tool_failed"


class VoidTrialError(PermanentError):
    """The tool answered, but what was measured is not what the trial claims to measure."""

    code = "void"


class ConvergenceError(PermanentError):
    """A condition was not reached before its deadline."""

    code = "not_converged"


class LabError(TemporaryError):
    """The execution edge failed: the API server, an exec connection or a pod is gone."""

    code = "lab"


class TruncatedOutputError(LabError):
    """What came from a pod is shorter than, or differs from, what its frame announced."""

    code = "truncated_output"


class CommandTimeoutError(LabError):
    """A command in a pod did not end within its time limit and was killed."""

    code = "command_timeout"


class UnsafeClusterError(TemporaryError):
    """The cluster is at a limit at which a run stops, so as not to harm it."""

    code = "cluster_unsafe"


class RunCancelledError(PodmeterError):
    """The run was cancelled; raised out of waits and commands so that cleaning can begin."""

    code = "cancelled"

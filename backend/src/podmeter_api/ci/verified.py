"""Checking a job's token with its issuer, before and outside of the request's unit of work.

An issuer that is slow holds no connection to the database, and few threads, which are its own.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from podmeter.db.session import unit_of_work
from podmeter.domain.messages import say
from podmeter.services.ci import admission
from podmeter.services.ci.admission import Job, TrustLookup
from podmeter.services.ci.errors import CiRefusedError
from podmeter_api.callers import caller_of
from podmeter_api.ci.schemas import JobLogin
from podmeter_api.lanes import lanes_of
from podmeter_api.rate_limit import LoginDelay, login_limit
from podmeter_api.security import browser_of
from podmeter_api.state import StateDep


@dataclass(frozen=True)
class Refused:
    """A job of a trust that is known, and why it is not let in."""

    asked: TrustLookup
    error: CiRefusedError


async def _verified(body: JobLogin, request: Request, state: StateDep) -> Job | Refused:
    """The job, or why it is none. Raises CiRefusedError for an unknown trust, CiIssuerError."""
    limit, address = login_limit(state), browser_of(request).address
    turns: LoginDelay = request.app.state.login_turns
    await turns.wait(address)

    def check() -> Job | Refused:
        with limit.counting(address), unit_of_work(state.reading) as session:
            asked = admission.find(session, body.trust_id)
            if asked is None:
                raise CiRefusedError(say("ci_trust_unknown"))
        token = body.token.get_secret_value()
        try:
            claims = state.ci_issuers.verified(token, asked.issuer, asked.audience)
        except CiRefusedError as error:
            limit.failed(address, None)
            return Refused(asked, error)
        return Job(asked, claims)

    async with lanes_of(request).issuers.place(caller_of(request)):
        return await run_in_threadpool(check)


VerifiedDep = Annotated[Job | Refused, Depends(_verified)]

"""A query parameter that an operation does not have is refused, never passed over."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import Request, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from podmeter.domain.messages import say
from podmeter_api.errors import HttpProblemError
from podmeter_api.problems import MOST_ERRORS, Fault

_LONGEST_NAME = 100
_KNOWN: dict[Callable[..., Any], tuple[str, ...]] = {}


async def known_parameters(request: Request) -> None:
    """Raises HttpProblemError; a filter with a slip in its name would silently list everything."""
    if not request.query_params:
        return
    known = _names(request.scope["route"])
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        taken = (
            say("parameter_unknown_known", known=list(known))
            if known
            else say("parameter_unknown_none")
        )
        raise HttpProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "unknown_parameter",
            say("parameter_unknown"),
            *(Fault.at(taken, parameter=name[:_LONGEST_NAME]) for name in unknown[:MOST_ERRORS]),
            fault_count=len(unknown),
        )


def _names(route: APIRoute) -> tuple[str, ...]:
    """By the function behind the route, since routes have no hash."""
    if route.endpoint not in _KNOWN:
        every = get_flat_params(route.dependant)
        _KNOWN[route.endpoint] = tuple(
            one.alias for one in every if isinstance(one.field_info, params.Query)
        )
    return _KNOWN[route.endpoint]

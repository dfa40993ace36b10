"""Requests that are generated from the API's own document, right ones and wrong ones."""

from typing import Any

import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode

from .everything import DOCUMENT, Asked

SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
Case = schemathesis.Case[Any]


def cases(operation: str, asked: Asked) -> st.SearchStrategy[Case]:
    """Right and wrong requests; of things that are there, of absent ones, with a right body."""
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    known: list[dict[str, Any]] = [{}]
    known += [{"path_parameters": asked.path}] if asked.path else []
    headers = {"headers": asked.headers} if asked.headers else {}
    whole = {"path_parameters": asked.path, **headers, **body_of(asked)}
    known += [whole] if asked.body or headers else []
    one = operation_of(operation)
    return st.one_of([one.as_strategy(mode, **fixed) for fixed in known for mode in modes])


def operation_of(operation: str) -> Any:
    return SCHEMA.find_operation_by_id(operation)


def body_of(asked: Asked) -> dict[str, Any]:
    return {"body": asked.body, "media_type": "application/json"} if asked.body else {}

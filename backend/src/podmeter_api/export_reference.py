"""Write docs/reference: pages that are made from the code, so that they say what it does.

`python -m podmeter_api.export_openapi` calls this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from podmeter.domain.axes import AxisDefinition, AxisScope
from podmeter.domain.experiment import (
    MOST_MINUTES,
    MOST_ROUNDS,
    MOST_SECONDS,
    MOST_TRIALS,
    Profile,
    RepetitionPlan,
)
from podmeter.domain.messages import messages
from podmeter.kinds.json_schema import experiment_schema
from podmeter.kinds.kind import Kind
from podmeter.kinds.registry import KINDS, metrics_of
from podmeter.settings import Settings
from podmeter.templates.library import templates

GENERATED = (
    "<!-- Made from the code by `python -m podmeter_api.export_openapi`. Change the code. -->\n"
)
_EXAMPLES = 3


def pages() -> dict[str, str]:
    """Every page by its file's name."""
    schema = json.dumps(experiment_schema(), indent=2, ensure_ascii=False) + "\n"
    return {
        "experiments.md": _experiments(),
        "settings.md": _settings(),
        "messages.md": _messages(),
        "experiment.schema.json": schema,
    }


def write(folder: Path) -> None:
    """Write them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def _experiments() -> str:
    return "\n".join([GENERATED, _INTRODUCTION, *_repetition(), *map(_kind, KINDS.values())])


_INTRODUCTION = """# Experiments in YAML

An experiment says what is measured (`kind`), with which values (`axes`, `parameters`) and how often
(`repetition`). Everything but `name` and `kind` may be left out; the defaults are below.

```yaml
# yaml-language-server: $schema=https://podmeter.example/api/v1/experiment-schema.json
name: Is VXLAN slowing us down?
kind: throughput
axes:
  encapsulation: [host-gw, vxlan]
  path: [node-node, pod-pod]
repetition:
  until_decided: {difference: 0.1, most_minutes: 30}
```

With the first line, editors that know the YAML language server complete and check the rest. Use
your own Podmeter's address (it asks for a login unless `PODMETER_PUBLIC_API_DOCS` is set), or the
file [experiment.schema.json](experiment.schema.json). The API answers a wrong document with all its
errors at once, each with its place and the values that are allowed.

The *matrix* is every combination of the axes' values. Axes of cluster modes (`kube_proxy_mode`,
`encapsulation`) are left out by default: the cluster is then measured in the mode that it has.
Naming them switches the cluster's mode, which its owner has to allow.
"""


def _repetition() -> list[str]:
    limits = {
        "profile": "`quick` or `reference`",
        "trials": f"1 to {MOST_TRIALS}",
        "seconds": f"1 to {MOST_SECONDS}",
        "rounds": f"1 to {MOST_ROUNDS}",
        "warmup": "0 to 20",
        "void_replacements": "0 to 20",
        "seed": "0 to 2147483647",
        "until_decided": f"`difference` 0.01 to 0.5, `most_minutes` 1 to {MOST_MINUTES}",
    }
    quick, reference = (
        RepetitionPlan(profile=profile).resolve(compares_modes=False)
        for profile in (Profile.QUICK, Profile.REFERENCE)
    )
    rows = [
        (
            f"`{name}`",
            limit,
            "" if name == "seed" else _plain(getattr(quick, name, "")),
            "" if name == "seed" else _plain(getattr(reference, name, "")),
            _REPETITION[name],
        )
        for name, limit in limits.items()
    ]
    heads = ("name", "values", "`quick`", "`reference`", "what it is")
    return ["## `repetition`\n", _table(heads, rows)]


_REPETITION = {
    "profile": "defaults for everything that is not set; `quick` by default",
    "trials": "counted trials of a case in each round",
    "seconds": "of each trial; tools that run by count ignore it",
    "rounds": "how often each block is set up and measured: the unit of evidence. Fewer than six "
    "give no verdict. Not together with `until_decided`",
    "warmup": "trials before the counted ones of a block: kept, never counted",
    "void_replacements": "void trials that are measured again, of each case and round",
    "seed": "of the order of blocks and trials; a new one for each run if not given",
    "until_decided": "go on until every main case is decided: better or worse, or less than "
    "`difference` apart. No round begins that would end after `most_minutes` of measuring, but as "
    "many rounds as can find a difference are always measured, six to eight. The default (10 %, "
    "half an hour or eight rounds) where modes are compared and no `rounds` are named. Refused "
    "where nothing would be compared",
}


def _kind(kind: Kind) -> str:
    axes = [
        (f"`{axis.name}`", _values(axis), _default(axis), axis.description) for axis in kind.axes
    ]
    schema = kind.parameters.model_json_schema()
    parameters = [
        (f"`{name}`", _allowed(part), _plain(part.get("default")), part.get("description", ""))
        for name, part in schema.get("properties", {}).items()
    ]
    metrics = [
        (
            f"`{one.name}`" + (" (main)" if one.main else ""),
            _plain(one.unit),
            one.direction.value,
            one.description,
        )
        for one in metrics_of(kind.name).values()
    ]
    parts = [
        f"## `{kind.name}`\n\n{kind.description}\n",
        "### Axes\n",
        _table(("axis", "values", "default", "what it is"), axes),
        "### Parameters\n",
        _table(("parameter", "values", "default", "what it is"), parameters),
        "### Metrics\n",
        _table(("metric", "unit", "better", "what it is"), metrics),
        "### Examples\n",
        *_examples(kind),
    ]
    return "\n".join(parts)


def _examples(kind: Kind) -> Iterator[str]:
    documents: list[dict[str, Any]] = [{"name": "All defaults", "kind": kind.name}]
    for template in templates().values():
        if template.kind == kind.name:
            spec = template.quick_spec.model_dump(mode="json", exclude_unset=True)
            del spec["description"]
            documents.append({name: part for name, part in spec.items() if part})
    floor = {
        axis: [str(one) if not isinstance(one, int) else one for one in values]
        for axis, values in kind.floor_axes.items()
    }
    documents.append(
        {
            "name": "As little as can be decided",
            "kind": kind.name,
            "axes": floor,
            "repetition": {"rounds": 6, "trials": 2},
        }
    )
    for document in documents[:_EXAMPLES]:
        nested = any(isinstance(part, dict) for part in document.values())
        style = None if nested else False
        text = yaml.safe_dump(document, sort_keys=False, default_flow_style=style, width=90)
        yield f"```yaml\n{text}```\n"


def _values(axis: AxisDefinition) -> str:
    if axis.names_pairs:
        return f"{_words(axis.choices)}, or `node-1~node-2`"
    if axis.choices:
        return _words(axis.choices)
    if axis.scope is AxisScope.CLUSTER:
        return "names of registered clusters"
    return f"{axis.minimum} to {axis.maximum}"


def _default(axis: AxisDefinition) -> str:
    if not axis.default:
        return "left out: unchanged" if axis.scope is AxisScope.CLUSTER_MODE else "left out"
    return _words(axis.default)


def _allowed(part: dict[str, Any]) -> str:
    for alternative in part.get("anyOf", ()):
        if alternative.get("type") != "null":
            return _allowed(alternative)
    if "enum" in part:
        return _words(part["enum"])
    least, most = part.get("minimum"), part.get("maximum")
    if "exclusiveMinimum" in part:
        return f"more than {_plain(part['exclusiveMinimum'])}, at most {_plain(most)}"
    if least is not None or most is not None:
        return f"{_plain(least)} to {_plain(most)}"
    return {"boolean": "`true`, `false`", "string": "text"}.get(part.get("type", ""), "")


def _settings() -> str:
    rows = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        known = str(alias.choices[0]) if alias is not None and hasattr(alias, "choices") else None
        default = field.get_default(call_default_factory=True)
        # Where the code lies is another folder in each installation.
        is_ours = isinstance(default, Path) and default.is_absolute()
        nothing = default is PydanticUndefined or default is None or is_ours
        shown = "" if nothing else _plain(default)
        rows.append((f"`{known or 'PODMETER_' + name.upper()}`", shown, field.description or ""))
    text = (
        "# Settings\n\nEvery setting is a variable of the environment or a line of `.env`. "
        "`NAME_FILE` names a file that has the value, as Docker and Kubernetes hand out secrets.\n"
    )
    return "\n".join([GENERATED, text, _table(("setting", "default", "what it is"), rows)])


def _messages() -> str:
    rows = [(f"`{code}`", text) for code, text in sorted(messages().items()) if _says_more(text)]
    text = (
        "# Messages\n\nErrors, obstacles and logs carry a code, which is stable, beside their "
        "text. A name in double braces is one of the message's `params`.\n"
    )
    return "\n".join([GENERATED, text, _table(("code", "text"), rows)])


def _says_more(text: str) -> bool:
    """Whether a sentence has words of its own beside its parameters."""
    return any(character.isalpha() for character in re.sub(r"\{\{.*?\}\}", "", text))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [" | ".join(heads := tuple(heads)), " | ".join("---" for _ in heads)]
    lines += [" | ".join(map(_cell, row)) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _words(values: Iterable[object]) -> str:
    return ", ".join(f"`{one}`" for one in values)


def _plain(value: object) -> str:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="json"))
    if value is None or value == "":
        return ""
    return str(value.value if hasattr(value, "value") else value)

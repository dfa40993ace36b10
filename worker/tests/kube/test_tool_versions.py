"""A fingerprint has the version of every tool that a kind declares, and of no other."""

from typing import Any

import pytest
from core.tests.captures import captured, version_folder, version_folders

from podmeter.domain.ports import Access, CommandOutput, ExecTarget
from podmeter.drivers import program
from podmeter.kinds.registry import tools
from podmeter_worker.kube.facts import observation
from podmeter_worker.kube.image_faults import ImageError

PLACE = ExecTarget("probe", "10.244.0.2", "n1", Access.POD)
#: A tool that an image may lack.
ABSENT = "iptables"


def test_versions_are_what_the_tools_print_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(client: Any, place: ExecTarget, *argv: str) -> CommandOutput:
        folder = version_folder(argv)
        if folder is None or argv[0] == ABSENT:
            return CommandOutput("", f"{argv[0]}: not found", 127, 0.0)
        return captured(folder, "version")

    monkeypatch.setattr(observation, "_run", run)
    newest = {tool.name: version_folders(tool.name)[-1] for tool in tools()}
    assert newest.pop(ABSENT)
    versions = {name: folder.removeprefix(f"{name}-") for name, folder in newest.items()}
    assert observation._tools(None, PLACE) == versions  # type: ignore[arg-type]


def test_an_image_of_an_older_program_is_refused_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter([f"{program.NAME} {program.INTERFACE}\n", f"{program.NAME} 0\n"])
    monkeypatch.setattr(observation, "_run", lambda *_: CommandOutput(next(answers), "", 0, 0.0))
    observation._require_program(None, PLACE)  # type: ignore[arg-type]
    with pytest.raises(ImageError) as caught:
        observation._require_program(None, PLACE)  # type: ignore[arg-type]
    assert caught.value.what.code == "image_program_old"
    assert caught.value.mend.code == "mend_image_current"

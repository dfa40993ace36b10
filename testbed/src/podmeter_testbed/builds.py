"""Building Kubernetes and its add-ons from their Go modules, once for each version."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from podmeter_testbed import stages
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import GO_MODULES
from podmeter_testbed.progress import Progress, step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage

FLAGS = ("-trimpath", "-buildvcs=false")


@dataclass(frozen=True)
class Change:
    """A piece of a module's text, which stands in that file once, and what it is instead."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Component:
    """A folder of testbed/go: its go.mod names the version and, as tools, what is built.

    `package` is another pattern than these tools: `.` is a main package in that folder.
    """

    name: str
    module: str
    binaries: tuple[str, ...]
    title: str = ""
    """Its name for people, where it is not `name`."""
    cost: Cost = Cost(cpu_seconds=60)  # noqa: RUF009  # frozen
    package: str = "tool"
    version_variable: str = ""
    cgo: bool = False
    stamps: tuple[tuple[str, str], ...] = ()
    """Other variables that its own build sets."""
    extras: tuple[str, ...] = ()
    """Files and folders of the module that are kept beside its binaries."""
    tags: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    """What is changed in the module before it is built."""

    @property
    def folder(self) -> Path:
        """Where its go.mod and go.sum are."""
        return GO_MODULES / self.name

    @cached_property
    def version(self) -> str:
        """The version that go.mod requires, like v1.34.4."""
        text = (self.folder / "go.mod").read_text()
        found = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (v\S+)", text, re.M)
        if found is None:
            raise TestbedError(f"{self.folder}/go.mod does not require {self.module}")
        return found[1]

    @property
    def linker_flags(self) -> str:
        """Small binaries that know their own version."""
        version = ((self.version_variable, self.version),) if self.version_variable else ()
        stamps = (f" -X {name}={value}" for name, value in (*version, *self.stamps))
        return "-s -w" + "".join(stamps)

    @property
    def key(self) -> str:
        """The name of its folder in the cache: whatever is built from changes it."""
        recipe: tuple[object, ...] = (FLAGS, self.linker_flags, self.cgo, self.extras)
        if self.tags or self.changes:
            recipe = (*recipe, self.tags, self.changes)
        digest = hashlib.sha256(repr(recipe).encode())
        for path in sorted(self.folder.iterdir()):
            digest.update(path.read_bytes())
        return f"{self.name}-{self.version}-{digest.hexdigest()[:12]}"


KUBERNETES = Component(
    "kubernetes",
    "k8s.io/kubernetes",
    (
        *("kube-apiserver", "kube-controller-manager", "kube-scheduler"),
        *("kubelet", "kube-proxy", "kubectl"),
    ),
    title="Kubernetes",
    cost=Cost(cpu_seconds=1076, cache=4.1, kept=0.5),
    version_variable="k8s.io/component-base/version.gitVersion",
    extras=("build/pause/linux/pause.c",),
)
FLANNEL = Component(
    "flannel",
    "github.com/flannel-io/flannel",
    ("flannel",),
    cost=Cost(cpu_seconds=206, cache=0.8, kept=0.1),
    version_variable="github.com/flannel-io/flannel/pkg/version.Version",
    cgo=True,  # its udp backend is written in C
)
FLANNEL_CNI = Component(
    "flannel-cni",
    "github.com/containernetworking/plugins",
    ("flannel",),
    title="flannel's CNI plugin",
    cost=Cost(cpu_seconds=10),
)
KUBE_ROUTER = Component(
    "kube-router",
    "github.com/cloudnativelabs/kube-router/v2",
    ("kube-router",),
    cost=Cost(cpu_seconds=264, cache=1.0, kept=0.1),
    version_variable="github.com/cloudnativelabs/kube-router/v2/pkg/version.Version",
)
# A main package of ours, with the plugins that the Corefile names.
COREDNS = Component(
    "coredns",
    "github.com/coredns/coredns",
    ("coredns",),
    title="CoreDNS",
    cost=Cost(cpu_seconds=150, cache=0.9, kept=0.1),
    package=".",
)
METALLB = Component(
    "metallb",
    "go.universe.tf/metallb",
    ("controller", "speaker"),
    title="MetalLB",
    cost=Cost(cpu_seconds=276, cache=1.0, kept=0.1),
    extras=("config/manifests/metallb-native.yaml",),
)
# Not of the cluster: plugins of `docker` and a registry, for tests of docker-compose.yml.
COMPOSE = Component(
    "compose",
    "github.com/docker/compose/v2",
    ("cmd",),
    title="Docker Compose",
    cost=Cost(cpu_seconds=300, cache=1.3, kept=0.1),
    version_variable="github.com/docker/compose/v2/internal.Version",
)
BUILDX = Component(
    "buildx",
    "github.com/docker/buildx",
    ("buildx",),
    cost=Cost(cpu_seconds=300, cache=1.3, kept=0.1),
    version_variable="github.com/docker/buildx/version.Version",
)
REGISTRY = Component(
    "registry",
    "github.com/distribution/distribution/v3",
    ("registry",),
    cost=Cost(cpu_seconds=150, cache=0.8, kept=0.1),
)
# Nor this: what installs helm/podmeter.
HELM = Component(
    "helm",
    "helm.sh/helm/v3",
    ("helm",),
    cost=Cost(cpu_seconds=300, cache=1.3, kept=0.1),
    version_variable="helm.sh/helm/v3/internal/version.version",
    # The Kubernetes whose client it is built with: what it takes a cluster for that it cannot see.
    stamps=tuple(
        (f"helm.sh/helm/v3/pkg/{package}.k8sVersion{part}", number)
        for package in ("chartutil", "lint/rules")
        for part, number in (("Major", "1"), ("Minor", "35"))
    ),
)
#: What every testbed has, and what those have that ask for it.
COMPONENTS = (KUBERNETES, FLANNEL, FLANNEL_CNI, COREDNS)
ADD_ONS = (KUBE_ROUTER, METALLB)


def output(cache: Path, component: Component) -> Path:
    """The folder of a component's binaries and extras."""
    return cache / "go" / component.key


def is_built(cache: Path, component: Component) -> bool:
    """Whether nothing is left to do; a folder appears whole or not at all."""
    return output(cache, component).is_dir()


def stage(cache: Path, component: Component) -> Stage:
    """A component as a part of a build."""
    return Stage(
        component.name,
        f"{component.title or component.name} {component.version}",
        component.cost,
        is_built=partial(is_built, cache, component),
        build=partial(_compile, cache, component),
        fetch=partial(_fetch, cache, component),
    )


def build(cache: Path, component: Component) -> Path:
    """Build a component unless the cache has it; returns its folder there."""
    stages.run(cache, [stage(cache, component)])
    return output(cache, component)


def _environment(cache: Path, component: Component) -> dict[str, str]:
    """Go's caches are the build's own: the user's stay as they are."""
    folder = stages.go_cache(cache)
    return {
        **os.environ,
        "GOCACHE": str(folder / "build"),
        "GOPATH": str(folder),
        "GOMODCACHE": str(folder / "modules"),
        # Modules are written so that they can be removed.
        "GOFLAGS": "-mod=readonly -modcacherw",
        "GOWORK": "off",
        "CGO_ENABLED": str(int(component.cgo)),
    }


def _fetch(cache: Path, component: Component) -> None:
    """Download the modules that a component is built of."""
    environment = _environment(cache, component)
    run(
        "go", "list", "-deps", component.package, env=environment, cwd=component.folder, timeout=900
    )


def _compile(cache: Path, component: Component) -> Path:
    folder = output(cache, component)
    folder.parent.mkdir(parents=True, exist_ok=True)
    environment = _environment(cache, component)
    title = f"{component.title or component.name} {component.version}"
    with (
        tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as temporary,
        _sources(component, environment, folder.parent) as words,
    ):
        if component.tags:
            words = (*words, f"-tags={','.join(component.tags)}")
        listed = ("go", "list", *words, "-deps", component.package)
        with step(f"{title}: downloading what is still missing of its modules"):
            packages = run(*listed, env=environment, cwd=component.folder, timeout=900)
        progress = Progress(title, len(packages.split()), "packages")
        command = ["go", "build", "-v", *words, *FLAGS, "-ldflags", component.linker_flags]
        with subprocess.Popen(
            [*command, "-o", temporary + "/", component.package],
            cwd=component.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            said = []
            for line in process.stderr or ():
                said.append(line)
                progress.advance()
        if process.returncode != 0:
            raise TestbedError(f"{title} failed:\n{''.join(said[-20:])}")
        _keep_extras(component, environment, words, Path(temporary))
        missing = [name for name in component.binaries if not Path(temporary, name).exists()]
        if missing:
            raise TestbedError(f"{title} did not make {', '.join(missing)}")
        Path(temporary).chmod(0o755)
        Path(temporary).rename(folder)
        Path(temporary).mkdir()  # TemporaryDirectory wants something to remove
    progress.done()
    return folder


@contextlib.contextmanager
def _sources(
    component: Component, environment: dict[str, str], beside: Path
) -> Iterator[tuple[str, ...]]:
    """The words by which Go finds a component's sources: with its changes, in a copy."""
    if not component.changes:
        yield ()
        return
    run("go", "mod", "download", component.module, env=environment, cwd=component.folder)
    with tempfile.TemporaryDirectory(dir=beside, prefix=".sources-") as temporary:
        copy = Path(temporary, "module")
        shutil.copytree(_module_folder(component, environment, ()), copy, symlinks=True)
        # Go keeps its own read-only.
        run("chmod", "-R", "u+w", copy)
        for change in component.changes:
            file = copy / change.file
            text = file.read_text()
            if text.count(change.old) != 1:
                raise TestbedError(
                    f"{change.file} of {component.module} {component.version} does not have "
                    f"{change.old!r} once; check the change against the new source"
                )
            file.write_text(text.replace(change.old, change.new))
        instead = Path(temporary, "go.mod")
        replaced = f"\nreplace {component.module} => {copy}\n"
        instead.write_text((component.folder / "go.mod").read_text() + replaced)
        shutil.copyfile(component.folder / "go.sum", instead.with_suffix(".sum"))
        yield (f"-modfile={instead}",)


def _module_folder(
    component: Component, environment: dict[str, str], words: tuple[str, ...]
) -> Path:
    listed = run(
        *("go", "list", *words, "-m", "-f", "{{.Dir}}", component.module),
        env=environment,
        cwd=component.folder,
    )
    return Path(listed.strip())


def _keep_extras(
    component: Component, environment: dict[str, str], words: tuple[str, ...], folder: Path
) -> None:
    if not component.extras:
        return
    sources = _module_folder(component, environment, words)
    for extra in component.extras:
        source, target = sources / extra, folder / Path(extra).name
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)

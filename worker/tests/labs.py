"""Labs for tests on a real cluster."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field

from podmeter.domain.bench_image import BenchImage
from podmeter.version import BENCH_IMAGE
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.shells import Shells
from podmeter_worker.lab.cluster_lab import ClusterLab

IMAGE = BenchImage(os.environ.get("BENCH_IMAGE") or BENCH_IMAGE)
RUN = "tests"


@dataclass
class Written:
    """A lab, what it wrote to the run's log, and how its run is cancelled."""

    lab: ClusterLab
    cancelled: threading.Event
    lines: list[str] = field(default_factory=list)


def lab_of(client: KubeClient) -> Written:
    """A lab on a client."""
    cancelled = threading.Event()
    shells = Shells(client.access)
    lines: list[str] = []
    lab = ClusterLab(
        client,
        shells,
        NodeShells(client, shells, image=IMAGE, run_label=RUN),
        run_label=RUN,
        image=IMAGE,
        cancelled=cancelled,
        write=lambda level, message: lines.append(message),
    )
    return Written(lab, cancelled, lines)

"""The formats by name. A new one is a writer for each document and a line in each registry."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from podmeter.services.comparisons.document import Comparison
from podmeter.services.exports import (
    comparison_files,
    reproduction_files,
    run_files,
    shared_files,
)
from podmeter.services.reproduction.document import Reproduction
from podmeter.services.snapshots.shared import SharedCluster, SharedExperiment
from podmeter.services.summaries.document import RunReport


class Format(StrEnum):
    """What a document can be exported as."""

    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


MEDIA_TYPES = {
    Format.JSON: "application/json",
    Format.CSV: "text/csv; charset=utf-8; header=present",
    Format.MARKDOWN: "text/markdown; charset=utf-8",
}
SUFFIXES = {Format.JSON: "json", Format.CSV: "csv", Format.MARKDOWN: "md"}

RUN_WRITERS: dict[Format, Callable[[RunReport], str]] = {
    Format.JSON: run_files.as_json,
    Format.CSV: run_files.as_csv,
    Format.MARKDOWN: run_files.as_markdown,
}
COMPARISON_WRITERS: dict[Format, Callable[[Comparison], str]] = {
    Format.JSON: comparison_files.as_json,
    Format.CSV: comparison_files.as_csv,
    Format.MARKDOWN: comparison_files.as_markdown,
}
EXPERIMENT_WRITERS: dict[Format, Callable[[SharedExperiment], str]] = {
    Format.JSON: shared_files.experiment_as_json,
    Format.CSV: shared_files.experiment_as_csv,
    Format.MARKDOWN: shared_files.experiment_as_markdown,
}
CLUSTER_WRITERS: dict[Format, Callable[[SharedCluster], str]] = {
    Format.JSON: shared_files.cluster_as_json,
    Format.CSV: shared_files.cluster_as_csv,
    Format.MARKDOWN: shared_files.cluster_as_markdown,
}
REPRODUCTION_WRITERS: dict[Format, Callable[[Sequence[Reproduction]], str]] = {
    Format.JSON: reproduction_files.as_json,
    Format.CSV: reproduction_files.as_csv,
    Format.MARKDOWN: reproduction_files.as_markdown,
}

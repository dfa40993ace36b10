"""The sections of the table, in its order. To add one: a file like its neighbours, a line here."""

from bench.row import Section
from bench.sections import (
    api,
    calibration,
    compose,
    fidelity,
    footprint,
    fuzz,
    kubeconfigs,
    limits,
    overhead,
    parsers,
    policies,
    services,
    storm,
    ui,
)

SECTIONS: tuple[Section, ...] = (
    calibration.SECTION,
    fidelity.SECTION,
    overhead.SECTION,
    services.SECTION,
    policies.SECTION,
    api.SECTION,
    fuzz.SECTION,
    limits.SECTION,
    kubeconfigs.SECTION,
    footprint.SECTION,
    compose.SECTION,
    storm.SECTION,
    parsers.SECTION,
    ui.SECTION,
)

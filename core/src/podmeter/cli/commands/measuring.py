"""Measure a cluster from end to end."""

from __future__ import annotations

import argparse

from podmeter.settings import Settings


def run_demo(settings: Settings, *, only_check: bool) -> None:
    """Measure a cluster from end to end."""
    from podmeter.demo.demo import check, demo

    if only_check:
        check()
    else:
        demo(settings)


def demo_arguments(parser: argparse.ArgumentParser) -> None:
    """Whether to check alone."""
    parser.add_argument(
        "--check",
        dest="only_check",
        action="store_true",
        help="check the experiment and the cluster, and measure nothing",
    )


def run_articles(settings: Settings, *, write: str | None, fresh: bool) -> None:
    """Measure what five articles measured, and set it beside them."""
    from podmeter.articles.articles import articles

    articles(settings, write=write, fresh=fresh)


def articles_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to write, and whether to begin again."""
    parser.add_argument("--write", metavar="FILE", help="where the tables are written in Markdown")
    parser.add_argument("--fresh", action="store_true", help="do again what was done before a kill")

"""Celery's beat alone: `celery --app podmeter_worker.beat_app beat`.

It sends names by a schedule and needs none of the code behind them, which is most of its memory.
"""

from __future__ import annotations

from podmeter.settings import get_settings
from podmeter_worker.broker import make_app

app = make_app(get_settings().require_redis_url(), tasks=())

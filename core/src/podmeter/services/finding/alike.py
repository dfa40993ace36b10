"""Words by which people call what is stored in others; the web UI shows the same."""

from podmeter.db.models import PreflightState
from podmeter.domain.modes import Encapsulation
from podmeter.domain.run import Outcome, RunState
from podmeter.experiments.registry import KINDS

#: By language that is not the API's own, a word and what it stands for. A word may stand for
#: several: what it finds has one of them.
_CHINESE = (
    ("成功", Outcome.SUCCEEDED),
    ("部分完成", Outcome.PARTIAL),
    ("失败", Outcome.FAILED),
    ("已取消", Outcome.CANCELLED),
    ("被中断", Outcome.INTERRUPTED),
    ("排队中", RunState.QUEUED),
    ("预检", RunState.PREFLIGHT),
    ("运行中", RunState.RUNNING),
    ("等待切换", RunState.WAITING),
    ("清理中", RunState.CLEANING),
    ("已结束", RunState.FINISHED),
    ("从未运行", PreflightState.NEVER),
    ("导入", "import"),
    ("可对比", "comparable"),
    ("存在混杂", "confounded"),
    ("拒绝对比", "refused"),
    ("无封装", Encapsulation.NONE),
    ("原生路由", Encapsulation.NATIVE),
)


def stored_words() -> dict[str, tuple[str, ...]]:
    """By a word that people write, the words that are stored for it."""
    kinds = [(word, kind.name) for kind in KINDS.values() for word in kind.search_words]
    pairs = (*_CHINESE, *kinds)
    return {word: tuple(stored for one, stored in pairs if one == word) for word, _ in pairs}

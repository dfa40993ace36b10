"""Words by which people call what is stored in others; the web UI shows the same."""

from podmeter.db.models import PreflightState
from podmeter.domain.modes import Encapsulation
from podmeter.domain.run import Outcome, RunState

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
    ("吞吐量", "throughput"),
    ("传输", "transport"),
    ("请求延迟", "request_latency"),
    ("规模", "service_scale"),
    ("网络策略", "network_policy"),
    ("导入", "import"),
    ("可比较", "comparable"),
    ("存在混杂", "confounded"),
    ("拒绝比较", "refused"),
    ("无封装", Encapsulation.NONE),
    ("原生路由", Encapsulation.NATIVE),
)
ALIKE = {word: tuple(stored for one, stored in _CHINESE if one == word) for word, _ in _CHINESE}

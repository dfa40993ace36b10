"""What the public page says around what was measured, in the language that the browser asks for.

Names of metrics, axes and fields stay as they are in the specification and the files.
"""

from podmeter_api.public.headline_view import CHINESE

#: The English sentence, and its Chinese one.
SENTENCES = {
    "A frozen {subject}, taken {day}.": "冻结的{subject}，生成于 {day}。",
    "A frozen {subject}, taken {day}, shown until {until}.": (
        "冻结的{subject}，生成于 {day}，公开至 {until}。"
    ),
    "Download {name}": "下载 {name}",
    "Measured with Podmeter on the clusters themselves.": "由 Podmeter 在集群上实测。",
    "No such snapshot": "没有此快照",
    "Shown by Podmeter, which measured none of it.": (
        "由 Podmeter 展示，其中没有任何内容由它测量。"
    ),
    "The whole page": "完整页面",
    "no such snapshot; its link may be wrong, revoked or expired": (
        "没有此快照；其链接可能有误、已撤销或已过期"
    ),
    "Shared page cannot be read": "无法读取此共享页面",
    "This page was stored by another version of Podmeter. Ask its owner to share the results "
    "again, which makes a new link.": (
        "此页面由另一个版本的 Podmeter 保存。请其所有者重新共享结果，以获得新链接。"
    ),
    # A run.
    "Failed, void and missing": "失败、作废与缺失",
    "Main metrics": "主要指标",
    "Nothing that its trials can tell.": "其试验说明不了什么。",
    "Other metrics": "其他指标",
    "Overhead of a trial besides its tool: {overhead}, n = {n}.": (
        "每次试验在工具之外的开销：{overhead}，n = {n}。"
    ),
    "Run {name}: {kind}, {ended}": "运行 {name}：{kind}，{ended}",
    "Summaries": "汇总",
    "What the run found": "运行的发现",
    "case": "用例",
    "counted": "计入",
    "every trial": "每次试验",
    "failed": "失败",
    "mean": "均值",
    "median": "中位数",
    "metric": "指标",
    "status": "状态",
    "void": "作废",
    "why": "原因",
    # A comparison.
    "Baseline: ": "基线：",
    "Cases without a counterpart": "没有对应的用例",
    "Comparable: nothing differs but what follows from {axes}.": (
        "可比较：除由 {axes} 引起的差异外，没有其他差异。"
    ),
    "Confounded: besides {axes} other things differ, named below.": (
        "存在混杂：除 {axes} 之外还有其他差异，见下表。"
    ),
    "Contender: {label}": "对比方：{label}",
    "Effects up to {threshold} of the baseline count as noise; "
    "intervals are of {level} or a little more.": (
        "不超过基线 {threshold} 的效应视为噪声；区间的置信度为 {level} 或略高。"
    ),
    "Main metrics: {tally}.": "主要指标：{tally}。",
    "Not compared": "未比较",
    "Refused: the environments differ in what is not compared, named below.": (
        "拒绝比较：环境在未比较的方面存在差异，见下表。"
    ),
    "The environments differ.": "环境不同。",
    "What differs": "差异",
    "baseline": "基线",
    "change": "变化",
    "contender": "对比方",
    "field": "字段",
    "follows from": "源于",
    "no axis": "任何轴",
    "nothing compared": "未比较的内容",
    "p": "p",
    "verdict": "结论",
    # An experiment, and a cluster.
    "An experiment of {kind}: {cases} cases in {blocks} blocks, {trials} trials, "
    "{switches} mode switches.": (
        "{kind} 实验：{blocks} 个块中的 {cases} 个用例，{trials} 次试验，{switches} 次模式切换。"
    ),
    "Cases": "用例",
    "Earlier runs are not listed.": "更早的运行未列出。",
    "Fingerprint": "指纹",
    "How far it differs from itself was not measured.": "未测量其自身差异有多大。",
    "Kubernetes {version}, {nodes} nodes.": "Kubernetes {version}，{nodes} 个节点。",
    "Latest runs": "最近的运行",
    "Modes": "模式",
    "Network": "网络",
    "No preflight has told its modes yet.": "尚无预检给出其模式。",
    "Noise floor": "噪声基底",
    "None has ended yet.": "尚无已结束的运行。",
    "Specification": "规格",
    "axis": "轴",
    "between blocks": "块之间",
    "between runs": "运行之间",
    "between trials": "试验之间",
    "can be switched to": "可切换为",
    "in effect": "生效值",
    "not known": "未知",
    "{kind}, {runs} runs on {days} days": "{kind}，{days} 天内的 {runs} 次运行",
    "{name}: {outcome}": "{name}：{outcome}",
    "{name}: {outcome}, {day}": "{name}：{outcome}，{day}",
    # Articles beside our own figures.
    "Claims, of our figures": "论断，以我们的数据判断",
    "Not reproduced": "未重做",
    "Runs: {runs}": "运行：{runs}",
    "claim": "论断",
    "of its own figures": "以其自身数据",
    "of our figures": "以我们的数据",
    "ours": "我们",
    "published": "原文",
    "row": "行",
    "{left} of its {figures} figures have none of ours beside them.": (
        "其 {figures} 个数据中有 {left} 个没有我们的数据可对照。"
    ),
    "{measured} of {asked} results measured": "{asked} 个结果中测得 {measured} 个",
    "{measured} stands in the place of the article's {published}: a claim about the one is told "
    "here of the other.": ("以 {measured} 代替文章的 {published}：关于后者的论断在此以前者判断。"),
    "{value} times": "{value} 倍",
    # How it was measured.
    " Left in on purpose: {kept}.": "有意保留：{kept}。",
    "Commands": "命令",
    "Environment {number}": "环境 {number}",
    "Further commands are not listed.": "其余命令未列出。",
    "How it was measured": "测量方法",
    "Names replaced by pseudonyms: {names}.": "已替换为化名的名称：{names}。",
    "Parameters and axes": "参数与轴",
    "Run {name}": "运行 {name}",
    "Tools: {tools}.": "工具：{tools}。",
    "none": "无",
    "none recorded": "未记录",
    "{trials} counted trials of each case in each of {rounds} rounds, {warmup} warm-up, "
    "in seeded random order (seed {seed}).": (
        "每个用例在 {rounds} 轮中每轮计入 {trials} 次试验，预热 {warmup} 次，"
        "顺序为带种子的随机顺序（种子 {seed}）。"
    ),
}
#: Words of the documents themselves; one that is not here stays as it is.
WORDS = {
    "run": "运行",
    "comparison": "对比",
    "experiment": "实验",
    "cluster": "集群",
    "reproduction": "复现",
    "succeeded": "成功",
    "partial": "部分完成",
    "failed": "失败",
    "cancelled": "已取消",
    "interrupted": "被中断",
    "skipped": "已跳过",
    "pending": "等待",
    "better": "更好",
    "worse": "更差",
    "same": "相同",
    "inconclusive": "无法判定",
    # What came of a claim, and why nothing.
    "holds": "成立",
    "holds in part": "部分成立",
    "fails": "不成立",
    "cannot be computed": "无法复算",
    "does not hold": "不成立",
    "cannot be told": "无法判断",
    "the article shows no figures of it": "来源没有相应数据",
    "it is about how the article's own figures follow from each other": (
        "它说的是来源自身数据之间的推算"
    ),
    "its figures are no metric of Podmeter's": "其数据不是 Podmeter 的指标",
    "nothing was measured at these points": "没有在这些条件下测量",
    "its two sides were measured in two runs": "两侧是在两次运行中测得的",
    "its two sides cannot be compared": "两侧无法比较",
    "there are too few trials": "试验次数太少",
    "the comparison does not decide it": "比较没有定论",
    "the interval reaches across the claim's limit": "区间跨过了论断的界限",
    # What is replaced by pseudonyms, or left in on purpose.
    "node": "节点名",
    "namespace": "命名空间",
    "account": "账号",
    "host": "主机名",
    "address": "IP 地址",
    "token": "令牌",
    "pem": "证书或密钥",
    "notes": "作者备注",
}
#: Why a verdict is what it is.
REASONS = {
    "clear_effect": "效应明确",
    "small_effect": "有差异，但小于有意义的差异",
    "within_threshold": "整个区间都在噪声阈值以内",
    "no_trials": "有一方没有计数试验",
    "no_common_round": "没有任何一轮同时有双方的试验",
    "too_few_trials": "试验太少，无法得出结论",
    "one_block": "每一方只设置过一次",
    "too_few_rounds": "轮次太少，无法得出区块之间的结论",
    "noise_floor_unknown": "不同运行之间的噪声尚不知道",
    "noise_floor_thin": "噪声基底所依据的运行太少，或时间跨度太短",
    "within_noise_floor": "集群自身在不同运行之间的差异也有这么大",
    "many_comparisons": "在这么多比较之中不够明确",
    "no_repetitions": "已发表的数据没有重复测量，无法检验",
    "at_offered_rate": "已达提供速率：没有发送更多",
    "rounds_disagree": "有一轮的结果相反",
    "near_threshold": "效应接近噪声阈值",
    "interval_too_wide": "区间既不能确定在阈值之内，也不能确定超出阈值",
}


def said(language: str, sentence: str, **values: object) -> str:
    """One of `SENTENCES` in a language, with its values in it."""
    return (SENTENCES[sentence] if language == CHINESE else sentence).format(**values)


def word(language: str, english: str) -> str:
    """A word of the documents in a language."""
    return WORDS.get(english, english) if language == CHINESE else english


def listed(language: str, words: list[str]) -> str:
    """Such words, one after the other."""
    return ("、" if language == CHINESE else ", ").join(word(language, one) for one in words)

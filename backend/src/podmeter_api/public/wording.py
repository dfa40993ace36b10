"""What the public page says without scripts, in the language that the browser asks for."""

from podmeter_api.language import CHINESE

#: The English sentence, and its Chinese one.
SENTENCES = {
    "A frozen {subject}, taken {day}.": "冻结的{subject}，生成于 {day}。",
    "A frozen {subject}, taken {day}, shown until {until}.": (
        "冻结的{subject}，生成于 {day}，公开至 {until}。"
    ),
    "Charts, tables and the method need JavaScript; the files do not.": (
        "图表、表格和测量方法需要 JavaScript；下载文件则不需要。"
    ),
    "Download {name}": "下载 {name}",
    "Measured with Podmeter on the clusters themselves.": "由 Podmeter 在集群上实测。",
    "No such snapshot": "没有此快照",
    "Displayed by Podmeter, which did not measure it.": (
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
}
#: What a link can be of.
SUBJECTS = {
    "run": "运行",
    "comparison": "对比",
    "experiment": "实验",
    "cluster": "集群",
    "reproduction": "复现",
}


def said(language: str, sentence: str, **values: object) -> str:
    """One of `SENTENCES` in a language, with its values in it."""
    return (SENTENCES[sentence] if language == CHINESE else sentence).format(**values)


def subject(language: str, name: str) -> str:
    """What a link is of, in a language."""
    return SUBJECTS[name] if language == CHINESE else name

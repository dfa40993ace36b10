"""Texts in both languages, and the sentences of headlines, made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import TYPE_CHECKING

from podmeter.services.headlines import forms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from podmeter.results.spoken import Language


@dataclass(frozen=True, slots=True)
class Text:
    """The same in English and in Chinese; `plain` is what documents keep of it."""

    plain: JsonValue

    @property
    def en(self) -> str:
        """In English."""
        return forms.say(self.plain, "en")

    @property
    def zh(self) -> str:
        """In Chinese."""
        return forms.say(self.plain, "zh")


def text(form: str, **parts: JsonValue) -> Text:
    """A text of a form of `headlines.forms`."""
    return Text({"form": form, **parts})


def joined(texts: Iterable[Text], sign: str = "comma") -> Text:
    """Several texts one after the other."""
    return text("list", of=[one.plain for one in texts], sign=sign)


#: By code: in English, in Chinese. `clear` codes say that something differs, or that it does not.
SENTENCES: dict[str, tuple[str, str]] = {
    # A contender against the baseline.
    "costs": (
        "{contender} costs {amount} of {what} against {baseline}",
        "{contender}相比{baseline}使{what}降低{amount}",
    ),
    "gives": (
        "{contender} gives {amount} more {what} than {baseline}",
        "{contender}相比{baseline}使{what}提高{amount}",
    ),
    "raises": (
        "{contender} raises {what} by {amount} against {baseline} (lower is better)",
        "{contender}相比{baseline}使{what}增加{amount}（越低越好）",
    ),
    "lowers": (
        "{contender} lowers {what} by {amount} against {baseline} (lower is better)",
        "{contender}相比{baseline}使{what}减少{amount}（越低越好）",
    ),
    "same": (
        "with {contender} {what} is the same as with {baseline}, within {noise}",
        "{contender}与{baseline}的{what}相同，差异在{noise}以内",
    ),
    "others": ("in the other cases ({count}): {counts}", "其余用例（{count} 个）：{counts}"),
    "budget": (
        "{contender} is at most {limit} worse than {baseline} in {what}, by case: {answers}",
        "{contender}的{what}比{baseline}最多差{limit}：{answers}",
    ),
    "like_control": (
        (
            "{contender} against {baseline}: cases that differ no more than their control, which "
            "has no part in what is compared, are not counted ({count})"
        ),
        (
            "{contender}对比{baseline}：{count}个用例的差异不超过其对照（对照与所比较的内容无关），"
            "不予计入"
        ),
    ),
    "small_more": (
        (
            "with {contender} {what} is {amount} higher than with {baseline}: certain, and less "
            "than the {noise} that counts as a difference"
        ),
        "{contender}的{what}比{baseline}高{amount}：差异确实存在，但小于{noise}",
    ),
    "small_less": (
        (
            "with {contender} {what} is {amount} lower than with {baseline}: certain, and less "
            "than the {noise} that counts as a difference"
        ),
        "{contender}的{what}比{baseline}低{amount}：差异确实存在，但小于{noise}",
    ),
    "between": (
        (
            "{what} is undecided: with {contender} it is between {low} and {high} than with "
            "{baseline}"
        ),
        "{what}尚无结论：{contender}比{baseline}在{low}到{high}之间",
    ),
    "unclear": (
        "{contender} against {baseline}: nothing is clear about {what}",
        "{contender}对比{baseline}：{what}没有明确结论",
    ),
    "few_rounds": (
        (
            "{contender} against {baseline}: {what} is undecided, with {rounds} of the {needed} "
            "rounds that a verdict takes"
        ),
        "{contender}对比{baseline}：得出结论至少需要{needed}轮，只有{rounds}轮，{what}尚无结论",
    ),
    "between_runs": (
        (
            "{contender} against {baseline}: nothing is clear about {what}, as two runs differ by "
            "more than what is compared"
        ),
        "{contender}对比{baseline}：{what}没有明确结论，因为两次运行之间不同的不只是所比较的内容",
    ),
    "published": (
        (
            "{contender} against {baseline}: what was published has no repetitions, so {what} "
            "cannot be tested against it"
        ),
        "{contender}对比{baseline}：已发表的数据没有重复测量，无法据此检验{what}",
    ),
    "refused": (
        "{contender} cannot be compared with {baseline}: {fields} differ",
        "{contender}无法与{baseline}比较：{fields}不同",
    ),
    "confounded": (
        (
            "between {contender} and {baseline} {fields} differ as well, so a difference may come "
            "from there"
        ),
        "{contender}与{baseline}的{fields}也不同，差异可能由此而来",
    ),
    # Curves.
    "overtakes": (
        "{leader} takes the lead over {other} in {what} between {first} and {last} {axis}",
        "{axis}在{first}与{last}之间时，{leader}的{what}开始优于{other}",
    ),
    "degrades": (
        "{what} gets worse faster with {loser} than with {keeper} from {first} to {last} {axis}",
        "{axis}从{first}增至{last}，{loser}的{what}比{keeper}恶化更快",
    ),
    "falls": (
        "{what} falls by {amount} from {first} to {last} {axis}{control}",
        "{axis}从{first}增至{last}，{what}下降{amount}{control}",
    ),
    "rises": (
        "{what} rises by {amount} from {first} to {last} {axis}{control}",
        "{axis}从{first}增至{last}，{what}上升{amount}{control}",
    ),
    "flat": (
        "{what} stays flat from {first} to {last} {axis}{control}",
        "{axis}从{first}增至{last}，{what}保持平稳{control}",
    ),
    # Between pairs of nodes.
    "slowest_link": (
        (
            "{link} is the slowest of {count} links in {what}: {figure}, the next one ({other}) "
            "{other_figure}"
        ),
        "在{count}条链路中，{link}的{what}最差：{figure}，其次是{other}：{other_figure}",
    ),
    "slowest_links": (
        (
            "{links} are slower than all others in {what}: at best {figure} ({link}), the others "
            "at worst {other_figure} ({other})"
        ),
        "{links}的{what}比其他链路都差：最好为{figure}（{link}），其他链路最差为{other_figure}（{other}）",
    ),
    "no_link_apart": (
        "no link stands out of {count} in {what}",
        "在{count}条链路中，没有一条的{what}明显最差",
    ),
    # Against another case of the same run.
    "loses": (
        "{path} loses {amount} of {metric} against {against} of the same run",
        "{path}相比同一次运行的{against}损失{amount}的{metric}",
    ),
    "adds": (
        "{path} adds {amount} to {metric} of {against} in the same run",
        "{path}相比同一次运行的{against}使{metric}增加{amount}",
    ),
    "gains": (
        "{path} gains {amount} of {metric} on {against} of the same run",
        "{path}相比同一次运行的{against}的{metric}高{amount}",
    ),
    "spares": (
        "{path} takes {amount} off {metric} of {against} in the same run",
        "{path}相比同一次运行的{against}使{metric}减少{amount}",
    ),
    "loses_nothing": (
        "{path} is the same as {against} of the same run in {metric}, within {noise}",
        "{path}与同一次运行的{against}的{metric}相同，差异在{noise}以内",
    ),
    "loss_undecided": (
        "within the run, the loss of {metric} against {against} is undecided ({paths})",
        "相比同一次运行的{against}，{metric}的损失尚无定论（{paths}）",
    ),
    # In documents of before it was said of what is undecided alone.
    "loss_unseen": (
        "no clear loss of {metric} against {against} within the run ({paths})",
        "相比同一次运行的{against}，看不出{metric}有明确损失（{paths}）",
    ),
    "losses_more": (
        "in the other such comparisons ({count}): {counts}",
        "其余此类比较（{count} 个）：{counts}",
    ),
    # What to do by it.
    "prefer": (
        (
            "Prefer {better} to {other}: it is clearly better in {count} of {total} cases "
            "({cases}) and clearly worse in none"
        ),
        ("建议选{better}而非{other}：{total}个用例中{count}个明确更好（{cases}），没有明确更差的"),
    ),
    "largest": (
        "the largest clear difference is in {what}: {amount}, where {better} is better",
        "明确的差异中最大的是{what}：{amount}，{better}更好",
    ),
    "depends": (
        (
            "Neither {contender} nor {baseline} is better everywhere. Clearly better with "
            "{contender}: {better}. Clearly better with {baseline}: {worse}"
        ),
        (
            "{contender}与{baseline}各有优劣。{contender}明确更好的是：{better}。"
            "{baseline}明确更好的是：{worse}"
        ),
    ),
    "crossover": (
        (
            "Choose by {axis}: in {what} {other} is better at {first} and {leader} at {last}; "
            "they cross in between"
        ),
        "按{axis}选择：就{what}而言，{first}时{other}更好，{last}时{leader}更好，两者在其间交叉",
    ),
    "no_crossover": (
        (
            "they do not cross in the range measured, {first} to {last} {axis}: {leader} is better "
            "in {what} at all {count} rungs"
        ),
        ("在测量范围内（{axis}从{first}到{last}）没有交叉：全部{count}级上{leader}的{what}都更好"),
    ),
    "either": (
        (
            "Choose {contender} or {baseline} for other reasons: they are the same within {noise} "
            "(cases: {count})"
        ),
        "可按其他因素在{contender}与{baseline}之间选择：{count}个用例的差异都在{noise}以内",
    ),
    "either_of": ("this holds for {cases}", "适用于{cases}"),
    "side_worse": (
        "Besides, {name} is clearly worse in other figures: {cases}",
        "此外，{name}的其他指标明确更差：{cases}",
    ),
    "failing": (
        (
            "Find out why trials fail before you choose {name}: {what} is {share} with it and "
            "{other_share} with {other}. Its figures are those of the trials that passed"
        ),
        (
            "选择{name}之前先查明试验为何失败：{what}为{share}，{other}为{other_share}。"
            "其数据只来自成功的试验"
        ),
    ),
    "open": (
        "{count} of {total} cases are not clear: nothing is recommended for them",
        "{total}个用例中有{count}个没有明确结论，对其不作建议",
    ),
    "expect": (
        "Expect {path} to lose {amount} of {metric} against {against}, and plan for it",
        "应预计{path}相比{against}损失{amount}的{metric}，并据此规划",
    ),
    "expect_added": (
        "Expect {path} to add {amount} to {metric} of {against}, and plan for it",
        "应预计{path}使{against}的{metric}增加{amount}，并据此规划",
    ),
    "free": (
        "{path} need not be avoided for {metric}: the same as {against} within {noise}",
        "就{metric}而言不必避开{path}：与{against}的差异在{noise}以内",
    ),
    "grounds": ("this rests on cases: {count} ({cases})", "依据{count}个用例（{cases}）"),
    # Articles beside our own figures.
    "reproduced": (
        (
            "articles set beside our own figures: {articles}; of their {figures} figures "
            "{measured} have one of ours beside them"
        ),
        "{articles}篇文章与我们的数据对照；其{figures}个数据中有{measured}个有我们的数据",
    ),
    "claims": (
        (
            "of their {claims} claims {holds} hold by our figures, {does_not_hold} do not, and "
            "{cannot_be_told} cannot be decided"
        ),
        (
            "其{claims}条论断以我们的数据判断：{holds}条成立，{does_not_hold}条不成立，"
            "{cannot_be_told}条无法判断"
        ),
    ),
    # Where there is nothing to say, and what has to be known.
    "nothing": ("nothing was found that can be told", "没有可以说明的发现"),
    "measured": (
        "{cases} cases were measured; nothing in it is compared",
        "测量了{cases}个用例；没有比较",
    ),
    "shared_host": (
        (
            "Nodes of this cluster are one machine: between them this crosses no real network, and "
            "they share its CPUs"
        ),
        "该集群的节点是同一台机器：它们之间的流量不经过真实网络，并且共用 CPU",
    ),
    "services_by_cni": (
        (
            "What pods asked of a ClusterIP was answered by Cilium's own programs, before any rule "
            "of kube-proxy's: its mode decides nothing of these cases"
        ),
        (
            "Pod 对 ClusterIP 的访问由 Cilium 自身的 eBPF 程序转发，不经过 kube-proxy 的规则："
            "这些用例与 kube-proxy 模式无关"
        ),
    ),
    "mtu_less": (
        (
            "with {contender} the path MTU is {contender_mtu}, with {baseline} {baseline_mtu}"
            "{where}: full TCP packets carry {amount} less with {contender} at the same packet "
            "rate, by their size alone"
        ),
        (
            "{contender}的路径 MTU 为{contender_mtu}，{baseline}为{baseline_mtu}{where}："
            "包速率相同时，仅因包的大小，{contender}的满长 TCP 包所载数据就少{amount}"
        ),
    ),
    "mtu_more": (
        (
            "with {contender} the path MTU is {contender_mtu}, with {baseline} {baseline_mtu}"
            "{where}: full TCP packets carry {amount} more with {contender} at the same packet "
            "rate, by their size alone"
        ),
        (
            "{contender}的路径 MTU 为{contender_mtu}，{baseline}为{baseline_mtu}{where}："
            "包速率相同时，仅因包的大小，{contender}的满长 TCP 包所载数据就多{amount}"
        ),
    ),
    "mtu_too_large": (
        (
            "the MTU of pods is {mtu}{where}, and no more than {most} bytes leave their node "
            "whole: full packets are fragmented or dropped"
        ),
        "Pod 的 MTU 为{mtu}{where}，而能完整离开节点的不超过{most}字节：满长的包会被分片或丢弃",
    ),
    "older_method": (
        (
            "its verdicts are those of method {version}, which took every trial for evidence; they "
            "are not repeated here"
        ),
        "其结论来自方法{version}，该方法把每次试验都当作独立证据，此处不再重复",
    ),
}
#: The codes that say that something differs.
DIFFERENT = frozenset(
    {"costs", "gives", "raises", "lowers", "overtakes", "degrades", "falls", "rises"}
    | {"loses", "adds", "gains", "spares", "slowest_link", "slowest_links"}
)
#: The codes that say that nothing does.
ALIKE = frozenset({"same", "small_more", "small_less", "flat", "loses_nothing"})


#: The parameter of a sentence that an older version wrote out in both languages.
AS_WRITTEN = "as_written"


def parameters_of(
    code: str, given: Mapping[str, Text | str | float | None]
) -> dict[str, JsonValue]:
    """What is kept of a sentence. Raises KeyError for a code or parameter that is not."""
    missing = _names(SENTENCES[code][0]) - given.keys()
    if missing:
        raise KeyError(*missing)
    return {name: one.plain if isinstance(one, Text) else one for name, one in given.items()}


def parameter_names() -> set[str]:
    """What sentences have as parameters."""
    return {name for en, _ in SENTENCES.values() for name in _names(en)}


@cache
def _names(sentence: str) -> frozenset[str]:
    return frozenset(name for _, name, *_ in Formatter().parse(sentence) if name)


def say(code: str, parameters: Mapping[str, JsonValue], language: Language) -> str:
    """The sentence of a code."""
    written = parameters.get(AS_WRITTEN)
    if isinstance(written, dict):
        return str(written[language])
    texts = {name: forms.say(part, language) for name, part in parameters.items()}
    en, zh = SENTENCES[code]
    return _spaced(zh.format_map(texts)) if language == "zh" else _begun(en.format_map(texts))


def _begun(text: str) -> str:
    """A sentence begins with a capital, unless a name or a unit stands there as it is written."""
    first = text.partition(" ")[0]
    plain = first.isalpha() and first.islower()
    return text[0].upper() + text[1:] if plain and first not in _NAMES else text


def _spaced(text: str) -> str:
    """Chinese with a space where it meets words and figures of the Latin script."""
    return _BEFORE.sub(" ", _AFTER.sub(" ", text))


_AFTER = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9+−])")
_BEFORE = re.compile(r"(?<=[A-Za-z0-9%\]])(?=[\u4e00-\u9fff])")
#: Written small wherever they stand.
_NAMES = frozenset({"iptables", "nftables", "podmeter"})

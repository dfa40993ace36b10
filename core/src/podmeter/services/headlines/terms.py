"""The field's terms as headlines use them, in both languages; what is not known stays as it is."""

from collections.abc import Collection, Iterable
from functools import lru_cache

from podmeter.domain.axes import AxisValue
from podmeter.services.comparisons.document import Point
from podmeter.services.headlines.text import Text, joined
from podmeter.services.measured import words

_AXES = {
    "cluster": ("cluster", "集群"),
    "encapsulation": ("encapsulation", "封装方式"),
    "kube_proxy_mode": ("kube-proxy's mode", "kube-proxy 模式"),
    "arm": ("the arm", "臂"),
    "node_pair": ("nodes", "节点对"),
    "path": ("path", "路径"),
    "protocol": ("protocol", "协议"),
    "streams": ("streams", "并发流"),
    "qperf_test": ("qperf's test", "qperf 测试项"),
    "service_type": ("Service type", "Service 类型"),
    "services": ("Services", "Service 数量"),
    "client": ("client", "客户端"),
    "target": ("target", "目标 Service"),
    "probe": ("probe", "测量项"),
    "policies": ("policies", "策略数"),
    "response_size": ("size of the answer", "应答大小"),
    "keep_alive": ("keep-alive", "keep-alive"),
    "tool": ("tool", "工具"),
    "data_flow": ("direction", "方向"),
    "bidirectional": ("both directions at once", "双向同时"),
    "netperf_test": ("netperf's test", "netperf 测试项"),
    "message_bytes": ("bytes a message", "消息字节数"),
    "request_bytes": ("bytes a request", "请求字节数"),
    "response_bytes": ("bytes a response", "应答字节数"),
    "concurrency": ("requests at a time", "并发请求数"),
    "variant": ("variant", "变体"),
}
_VALUES = {
    "a": ("arm a", "a 臂"),
    "b": ("arm b", "b 臂"),
    "one": ("one pair of nodes", "一对节点"),
    "all": ("every pair of nodes", "所有节点对"),
    "zones": ("pairs of nodes by zone", "按可用区的节点对"),
    "node-node": ("node→node", "节点→节点"),
    "pod-pod": ("pod→pod", "Pod→Pod"),
    "pod-pod-same-node": ("pod→pod on one node", "同节点 Pod→Pod"),
    "node-pod": ("node→pod", "节点→Pod"),
    "pod-node": ("pod→node", "Pod→节点"),
    "pod-service-pod": ("pod→Service→pod", "Pod→Service→Pod"),
    "node-service": ("node→Service", "节点→Service"),
    "pod-service-name": ("pod→Service name", "Pod→Service 域名"),
    "node-nodeport": ("node→NodePort of another node", "节点→另一节点的 NodePort"),
    "outside-nodeport": ("outside→NodePort", "集群外→NodePort"),
    "outside-loadbalancer": ("outside→LoadBalancer", "集群外→LoadBalancer"),
    "pod-ingress": ("pod→Ingress", "Pod→Ingress"),
    "outside-ingress": ("outside→Ingress", "集群外→Ingress"),
    "tcp": ("TCP", "TCP"),
    "udp": ("UDP", "UDP"),
    "tcp_bw": ("TCP bandwidth", "TCP 带宽"),
    "tcp_lat": ("TCP latency", "TCP 延迟"),
    "udp_bw": ("UDP bandwidth", "UDP 带宽"),
    "udp_lat": ("UDP latency", "UDP 延迟"),
    "conf": ("replicas", "副本"),
    "iptables": ("iptables", "iptables"),
    "ipvs": ("IPVS", "IPVS"),
    "nftables": ("nftables", "nftables"),
    "none": ("no encapsulation", "无封装"),
    "vxlan": ("VXLAN", "VXLAN"),
    "vxlan-cross-subnet": ("VXLAN across subnets", "VXLAN（仅跨子网）"),
    "ipip": ("IP-in-IP", "IP-in-IP"),
    "ipip-cross-subnet": ("IP-in-IP across subnets", "IP-in-IP（仅跨子网）"),
    "host-gw": ("host-gw", "host-gw"),
    "wireguard": ("WireGuard (encrypted)", "WireGuard（加密）"),
    "geneve": ("Geneve", "Geneve"),
    "native": ("native routing", "原生路由"),
    "ClusterIP": ("ClusterIP", "ClusterIP"),
    "NodePort": ("NodePort", "NodePort"),
    "other-node": ("client on another node", "另一节点上的客户端"),
    "outside": ("client outside the cluster", "集群外的客户端"),
    "first": ("first Service", "第一个 Service"),
    "last": ("last Service", "最后一个 Service"),
    "pod": ("the pod itself", "Pod 本身"),
    "climb": ("climb", "爬升"),
    "qps": ("no keep-alive", "无 keep-alive"),
    "qps-keepalive": ("keep-alive", "keep-alive"),
    "latency": ("latency", "延迟"),
    "rule-change": ("rule change", "规则增删"),
    "service-ready": ("new Service", "新 Service"),
    "mode-switch": ("switch of the mode", "模式切换"),
    "0.5k": ("answers of 0.5 KiB", "0.5 KiB 的应答"),
    "1k": ("answers of 1 KiB", "1 KiB 的应答"),
    "10k": ("answers of 10 KiB", "10 KiB 的应答"),
    "100k": ("answers of 100 KiB", "100 KiB 的应答"),
    "1M": ("answers of 1 MiB", "1 MiB 的应答"),
    "off": ("no keep-alive", "无 keep-alive"),
    "on": ("keep-alive", "keep-alive"),
    "client-to-server": ("client→server", "客户端→服务端"),
    "server-to-client": ("server→client", "服务端→客户端"),
    "both": ("both directions at once", "双向同时"),
    **{
        name: (name, name)
        for name in (
            *("iperf3", "qperf", "ab", "curl", "hey", "wrk", "k8s-netperf", "knb", "time"),
            *("iperf", "netperf", "wrk2", "fortio", "vegeta", "sockperf", "cilium"),
            *(f"k8s-netperf ({one})" for one in ("netperf", "iperf3", "uperf")),
            *("TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"),
            *("TCP_STREAM_MULTI", "UDP_STREAM_MULTI"),
        )
    },
}
_METRICS = {
    "throughput": ("throughput", "吞吐量"),
    "bandwidth": ("bandwidth", "带宽"),
    "message_latency": ("message latency", "消息延迟"),
    "replica_excess": (
        "the busiest replica's share beyond an even split",
        "最忙副本超出均分的份额",
    ),
    "requests_per_second": ("requests per second", "每秒请求数"),
    "curl_total_mean": ("request latency", "请求延迟"),
    "request_mean": ("mean request time", "平均请求时间"),
    "request_median": ("median request time", "请求时间中位数"),
    "policy_convergence": ("the time until policies are enforced", "策略生效的耗时"),
    "rule_add": ("the time to add one rule", "添加一条规则的耗时"),
    "service_ready": ("the time until a new Service is ready", "新 Service 就绪的耗时"),
    "convergence": ("convergence time", "收敛时间"),
    "service_convergence": ("convergence time of one Service", "单个 Service 的收敛时间"),
    "service_gone": ("the time until a removed Service is gone", "Service 删除生效的耗时"),
    "service_removal_convergence": (
        "convergence time of one Service's removal",
        "单个 Service 删除的收敛时间",
    ),
    "removal_resolution": ("resolution of a removal", "删除时间的分辨率"),
    "switch_convergence": ("time until Services work after a switch", "切换后 Service 恢复的耗时"),
    "switch_seconds": ("time of a switch of kube-proxy's mode", "切换 kube-proxy 模式的耗时"),
    "retransmits": ("TCP retransmits", "TCP 重传数"),
    "node_cpu": ("node CPU", "节点 CPU"),
    "node_memory": ("node memory", "节点内存"),
    "udp_loss": ("lost UDP datagrams", "UDP 丢包率"),
    "switch_outage": ("outage of Services in a switch", "切换期间 Service 的不可用时间"),
    "roll_outage": ("outage of Services in a restart", "重启期间 Service 的不可用时间"),
    "failed_trials": ("the share of failed trials", "失败试验的比例"),
    "roll_seconds": (
        "time of a restart of kube-proxy in the same mode",
        "同一模式下重启 kube-proxy 的耗时",
    ),
    "rules_convergence": ("convergence time of the rules", "规则的收敛时间"),
    "transactions_per_second": ("transactions per second", "每秒事务数"),
    "curl_process_mean": ("the time of a curl process", "curl 进程的耗时"),
    "rule_delete": ("the time to delete one rule", "删除一条规则的耗时"),
}
#: Part of what is measured rather than of where.
_PATH = "path"


def axis(name: str) -> Text:
    """An axis."""
    return Text(*_AXES.get(name, (_plain(name),) * 2), plain=name)


@lru_cache(maxsize=1000)
def value(on: str, at: AxisValue) -> Text:
    """A value on an axis: VXLAN, 500 Services."""
    if isinstance(at, int):
        name = axis(on)
        en = name.en.removesuffix("s") if at == 1 else name.en
        return Text(f"{at:,} {en}", f"{name.zh} {at:,}", plain=at)
    return Text(*_VALUES.get(at, (words.value(on, at),) * 2), plain=at)


def metric(name: str, subject: str = "") -> Text:
    """A metric, with what it was measured of."""
    en, zh = _METRICS.get(name, (_plain(name),) * 2)
    return Text(f"{en} ({subject})", f"{zh}（{subject}）", name) if subject else Text(en, zh, name)


def what(name: str, subject: str, where: Point, telling: Collection[str]) -> Text:
    """A metric and where it was measured, on the axes that tell cases apart; the path always."""
    found = metric(name, subject)
    path = where.get(_PATH)
    rest = point({one: at for one, at in where.items() if one in telling and one != _PATH})
    if path is not None:
        on = value(_PATH, path)
        found = Text(f"{on.en} {found.en}", f"{on.zh} {found.zh}", name)
    if rest.en:
        found = Text(f"{found.en} ({rest.en})", f"{found.zh}（{rest.zh}）", name)
    return found


def point(where: Point) -> Text:
    """A point: VXLAN, 500 Services."""
    return joined(value(on, where[on]) for on in words.in_order(where))


def telling(points: Iterable[Point]) -> set[str]:
    """The axes on which points differ."""
    every = list(points)
    names = {name for one in every for name in one}
    return {name for name in names if len({str(one.get(name)) for one in every}) > 1}


def _plain(name: str) -> str:
    return name.replace("_", " ")

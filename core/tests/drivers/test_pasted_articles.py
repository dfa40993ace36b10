"""What the articles print, pasted: each block gives its article's figures."""

import pytest

from podmeter.drivers.pasted.read import read

from .pasted import PASTED, figures, refused, text

MEBI, GIGA = 8 * 2.0**20, 1e9


def iperf3(received: float, sent: float, retransmits: float) -> dict[str, float]:
    return {"throughput": received, "throughput_sent": sent, "retransmits": retransmits}


def qperf_bw(bw: float, rate: float, costs: tuple[float, float], cpus: tuple[float, float]):
    return {
        "bandwidth": bw * 8e6,
        "message_rate": rate,
        "send_cost": costs[0] * 1e-12,
        "receive_cost": costs[1] * 1e-12,
        "cpus_used client": cpus[0] / 100,
        "cpus_used server": cpus[1] / 100,
    }


def qperf_lat(latency: float, rate: float, cpus: tuple[float, float]):
    return {
        "message_latency": latency * 1e-6,
        "message_rate": rate,
        "cpus_used client": cpus[0] / 100,
        "cpus_used server": cpus[1] / 100,
    }


#: Worked out by hand from what each article prints.
ARTICLES: dict[str, list[dict[str, float]]] = {
    # The article's own means: 2.541, 3.914 and 31.839 ms.
    "000-2.1": [
        {
            "curl_connect_mean": 0.0005403,
            "curl_starttransfer_mean": 0.0022519,
            "curl_total_mean": 0.0025411,
        }
    ],
    "000-2.2": [
        {
            "curl_connect_mean": 0.0018072,
            "curl_starttransfer_mean": 0.0037167,
            "curl_total_mean": 0.003914,
        }
    ],
    "000-2.3": [
        {
            "curl_connect_mean": 0.0181627,
            "curl_starttransfer_mean": 0.0209951,
            "curl_total_mean": 0.0318393,
        }
    ],
    "000-3.1": [iperf3(2.85 * GIGA, 2.85 * GIGA, 421)],
    "000-3.2": [iperf3(2.75 * GIGA, 2.75 * GIGA, 4355)],
    "000-3.3": [iperf3(2.78 * GIGA, 2.78 * GIGA, 4237)],
    "000-3.4": [iperf3(977e6, 978e6, 1650)],
    "000-3.5": [iperf3(2.67 * GIGA, 2.67 * GIGA, 4278)],
    "000-3.6": [iperf3(1.23 * GIGA, 1.23 * GIGA, 1256)],
    "000-3.7": [iperf3(2.77 * GIGA, 2.78 * GIGA, 3960)],
    "001-qps-first": [{"requests_per_second": 4589.65}],
    "001-qps-last": [{"requests_per_second": 7651.37}],
    "001-curl-first": [{"curl_process_mean": 0.008}],
    "001-curl-last": [{"curl_process_mean": 0.008}],
    "001-iptables-add": [{"rule_add": 0.042}],
    "001-iptables-delete": [{"rule_delete": 0.031}],
    "001-ipvs-add": [{"rule_add": 0.003}],
    "001-ipvs-delete": [{"rule_delete": 0.003}],
    "002-nodes": [
        qperf_bw(331, 5050, (451, 2050), (15, 68)),
        qperf_lat(125, 7990, (14, 14)),
        {**qperf_bw(132, 4030, (302, 4050), (73.5, 53.5)), "bandwidth_sent": 2430 * 8e6},
        qperf_lat(113, 8840, (11, 9)),
    ],
    "002-pods": [
        qperf_bw(170, 2590, (3070, 3270), (52, 55.5)),
        qperf_lat(154, 6500, (16, 17)),
        {**qperf_bw(42.9, 1310, (341, 17100), (100, 73.5)), "bandwidth_sent": 2930 * 8e6},
        qperf_lat(170, 5870, (17, 22.5)),
    ],
    "002-service": [
        qperf_bw(217, 3310, (1380, 3110), (30, 67.5)),
        qperf_lat(157, 6380, (15, 14.5)),
        {**qperf_bw(7.83, 239, (693, 69600), (89, 54.5)), "bandwidth_sent": 1280 * 8e6},
        qperf_lat(140, 7120, (17.5, 11)),
    ],
    "003-nodes": [iperf3(1138 * MEBI, 1138 * MEBI, 0)],
    "003-vxlan": [iperf3(493 * MEBI, 494 * MEBI, 185)],
    "003-native": [iperf3(1266 * MEBI, 1266 * MEBI, 125)],
}


@pytest.mark.parametrize("name", ARTICLES)
def test_an_articles_block_gives_the_articles_figures(name):
    found = figures(text(f"articles/{name}"))
    assert found == [pytest.approx(one, rel=1e-9) for one in ARTICLES[name]]


def test_every_block_that_the_articles_print_is_there():
    printed = {path.stem for path in (PASTED / "articles").glob("*.txt")}
    # It printed no figure, but an error.
    assert printed == {*ARTICLES, "001-xtables-lock"}


def test_an_error_in_an_article_is_no_figure():
    error = refused(text("articles/001-xtables-lock"))
    assert (error.line, error.why.code) == (2, "tool_said")


def test_what_counts_in_1024s_and_what_in_1000s_is_kept_apart():
    assert figures(text("articles/003-nodes"))[0]["throughput"] == pytest.approx(9.546e9, rel=1e-4)
    bits = text("articles/003-nodes").replace("1138 MBytes/sec", "9.55 Gbits/sec")
    assert figures(bits)[0]["throughput"] == 9.55e9
    assert figures(text("articles/002-nodes"))[0]["bandwidth"] == 331e6 * 8


def test_several_outputs_in_one_paste_are_several():
    names = ("000-3.1", "000-3.4", "002-nodes", "001-qps-last", "000-2.1")
    whole = "\n".join(text(f"articles/{name}") for name in names)
    tools = [one.tool for one in read(whole).outputs]
    assert tools == ["iperf3", "iperf3", *["qperf"] * 4, "ab", "curl"]


def test_a_line_of_a_figure_is_the_line_that_says_so():
    pasted = text("articles/000-3.3")
    for figure in read(pasted).outputs[0].figures:
        assert figure.printed in pasted.split("\n")[figure.line - 1]

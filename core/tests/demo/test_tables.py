import io

from rich.console import Console

from podmeter.demo.tables import show_comparison, show_headline, show_overhead


def console() -> Console:
    return Console(width=80, file=io.StringIO(), record=True)


def effect(ratio, verdict):
    return {
        "main": True,
        "unit": "1/s",
        "baseline": {"median": {"value": 7520.0}},
        "contender": {"median": {"value": 7360.0}},
        "ratio": dict(zip(("value", "low", "high"), ratio, strict=True)),
        "verdict": verdict,
    }


def comparison(*pairs):
    modes = [{"where": {"kube_proxy_mode": mode}} for mode in ("iptables", "nftables")]
    contender = {
        "side": modes[1],
        "pairs": [{"shared": shared, "effects": [one]} for shared, one in pairs],
        "gate": {"verdict": "comparable"},
        "curves": [],
    }
    return {"baseline": modes[0], "contenders": [contender]}


def test_a_terminal_of_80_columns_shows_every_verdict_and_interval_whole():
    out = console()
    case = {"services": 2000, "client": "other-node"}
    show_comparison(
        out,
        comparison(
            ({"probe": "climb", "services": 10}, effect((1.02, None, None), "inconclusive")),
            ({"probe": "qps", "target": "first", **case}, effect((1.15, 1.068, 1.284), "better")),
            ({"probe": "qps", "target": "last", **case}, effect((0.97, 0.877, 1.233), "worse")),
        ),
    )
    said = out.export_text()
    for whole in ("inconclusive", "better", "worse", "+15 % [+7, +28]", "[-12, +23]", "7.52 k/s"):
        assert whole in said
    # All cases that have a client have the same one.
    assert "other-node" not in said


def test_what_is_of_a_modes_set_up_says_so_and_an_end_without_bound_is_no_figure():
    out = console()
    set_up = {**effect((0.39, 1e-7, 6_597_345.0), "inconclusive"), "metric": "switch_convergence"}
    climb = ({"probe": "climb", "services": 10}, effect((1.02, 0.98, 1.06), "same"))
    qps = ({"probe": "qps", "services": 10}, effect((1.02, 0.98, 1.06), "same"))
    show_comparison(out, comparison(climb, qps, ({}, set_up)))
    said = out.export_text()
    assert "switch_convergence" in said
    assert "-61 % [-100, > +1,000]" in said


def test_the_headline_is_printed_as_the_document_has_it():
    out = console()
    said = [{"text": f"VXLAN costs {n} % [20 to 34] of pod→pod throughput"} for n in (26, 27)]
    headline = {"sentences": said, "caveats": [{"text": "both nodes are one machine"}]}
    show_headline(out, {"headline": headline})
    text = out.export_text()
    assert "VXLAN costs 26 % [20 to 34] of pod→pod throughput" in text
    assert "both nodes are one machine" in text
    # What an older server gave has none.
    show_headline(out, {})


def test_the_overhead_is_told_where_it_is_known():
    out = console()
    show_overhead(out, {"overhead": None})
    show_overhead(out, {"overhead": {"median": {"value": 0.5}}})
    assert "median 500 ms" in out.export_text()

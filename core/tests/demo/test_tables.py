import io

from rich.console import Console

from podmeter.demo.tables import show_comparison, show_findings


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
    for whole in ("inconclusive", "better", "worse", "[+6.8,+28.4]%", "[-12.3,+23.3]%", "7.52 k/s"):
        assert whole in said
    # All cases that have a client have the same one.
    assert "other-node" not in said


def test_what_is_not_clear_is_counted_only():
    out = console()
    codes = ("mode_better", "mode_inconclusive", "no_crossover", "curve_flat")
    findings = [{"code": code, "text": f"it is {code}"} for code in codes]
    show_findings(out, {"findings": findings, "overhead": None})
    said = out.export_text()
    assert "it is mode_better" in said
    assert "it is curve_flat" in said
    assert "it is no_crossover" not in said
    assert "2 more findings are inconclusive" in said

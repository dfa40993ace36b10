import { useTranslation } from "react-i18next";
import {
  type CurvePair,
  curvePairs,
  modesOf as differingModes,
  type Effect,
  effectsOf,
  figureOf,
  holds,
  numberOf,
  numbersOf,
  type Row,
  textOf,
  warningsOf,
} from "~/api/rows";
import type { Figure, Point, Schemas } from "~/api/types";
import { bracketed, clauses, parted } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import {
  formatNumber,
  formatP,
  formatQuantity,
  type WrittenFigure,
  writeChange,
  writeFigure,
} from "~/quantities/format";
import { usePointText } from "~/ui/point_text";

type Finding = Schemas["Finding"];
type Evidence<Kind> = Extract<Finding["evidence"], { kind: Kind }>;
type Verdict = "better" | "worse" | "same" | "undecided";
type Change = Pick<Figure, "value" | "low" | "high">;

/** So many cases are named. */
const MOST_CASES = 3;

/** What "p" or "n" is stands in the same line as it. */
const unbroken = (text: string) => text.replaceAll(" ", "\u00a0");

interface Modes {
  baseline_value: string;
  contender_value: string;
}

/** A finding in the user's language; an unknown one in the API's English. */
export function useFindingText(): (finding: Finding) => string {
  const { t } = useTranslation("charts");
  const word = useWords();
  const pointText = usePointText();

  const spanned = ({ value, low, high }: WrittenFigure) =>
    `${value} ${low === null || high === null ? t("finding.no_interval") : `[${low}, ${high}]`}`;
  const span = ({ value, low, high }: Change, plus = 0) =>
    spanned(
      writeChange({
        value: value + plus,
        low: low == null ? low : low + plus,
        high: high == null ? high : high + plus,
      }),
    );
  const inMetric = (metric: string, subject: string, point: Point) => {
    const name = clauses(word("metric", metric), subject);
    const where = pointText(point);
    return where === "" ? name : bracketed(name, where);
  };
  const modes = ({ baseline_value, contender_value }: Modes) => ({
    baseline: word("axis_value", baseline_value),
    contender: word("axis_value", contender_value),
  });
  const p = (value: number | null) => {
    if (value === null) return "";
    const text = formatP(value);
    return unbroken(text.startsWith("<") ? `p ${text}` : `p = ${text}`);
  };

  function effect({ metric, point, text }: Finding, found: Effect): string {
    const { ratio, difference, baseline, contender } = found;
    const named = modesOf(ratio);
    if (named === null) return text;
    const [share, shift] = [figureOf(ratio), figureOf(difference)];
    const unit = difference.key.unit as Schemas["Unit"];
    const absolute = shift === null ? "–" : spanned(writeFigure(shift, unit, { signed: true }));
    return t(`finding.mode_${ratio.verdict as Verdict}`, {
      ...modes(named),
      where: inMetric(metric, ratio.key.subject, point),
      reason: word("reason", textOf(ratio, "reason")),
      figures: clauses(
        share === null ? absolute : span(share, -1),
        p(numberOf(ratio, "p")),
        unbroken(`n = ${baseline.median.n}, ${contender.median.n}`),
      ),
    });
  }

  function curve({ metric, point }: Finding, row: Row): string {
    const [xs, change] = [numbersOf(row, "xs"), figureOf(row)];
    return t(holds(row, "controlled") ? "finding.curve_controlled" : "finding.curve", {
      where: inMetric(metric, row.key.subject, point),
      shape: word("shape", textOf(row, "shape")),
      from: formatNumber(xs[0] ?? 0, true),
      to: formatNumber(xs.at(-1) ?? 0, true),
      axis: word("axis", textOf(row, "axis")),
      figures: clauses(change === null ? "–" : span(change, -1), p(numberOf(row, "p"))),
    });
  }

  function loss(finding: Finding, row: Row): string {
    const { code, metric, point } = finding;
    const found = figureOf(row);
    if (code === "loss_unknown") {
      return t("finding.loss_refused", {
        where: pointText(point),
        metric: word("metric", metric),
        why: parted(warningsOf(row).map((one) => word("warning", one.code))),
      });
    }
    const known = found?.low != null && found.high != null;
    const reason = textOf(row, "reason");
    const open = reason === "" ? "loss_unclear" : "loss_undecided";
    return t(`finding.${known ? (LOSSES[codeOf(finding)] ?? open) : "loss_unknown"}`, {
      where: pointText(point),
      metric: word("metric", metric),
      reason: word("reason", reason),
      figures: found === null ? "–" : span(found),
    });
  }

  function curves({ code, metric, point, text }: Finding, pair: CurvePair): string {
    const { difference, crossing } = pair;
    const named = modesOf(difference);
    if (named === null) return text;
    const { baseline, contender } = modes(named);
    const first = textOf(difference, "degrades_more") === "baseline";
    const xs = numbersOf(difference, "xs");
    return t(`finding.${code as "crossover" | "degrades_more" | "no_crossover"}`, {
      baseline,
      contender,
      loser: first ? baseline : contender,
      keeper: first ? contender : baseline,
      leader: crossing && holds(crossing, "contender_leads_after") ? contender : baseline,
      where: inMetric(metric, difference.key.subject, point),
      axis: word("axis", textOf(difference, "axis")),
      from: formatNumber(crossing?.low ?? xs[0] ?? 0, true),
      to: formatNumber(crossing?.high ?? xs.at(-1) ?? 0, true),
    });
  }

  function byRows(finding: Finding, rows: readonly Row[]): string {
    const [[found], [pair], [row]] = [effectsOf(rows), curvePairs(rows), rows];
    if (found !== undefined) return effect(finding, found);
    if (pair !== undefined) return curves(finding, pair);
    if (row?.code === "change") return curve(finding, row);
    if (row?.code === "link_apart") return link(finding, rows);
    return row?.code === "loss" ? loss(finding, row) : finding.text;
  }

  function link({ code, metric, point }: Finding, rows: readonly Row[]): string {
    const [apart, member, other] = rows;
    if (!(apart && member && other)) return "";
    const named = ({ key }: Row) => word("axis_value", String(key.point[textOf(apart, "axis")]));
    const figure = (one: Row) => {
      const found = figureOf(one);
      return found === null ? "–" : spanned(writeFigure(found, one.key.unit as Schemas["Unit"]));
    };
    const stands = code !== "no_link_apart";
    const [what, sharing] = [textOf(apart, "what"), textOf(apart, "shared")];
    // A node by itself is no term, whatever it is called.
    const value = what === "both_ways" ? word("axis_value", sharing) : sharing;
    const shared = what as "both_ways" | "node" | "from_node" | "to_node" | "link";
    const [links, members] = [numberOf(apart, "links") ?? 0, numberOf(apart, "members") ?? 0];
    const said = t(`finding.${code as "slowest_link" | "slowest_links" | "no_link_apart"}`, {
      where: inMetric(metric, apart.key.subject, point),
      member: named(member),
      figure: figure(member),
      other: named(other),
      other_figure: figure(other),
      shared: shared === "link" ? "" : t(`finding.shared.${shared}`, { value }),
      count: code === "slowest_links" ? links - members : links,
      reason: word("reason", textOf(apart, "reason")),
    });
    return clauses(said, stands ? p(numberOf(apart, "adjusted_p") ?? numberOf(apart, "p")) : "");
  }

  /** An MTU with the cases that it is of, where it is not that of all. */
  function mtuOf(mtu: number, cases: Point[]): string {
    const named = cases.slice(0, MOST_CASES).map((point) => pointText(point));
    const more = cases.length - MOST_CASES;
    if (more > 0) named.push(t("finding.more_cases", { count: more }));
    const where = named.filter(Boolean).join("; ");
    return where === "" ? String(mtu) : bracketed(String(mtu), where);
  }

  function pathMtu(found: Evidence<"path_mtu">): string {
    const share = (value: number) => formatQuantity(value, "ratio");
    const same = found.baseline_mtu === found.contender_mtu;
    const differs = found.ratio < 1 ? "mtu_less" : "mtu_more";
    return t(`finding.${same ? "mtu_same" : differs}`, {
      ...modes(found),
      baseline_mtu: mtuOf(found.baseline_mtu, found.cases),
      contender_mtu: String(found.contender_mtu),
      baseline_overhead: found.baseline_overhead,
      contender_overhead: found.contender_overhead,
      baseline_share: share(found.baseline_share),
      contender_share: share(found.contender_share),
      baseline_timestamped: share(found.baseline_share_timestamped),
      contender_timestamped: share(found.contender_share_timestamped),
      change: share(Math.abs(found.ratio - 1)),
    });
  }

  function podMtu({ code }: Finding, found: Evidence<"pod_mtu">): string {
    return t(`finding.${code as "mtu_too_large" | "mtu_unused"}`, {
      mtu: mtuOf(found.pod_mtu, found.cases),
      difference: String(found.difference),
      wrapped:
        found.wrapped_in === ""
          ? t("finding.not_wrapped")
          : t("finding.wrapped", { overhead: found.overhead, name: found.wrapped_in }),
      nic_mtu: String(found.nic_mtu),
    });
  }

  return (finding) => {
    const { evidence, text } = finding;
    switch (evidence.kind) {
      case "rows":
        return byRows(finding, evidence.rows);
      case "path_mtu":
        return pathMtu(evidence);
      case "pod_mtu":
        return podMtu(finding, evidence);
      default:
        return text;
    }
  };
}

/** The two modes of a row; null where they were not kept. */
function modesOf(row: Row): Modes | null {
  const found = differingModes(row);
  return found && { baseline_value: found.baseline, contender_value: found.contender };
}

const LOSSES: Record<string, "loss_loses" | "loss_gains" | "loss_same"> = {
  loss: "loss_loses",
  gain: "loss_gains",
  loss_same: "loss_same",
};

/** A finding's code; of a loss that was kept before losses had verdicts, what its interval says. */
export function codeOf({ code, evidence }: Finding): string {
  if (code !== "loss" || evidence.kind !== "rows") return code;
  const [row] = evidence.rows;
  if (row === undefined || row.verdict !== null) return code;
  const { low, high } = row;
  if (low === null || high === null) return "loss_uncertain";
  if (low > 0) return "loss";
  return high < 0 ? "gain" : "loss_undecided";
}

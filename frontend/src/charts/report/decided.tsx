import { Anchor, List, Stack } from "@mantine/core";
import { memo, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { agree } from "~/api/headline";
import {
  adviceOf,
  type Effect,
  effectsOf,
  figureOf,
  groupsOf,
  holds,
  limitsOf,
  modesOf,
  nodePairOf,
  numberOf,
  type Row,
  roundPairsOf,
  textOf,
} from "~/api/rows";
import type { Point, RunReport, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatP, writeChange, writeInterval } from "~/quantities/format";
import { Disclosure } from "~/ui/disclosure";
import { usePointText } from "~/ui/point_text";
import { useStableValue } from "~/ui/use_stable_value";
import { hueOf } from "../hues";
import { RoundsChart } from "../rounds_chart";
import { ClientAtLimit, DifferenceWarnings } from "./client_at_limit";
import { SameLimit } from "./same_limit";

interface Found {
  effect: Effect;
  point: Point;
}

interface HowDecidedProps {
  report: RunReport;
  /** The case that the answer is about. */
  about: Point | undefined;
}

/** Below a run's answer: how it was decided, for who opens it; nothing where no effect answers. */
export function HowDecided({ report, about }: HowDecidedProps) {
  // Callers read the case from the headline each time they are drawn.
  return <DecidedBy report={report} about={useStableValue(about)} />;
}

/** Drawn once: no part of the page's view changes it. */
const DecidedBy = memo(function DecidedBy({ report, about }: HowDecidedProps) {
  const { t } = useTranslation("charts");
  const found = decidedBy(report, about);
  if (found === undefined) return <ByPair report={report} about={about} />;
  return (
    <Disclosure title={t("how_decided")}>
      <Decided {...found} />
    </Disclosure>
  );
});

/** What a run's answer rests on: its first main effect on the case that it is about. */
function decidedBy(report: RunReport, about: Point | undefined): Found | undefined {
  const effects = report.findings.flatMap(({ evidence, point }) =>
    evidence.kind === "rows"
      ? effectsOf(evidence.rows)
          .filter(({ ratio }) => holds(ratio, "main"))
          .map((effect) => ({ effect, point }))
      : [],
  );
  const onCase = effects.find(({ point }) => about !== undefined && agree(point, about));
  return onCase ?? effects[0];
}

/** Which pairs of nodes a verdict rests on; nothing where that is not known. */
export function OnPairs({ row }: { row: Row }) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const count = new Set(roundPairsOf(row)).size;
  const alone = nodePairOf(row);
  if (count === 0 && alone === "") return null;
  return (
    <List.Item>
      {count > 0
        ? t("decided.pairs", { count })
        : t("decided.on_pair", { pair: word("axis_value", alone) })}
    </List.Item>
  );
}

/** What a run that compares nothing measured on each pair of nodes, where pairs changed by round. */
function ByPair({ report, about }: HowDecidedProps) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const pointText = usePointText();
  const found = rotatedOf(report, about);
  const pairs = useMemo(() => (found === undefined ? [] : roundPairsOf(found)), [found]);
  const sides = useMemo(
    () => [
      { key: "", label: "", hue: 0, shade: 0, values: found ? groupsOf(found, "values") : [] },
    ],
    [found],
  );
  if (found === undefined) return null;
  const { metric, unit, direction, point } = found.key;
  return (
    <Disclosure title={t("how_decided")}>
      <Stack gap="sm" pt="xs">
        <RoundsChart
          y={{
            label: word("metric", metric),
            unit: unit as Unit,
            better: word("direction", direction),
          }}
          sides={sides}
          description={pointText(point)}
          pairs={pairs}
        />
        <List size="sm">
          <OnPairs row={found} />
        </List>
      </Stack>
    </Disclosure>
  );
}

/** The main figure of the case that the answer is about, of a run whose pairs changed by round. */
function rotatedOf(report: RunReport, about: Point | undefined) {
  const mains = report.summaries.filter(
    (row) => row.code === "median" && holds(row, "main") && roundPairsOf(row).length > 0,
  );
  return mains.find(({ key }) => about !== undefined && agree(key.point, about)) ?? mains[0];
}

/**
 * How the answer was decided: every round of both modes, the interval, what it was corrected for,
 * and what would decide what is open.
 */
function Decided({ effect, point }: Found) {
  const { t } = useTranslation(["charts", "compare"]);
  const word = useWords();
  const pointText = usePointText();
  const { ratio, baseline, contender } = effect;
  const { key } = ratio;
  const advice = adviceOf(effect);
  const pairs = useMemo(() => roundPairsOf(ratio), [ratio]);
  const named = modesOf(ratio);
  const [first, second] = [named?.baseline ?? "", named?.contender ?? ""];
  const axis = named?.axis ?? "";
  const sides = useMemo(
    () =>
      [
        { value: first, arm: baseline },
        { value: second, arm: contender },
      ].map(({ value, arm }) => ({
        key: value,
        label: word("axis_value", value),
        hue: hueOf(axis, value, [first, second]),
        shade: 0,
        values: arm.values,
      })),
    [axis, first, second, baseline, contender, word],
  );
  const figure = figureOf(ratio);
  const change =
    figure === null
      ? null
      : writeChange({
          value: figure.value - 1,
          low: figure.low == null ? null : figure.low - 1,
          high: figure.high == null ? null : figure.high - 1,
        });
  const modes = {
    baseline: word("axis_value", first),
    contender: word("axis_value", second),
  };
  const [lookedAt, adjusted] = [numberOf(ratio, "looked_at") ?? 1, numberOf(ratio, "adjusted_p")];
  const limits = limitsOf(ratio);
  const code = advice?.code === "rounds" && advice.same ? "rounds_same" : advice?.code;
  return (
    <Stack gap="sm" pt="xs">
      <RoundsChart
        y={{
          label: word("metric", key.metric),
          unit: baseline.median.key.unit as Unit,
          better: word("direction", key.direction),
        }}
        sides={sides}
        description={pointText(point)}
        pairs={pairs}
      />
      <List size="sm" spacing={4}>
        <List.Item>
          {t("decided.rounds", { count: numberOf(ratio, "rounds") ?? 0 })}
          {numberOf(ratio, "correlation") !== null && ` ${t("decided.control")}`}
        </List.Item>
        <OnPairs row={ratio} />
        {change !== null && (
          <List.Item>
            {change.low === null || change.high === null
              ? t("decided.no_interval", { ...modes, change: change.value })
              : t("decided.interval", {
                  ...modes,
                  change: change.value,
                  interval: writeInterval(change),
                })}
          </List.Item>
        )}
        <SameLimit effect={effect} />
        <List.Item>
          {t(`decided.verdict_${ratio.verdict as "better"}`, {
            ...modes,
            reason: word("reason", textOf(ratio, "reason")),
          })}
        </List.Item>
        {lookedAt > 1 && adjusted !== null && (
          <List.Item>
            {t("decided.corrected", {
              count: lookedAt,
              p: formatP(adjusted),
            })}
          </List.Item>
        )}
        {limits !== null && (
          <List.Item>
            {limits[0] === limits[1]
              ? t("decided.limited_alike", { limit: word("limited_by", limits[0]) })
              : t("decided.limited", {
                  ...modes,
                  first: word("limited_by", limits[0]),
                  second: word("limited_by", limits[1]),
                })}
          </List.Item>
        )}
        <ClientAtLimit row={ratio} sides={[modes.baseline, modes.contender]} />
        <DifferenceWarnings row={ratio} />
        {advice !== null && (
          <List.Item>
            {t(`compare:evidence.${code as "rounds"}`, { rounds: advice.rounds })}
          </List.Item>
        )}
      </List>
      <Anchor href="/method" size="sm" w="fit-content">
        {t("how_verdicts")}
      </Anchor>
    </Stack>
  );
}

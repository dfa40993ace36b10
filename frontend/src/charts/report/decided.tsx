import { Anchor, List, Stack } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Point, RunReport, Schemas, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatP, formatQuantity, writeChange } from "~/quantities/format";
import { Disclosure } from "~/ui/disclosure";
import { usePointText } from "~/ui/point_text";
import { hueOf } from "../hues";
import { RoundsChart } from "../rounds_chart";

type Evidence = Extract<Schemas["Finding"]["evidence"], { kind: "effect" }>;

interface Found {
  evidence: Evidence;
  point: Point;
}

/** Below a run's answer: how it was decided, for who opens it; nothing where no effect answers. */
export function HowDecided({ report, about }: { report: RunReport; about: Point | undefined }) {
  const { t } = useTranslation("charts");
  const found = decidedBy(report, about);
  if (found === undefined) return null;
  return (
    <Disclosure title={t("how_decided")}>
      <Decided {...found} />
    </Disclosure>
  );
}

/** What a run's answer rests on: its first main effect on the case that it is about. */
function decidedBy(report: RunReport, about: Point | undefined): Found | undefined {
  const effects = report.findings.flatMap(({ evidence, point }) =>
    evidence.kind === "effect" && evidence.main ? [{ evidence, point }] : [],
  );
  const onCase = effects.find(
    ({ point }) =>
      about !== undefined && Object.entries(point).every(([axis, value]) => about[axis] === value),
  );
  return onCase ?? effects[0];
}

/**
 * How the answer was decided: every round of both modes, the interval, what it was corrected for,
 * and what would decide what is open.
 */
function Decided({ evidence, point }: Found) {
  const { t } = useTranslation(["charts", "compare"]);
  const word = useWords();
  const pointText = usePointText();
  const { axis, baseline_value, contender_value, baseline, contender, ratio, advice } = evidence;
  const sides = useMemo(
    () =>
      [
        { value: baseline_value, arm: baseline },
        { value: contender_value, arm: contender },
      ].map(({ value, arm }) => ({
        key: value,
        label: word("axis_value", value),
        hue: hueOf(axis, value, [baseline_value, contender_value]),
        shade: 0,
        values: arm.values,
      })),
    [axis, baseline_value, contender_value, baseline, contender, word],
  );
  const change =
    ratio === null
      ? null
      : writeChange({
          value: ratio.value - 1,
          low: ratio.low == null ? null : ratio.low - 1,
          high: ratio.high == null ? null : ratio.high - 1,
        });
  const modes = {
    baseline: word("axis_value", baseline_value),
    contender: word("axis_value", contender_value),
  };
  const code = advice?.code === "rounds" && advice.same ? "rounds_same" : advice?.code;
  return (
    <Stack gap="sm" pt="xs">
      <RoundsChart
        y={{
          label: word("metric", evidence.metric),
          unit: evidence.unit as Unit,
          better: word("direction", evidence.direction),
        }}
        sides={sides}
        description={pointText(point)}
      />
      <List size="sm" spacing={4}>
        <List.Item>
          {t("decided.rounds", { count: evidence.rounds })}
          {evidence.correlation != null && ` ${t("decided.control")}`}
        </List.Item>
        {change !== null && (
          <List.Item>
            {change.low === null || change.high === null
              ? t("decided.no_interval", { ...modes, change: change.value })
              : t("decided.interval", {
                  ...modes,
                  change: change.value,
                  low: change.low,
                  high: `${change.high}\u202f${change.symbol}`,
                })}
          </List.Item>
        )}
        {evidence.same_within != null && (
          <List.Item>
            {t("decided.threshold", { share: formatQuantity(evidence.same_within, "ratio") })}
          </List.Item>
        )}
        <List.Item>
          {t(`decided.verdict_${evidence.verdict as "better"}`, {
            ...modes,
            reason: word("reason", evidence.reason),
          })}
        </List.Item>
        {evidence.looked_at > 1 && evidence.adjusted_p != null && (
          <List.Item>
            {t("decided.corrected", {
              count: evidence.looked_at,
              p: formatP(evidence.adjusted_p),
            })}
          </List.Item>
        )}
        {advice != null && (
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

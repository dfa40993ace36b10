import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Effect, effectsOf, figureOf, holds, modesOf, numberOf } from "~/api/rows";
import type { RunReport, Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { writeChange } from "~/quantities/format";
import { type RunDetail, reportOptions } from "~/queries/runs";
import { VerdictBadge } from "~/ui/badges";
import { usePointText } from "~/ui/point_text";
import classes from "./live_intervals.module.css";

interface Open {
  effect: Effect;
  point: Schemas["Finding"]["point"];
}

/** More rows do not help while a run is in progress. */
const MOST = 8;

/** The main effects of a run so far, undecided ones first: the run continues for them. */
export function mainEffects(report: RunReport): Open[] {
  const found = report.findings.flatMap(({ evidence, point }) =>
    evidence.kind === "rows"
      ? effectsOf(evidence.rows)
          .filter(({ ratio }) => holds(ratio, "main") && ratio.value !== null)
          .map((effect) => ({ effect, point }))
      : [],
  );
  const isOpen = ({ effect }: Open) => Number(effect.ratio.verdict === "undecided");
  return found.toSorted((one, other) => isOpen(other) - isOpen(one));
}

/** How far each main effect is known: intervals that narrow from round to round until decided. */
export function LiveIntervals({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const report = useQuery(reportOptions(run.id));
  const effects = report.data === undefined ? [] : mainEffects(report.data);
  if (effects.length === 0) return null;
  const decided = effects.filter(({ effect }) => effect.ratio.verdict !== "undecided").length;
  const rounds = Math.max(...effects.map(({ effect }) => numberOf(effect.ratio, "rounds") ?? 0));
  const reach = Math.max(0.1, ...effects.slice(0, MOST).map(reachOf));
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {t("decided_so_far", { decided, count: effects.length, rounds })}
      </Text>
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
        {effects.slice(0, MOST).map(({ effect, point }) => (
          <Interval
            key={JSON.stringify(effect.ratio.key)}
            effect={effect}
            point={point}
            reach={reach}
          />
        ))}
      </Stack>
      {effects.length > MOST && (
        <Text size="xs" c="dimmed">
          {t("more_effects", { count: effects.length - MOST })}
        </Text>
      )}
    </Stack>
  );
}

/** Beyond twice or half as much the end of an interval says no more. */
const FURTHEST = 1;

const reachOf = ({ effect: { ratio } }: Open): number =>
  Math.min(
    FURTHEST,
    Math.max(...[ratio?.low ?? 1, ratio?.high ?? 1].map((one) => Math.abs(one - 1))),
  );

function Interval({ effect, point, reach }: Open & { reach: number }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const pointText = usePointText();
  const ratio = figureOf(effect.ratio);
  const named = modesOf(effect.ratio);
  const same_within = numberOf(effect.ratio, "same_within");
  const verdict = effect.ratio.verdict;
  if (ratio === null || named === null || verdict === null) return null;
  const at = (share: number) => `${50 + (Math.max(-reach, Math.min(reach, share)) / reach) * 50}%`;
  const [low, high] = [(ratio.low ?? ratio.value) - 1, (ratio.high ?? ratio.value) - 1];
  const written = writeChange({ value: ratio.value - 1, low, high });
  const modes = {
    contender: word("axis_value", named.contender),
    baseline: word("axis_value", named.baseline),
  };
  return (
    <Group
      component="li"
      gap="sm"
      wrap="nowrap"
      className={classes.row}
      data-open={verdict === "undecided" || undefined}
    >
      <Text size="sm" className={classes.name}>
        {t("effect_of", modes)}
        {Object.keys(point).length > 0 && (
          <Text span size="xs" c="dimmed">
            {" "}
            {pointText(point)}
          </Text>
        )}
      </Text>
      <div className={classes.track} aria-hidden="true">
        {same_within !== null && (
          <div
            className={classes.same}
            style={{ left: at(-same_within), right: `calc(100% - ${at(same_within)})` }}
          />
        )}
        <div className={classes.zero} />
        <div
          className={classes.interval}
          style={{ left: at(low), right: `calc(100% - ${at(high)})` }}
        />
        <div className={classes.centre} style={{ left: at(ratio.value - 1) }} />
      </div>
      <Text size="xs" className={classes.figures}>
        {written.value} [{written.low}, {written.high}]
      </Text>
      <VerdictBadge verdict={verdict} />
    </Group>
  );
}

import { Badge, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Effect, effectsOf, figureOf, holds, modesOf, numberOf } from "~/api/rows";
import type { RunReport, Schemas } from "~/api/types";
import { varyingAxes } from "~/charts/layout/axes";
import { useWords } from "~/i18n/words";
import { writeChange, writeInterval } from "~/quantities/format";
import { type Axis, kindsOptions } from "~/queries/kinds";
import { type RunDetail, reportOptions } from "~/queries/runs";
import { VerdictBadge } from "~/ui/badges";
import { usePointText } from "~/ui/point_text";
import classes from "./live_intervals.module.css";

interface MainEffect {
  effect: Effect;
  point: Schemas["Finding"]["point"];
  /** What the compared modes cannot change: what differs there comes from the machine. */
  control: boolean;
}

/** More rows do not help while a run is in progress. */
const MOST = 8;

/**
 * The main effects of a run so far, undecided ones first: the run continues for them. Controls are
 * last. `axes` are those of the run's kind.
 */
export function mainEffects(report: RunReport, axes: readonly Axis[]): MainEffect[] {
  const found = report.findings.flatMap(({ evidence, point }) =>
    evidence.kind === "rows"
      ? effectsOf(evidence.rows)
          .filter(({ ratio }) => holds(ratio, "main") && ratio.value !== null)
          .map((effect) => ({ effect, point, control: isControl(effect, point, axes) }))
      : [],
  );
  const place = ({ effect, control }: MainEffect) =>
    control ? 2 : Number(effect.ratio.verdict !== "undecided");
  return withTellingAxes(found).toSorted((one, other) => place(one) - place(other));
}

/** The same without the axes on which all cases agree: these tell no case from another. */
function withTellingAxes(effects: readonly MainEffect[]): MainEffect[] {
  const varying = varyingAxes(
    effects.map(({ point }) => point),
    [],
  );
  return effects.map((effect) => ({
    ...effect,
    point: Object.fromEntries(Object.entries(effect.point).filter(([axis]) => varying.has(axis))),
  }));
}

function isControl(effect: Effect, point: MainEffect["point"], axes: readonly Axis[]): boolean {
  const compared = modesOf(effect.ratio)?.axis ?? "";
  return axes.some(
    ({ name, control, control_for, control_with }) =>
      control != null &&
      control_for.includes(compared) &&
      Object.entries({ ...control_with, [name]: control }).every(
        ([axis, value]) => point[axis] === value,
      ),
  );
}

/** How far each main effect is known: intervals that narrow from round to round until decided. */
export function LiveIntervals({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const report = useQuery(reportOptions(run.id, "main"));
  const kinds = useQuery(kindsOptions);
  if (report.data === undefined || kinds.data === undefined) return null;
  const axes = kinds.data.find(({ name }) => name === run.kind)?.axes ?? [];
  const effects = mainEffects(report.data, axes);
  if (effects.length === 0) return null;
  const wanted = effects.filter(({ control }) => !control);
  const decided = wanted.filter(({ effect }) => effect.ratio.verdict !== "undecided").length;
  const rounds = Math.max(...effects.map(({ effect }) => numberOf(effect.ratio, "rounds") ?? 0));
  const reach = Math.max(0.1, ...effects.slice(0, MOST).map(reachOf));
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {t("decided_so_far", {
          decided,
          count: wanted.length,
          rounds: t("rounds_counted", { count: rounds }),
        })}
      </Text>
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
        {effects.slice(0, MOST).map((one) => (
          <Interval key={JSON.stringify(one.effect.ratio.key)} {...one} reach={reach} />
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

const reachOf = ({ effect: { ratio } }: MainEffect): number =>
  Math.min(
    FURTHEST,
    Math.max(...[ratio?.low ?? 1, ratio?.high ?? 1].map((one) => Math.abs(one - 1))),
  );

export function Interval({ effect, point, control, reach }: MainEffect & { reach: number }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const pointText = usePointText();
  const ratio = figureOf(effect.ratio);
  const named = modesOf(effect.ratio);
  const same_within = numberOf(effect.ratio, "same_within");
  const verdict = effect.ratio.verdict;
  if (ratio === null || named === null || verdict === null) return null;
  const at = (share: number) => `${50 + (Math.max(-reach, Math.min(reach, share)) / reach) * 50}%`;
  // One round has no interval yet.
  const interval = ratio.low == null || ratio.high == null ? null : [ratio.low - 1, ratio.high - 1];
  const [low, high] = interval ?? [null, null];
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
      data-open={(verdict === "undecided" && !control) || undefined}
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
        {low != null && high != null && (
          <div
            className={classes.interval}
            style={{ left: at(low), right: `calc(100% - ${at(high)})` }}
          />
        )}
        <div className={classes.centre} style={{ left: at(ratio.value - 1) }} />
      </div>
      <Text size="xs" className={classes.figures}>
        {written.value} {writeInterval(written) ?? t("no_interval_yet")}
      </Text>
      <div className={classes.verdict}>
        {control ? (
          <Badge variant="light" color="gray" tt="none" title={t("control_text")}>
            {t("control")}
          </Badge>
        ) : (
          <VerdictBadge verdict={verdict} />
        )}
      </div>
    </Group>
  );
}

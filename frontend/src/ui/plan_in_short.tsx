import { SimpleGrid, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { followed, listed } from "~/i18n/punctuation";
import { formatDuration, formatQuantity } from "~/quantities/format";
import { useFieldText } from "./field_text";
import { Moment } from "./moment";
import { plannedCases } from "./planned_cases";

type Plan = Schemas["PlanView"];

/** How much it is, and how long it takes. */
export function PlanFigures({ plan }: { plan: Plan }) {
  const { t } = useTranslation("experiments");
  const { own, setUps } = plannedCases(plan);
  const casesText =
    setUps.length === 0
      ? String(own.length)
      : t("cases_and_set_ups", { cases: own.length, count: setUps.length });
  const until = plan.repetition.until_decided;
  const share = shareInTime(plan);
  const figures = [
    ["cases", casesText],
    ["blocks", String(plan.blocks.length)],
    ["trials", String(plan.trials)],
    ["measuring", formatDuration(plan.measuring_seconds * share)],
    ["switching", formatDuration(plan.switching_seconds * share)],
    ["around", formatDuration(plan.around_seconds)],
    [until ? "at_most" : "whole", formatDuration(plan.expected_seconds)],
  ] as const;
  return (
    <>
      <SimpleGrid component="dl" cols={3} spacing="sm" m={0}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {t(`figure.${name}`)}
            </Text>
            <Text component="dd" m={0} fw={600} data-figure={name === "at_most" ? "whole" : name}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {until && (
        <Text size="sm" mt={4}>
          {t("ends_once_decided", { difference: formatQuantity(until.difference, "ratio") })}
          {share < 1 &&
            ` ${t("more_than_time", {
              rounds: plan.repetition.rounds,
              whole: formatDuration(plan.measuring_seconds + plan.switching_seconds),
            })}`}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {t(plan.blocks_seen > 0 ? "pace.measured" : "pace.reckoned", {
          times: formatQuantity(plan.measuring_pace, "count"),
          count: plan.blocks_seen,
        })}
      </Text>
      {plan.switches.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {t(plan.switches_seen > 0 ? "pace.seen" : "pace.assumed", {
            seconds: formatDuration(plan.switch_seconds),
            count: plan.switches_seen,
          })}
        </Text>
      )}
    </>
  );
}

/** The parts of a plan add up to its whole, except for rounding up to this. */
const ROUNDING_SECONDS = 1;

/** The share of the planned rounds that fits into the time of a run until it is decided; else 1. */
function shareInTime(plan: Plan): number {
  const planned = plan.measuring_seconds + plan.switching_seconds;
  const most = plan.expected_seconds - plan.around_seconds;
  const isLimited = planned > most + ROUNDING_SECONDS;
  return plan.repetition.until_decided && isLimited ? most / planned : 1;
}

/** Which effect its rounds will be able to see, said before they are measured. */
export function PlanSight({ plan: { sight } }: { plan: Plan }) {
  const { t } = useTranslation("experiments");
  const fieldText = useFieldText();
  if (!sight) return null;
  const { rounds, rounds_needed: needed, effect, block_deviation, noise_floor: floor } = sight;
  const deviation = formatQuantity(block_deviation, "ratio");
  return (
    <div data-sight={effect === null ? "none" : "seen"} data-floor={floor ? "known" : "assumed"}>
      <Title order={3} size="h6" mb={4}>
        {t("sight.title")}
      </Title>
      <Text size="sm">
        {effect === null
          ? t("sight.none", { count: rounds, needed })
          : t("sight.seen", { rounds, effect: formatQuantity(effect, "ratio") })}
      </Text>
      {effect !== null && (
        <Text size="sm" c="dimmed">
          {floor ? (
            <>
              {followed(t("sight.floor", { deviation, count: floor.runs }))}
              <Moment at={floor.last_at} />
              {floor.cases < floor.of_cases &&
                ` · ${t("sight.floor_part", { cases: floor.cases, of: floor.of_cases })}`}
              {floor.outdated.length > 0 &&
                ` · ${t("sight.floor_outdated", { fields: listed(floor.outdated.map((field) => fieldText(field))) })}`}
            </>
          ) : (
            t("sight.assumed", { deviation })
          )}
        </Text>
      )}
    </div>
  );
}

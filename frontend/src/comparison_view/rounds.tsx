import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Advice, adviceOf, type Effect, textOf } from "~/api/rows";
import { formatQuantity } from "~/quantities/format";
import { roundsOf, spreadOf } from "./model/evidence";
import { useRenderRepeat } from "./repeat";

const WIDTH = 260;
const ROW = 16;
const EDGE = 8;

/** The rounds as pairs of dots, how far they vary, and what would make them tell more. */
export function Rounds({ effect, runId }: { effect: Effect; runId: string }) {
  const { t } = useTranslation("compare");
  const rounds = roundsOf(effect);
  const advice = adviceOf(effect);
  if (textOf(effect.ratio, "level") !== "block" || rounds.length === 0) return null;
  const spread = spreadOf(effect);
  return (
    <Group align="flex-start" gap="lg">
      <Pairs effect={effect} label={t("evidence.pairs")} />
      <Stack gap={4} style={{ flex: "1 1 16rem" }}>
        {spread && (
          <Text size="sm">
            {t("evidence.spread", {
              within: formatQuantity(spread.within, "ratio"),
              between: formatQuantity(spread.between, "ratio"),
            })}
          </Text>
        )}
        {advice && <Decided advice={advice} runId={runId} />}
      </Stack>
    </Group>
  );
}

/** What would decide it, and where runs can be queued, what queues that. */
function Decided({ advice, runId }: { advice: Advice; runId: string }) {
  const { t } = useTranslation("compare");
  const renderRepeat = useRenderRepeat();
  const code = advice.code === "rounds" && advice.same ? "rounds_same" : advice.code;
  return (
    <>
      <Text size="sm" fw={500}>
        {t(`evidence.${code as "rounds"}`, { rounds: advice.rounds })}
      </Text>
      {advice.code !== "none" && renderRepeat?.({ runId, changes: advice })}
    </>
  );
}

/** A line for each round, from the baseline's hollow dot to the contender's full one. */
function Pairs({ effect, label }: { effect: Effect; label: string }) {
  const rounds = roundsOf(effect);
  const values = rounds.flatMap(({ baseline, contender }) => [baseline, contender]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (value: number) => EDGE + ((value - low) / (high - low || 1)) * (WIDTH - 2 * EDGE);
  const color = "var(--mantine-primary-color-filled)";
  return (
    <svg width={WIDTH} height={rounds.length * ROW} role="img" aria-label={label}>
      {rounds.map(({ number, baseline, contender }, index) => {
        const y = (index + 0.5) * ROW;
        return (
          <g key={number} data-round={number}>
            <path d={`M${x(baseline)} ${y}H${x(contender)}`} stroke={color} strokeWidth={2} />
            <circle
              cx={x(baseline)}
              cy={y}
              r={4}
              fill="var(--mantine-color-body)"
              stroke={color}
              strokeWidth={2}
            />
            <circle cx={x(contender)} cy={y} r={4.5} fill={color} />
          </g>
        );
      })}
    </svg>
  );
}

import { Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Advice, adviceOf, type Effect, roundPairsOf, textOf } from "~/api/rows";
import { RoundsChart } from "~/charts/rounds_chart";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import { huedSides, SIDE } from "./model/charts";
import { roundsOf, spreadOf } from "./model/evidence";
import { unitOf } from "./model/metrics";
import type { Sides } from "./model/sides";
import { useRenderRepeat } from "./repeat";

/** Advice that no new run of the same follows. */
const NO_NEW_RUN = ["none", "groups"];

interface RoundsProps {
  effect: Effect;
  runId: string;
  sides: Sides;
  /** The contender's. */
  place: number;
}

/** The rounds drawn, how far they vary, and what would make them tell more. */
export function Rounds({ effect, runId, sides, place }: RoundsProps) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const rounds = roundsOf(effect);
  const drawn = useMemo(() => {
    const hue = huedSides(sides);
    return [
      { side: sides.baseline, values: effect.baseline.values, at: 0 },
      { side: sides.contenders[place], values: effect.contender.values, at: place + 1 },
    ].map(({ side, values, at }) => ({
      key: String(at),
      label: side?.short ?? "",
      hue: hue(SIDE, at, []),
      shade: 0,
      values,
    }));
  }, [effect, sides, place]);
  const pairs = useMemo(() => roundPairsOf(effect.ratio), [effect]);
  const advice = adviceOf(effect);
  if (textOf(effect.ratio, "level") !== "block" || rounds.length === 0) return null;
  const spread = spreadOf(effect);
  const y = {
    label: word("metric", effect.ratio.key.metric),
    unit: unitOf(effect),
    better: word("direction", effect.ratio.key.direction),
  };
  return (
    <Stack gap="xs">
      <RoundsChart y={y} sides={drawn} pairs={pairs} />
      <Stack gap={4}>
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
    </Stack>
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
      {!NO_NEW_RUN.includes(advice.code) && renderRepeat?.({ runId, changes: advice })}
    </>
  );
}

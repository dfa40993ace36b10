import { SegmentedControl, Stack } from "@mantine/core";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { bracketed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { scaleOf } from "~/quantities/format";
import { BarChart } from "./bar_chart";
import { CurveChart } from "./curve_chart";
import { byPair, byRound, cumulated, type RoundsSide } from "./rounds";
import type { Quantity } from "./types";

interface RoundsChartProps {
  /** What was measured. */
  y: Quantity;
  sides: readonly RoundsSide[];
  /** Of which case. */
  description?: string;
  /** The pair of nodes of each round, where pairs change by round. */
  pairs?: readonly string[];
}

const NO_PAIRS: readonly string[] = [];

/** The rounds that a verdict rests on: one after the other, by pair of nodes, or distributed. */
export function RoundsChart({ y, sides, description, pairs = NO_PAIRS }: RoundsChartProps) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const [asked, setAsked] = useState(pairs.length > 0 ? "pairs" : "rounds");
  // What was pressed is seen at once, and its chart when there is time for it.
  const shown = useDeferredValue(asked);
  const rounds = useMemo(() => byRound(sides), [sides]);
  const groups = useMemo(
    () => byPair(sides, pairs, (pair) => word("axis_value", pair)),
    [sides, pairs, word],
  );
  const values = sides.flatMap((side) => side.values.flat());
  const scale = scaleOf(Math.max(0, ...values.map(Math.abs)), y.unit as Unit);
  const shares = useMemo(() => cumulated(sides, scale.factor), [sides, scale.factor]);
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={t("rounds.shown_as")}
        className="on-screen"
        value={asked}
        onChange={setAsked}
        data={[
          ...(pairs.length > 0 ? [{ value: "pairs", label: t("rounds.by_pair") }] : []),
          { value: "rounds", label: t("rounds.each") },
          { value: "shares", label: t("rounds.distribution") },
        ]}
      />
      {shown === "pairs" && (
        <BarChart
          title={t("rounds.pairs_title", { metric: y.label })}
          description={[description, t("rounds.pairs_text")].filter(Boolean).join(" · ")}
          y={y}
          groups={groups}
          dots={t("rounds.single")}
        />
      )}
      {shown === "rounds" && (
        <CurveChart
          title={t("rounds.title", { metric: y.label })}
          description={description}
          x={{ label: t("rounds.round"), scale: "linear" }}
          y={{ ...y, scale: "linear" }}
          curves={rounds}
          lines="dotted"
        />
      )}
      {shown === "shares" && (
        <CurveChart
          title={t("rounds.distribution_title", { metric: y.label })}
          description={[description, t("rounds.distribution_text")].filter(Boolean).join(" · ")}
          x={{
            label: scale.symbol === "" ? y.label : bracketed(y.label, scale.symbol),
            scale: "linear",
          }}
          y={{ label: t("rounds.share"), unit: "ratio", scale: "linear" }}
          curves={shares}
          lines="steps"
        />
      )}
    </Stack>
  );
}

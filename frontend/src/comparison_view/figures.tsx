import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Effect, Figure, Schemas } from "~/api/types";
import { formatChange, formatNumber, formatQuantity } from "~/quantities/format";
import { changeOf } from "./model/charts";
import { unitOf } from "./model/metrics";
import { changeIntervalText, intervalText } from "./use_words";

const RATIO = "ratio";

/** A value above, what it rests on below. */
function Stacked({ value, below }: { value: ReactNode; below: ReactNode }) {
  return (
    <>
      <Text size="sm" fw={500} style={{ whiteSpace: "nowrap" }}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {below}
      </Text>
    </>
  );
}

/** What stands where nothing could be computed; never a zero. */
export function Nothing() {
  const { t } = useTranslation("compare");
  return (
    <Text size="sm" c="dimmed">
      {t("undefined")}
    </Text>
  );
}

/** One side's median with its interval and the number of trials. */
export function ArmFigure({ arm, effect }: { arm: Schemas["Arm"]; effect: Effect }) {
  const { t } = useTranslation("compare");
  if (arm.median === null) return <Nothing />;
  const unit = unitOf(effect);
  const interval = intervalText(arm.median, unit) ?? t("no_interval");
  return (
    <Stacked
      value={formatQuantity(arm.median.value, unit)}
      below={`${interval} · ${t("trials", { n: arm.n })}`}
    />
  );
}

/** The change as a share; as a difference in the metric's unit where a share has no meaning. */
export function ChangeFigure({ effect }: { effect: Effect }) {
  const { t } = useTranslation("compare");
  if (effect.ratio !== null) {
    const change = changeOf(effect.ratio);
    return (
      <Stacked
        value={formatChange(change.value)}
        below={changeIntervalText(change) ?? t("no_interval")}
      />
    );
  }
  if (effect.shift === null) return <Nothing />;
  return (
    <Stacked
      value={<Difference figure={effect.shift} effect={effect} />}
      below={differenceInterval(effect.shift, effect) ?? t("no_interval")}
    />
  );
}

/** A difference of shares is in percentage points, not in per cent of the baseline. */
function Difference({ figure, effect }: { figure: Figure; effect: Effect }) {
  const { t } = useTranslation("compare");
  const sign = figure.value > 0 ? "+" : "";
  if (effect.unit === RATIO) {
    return t("points", { value: `${sign}${formatNumber(figure.value * 100)}` });
  }
  return `${sign}${formatQuantity(figure.value, unitOf(effect))}`;
}

function differenceInterval(figure: Figure, effect: Effect): string | null {
  if (effect.unit !== RATIO) return intervalText(figure, unitOf(effect));
  if (figure.low == null || figure.high == null) return null;
  return `${formatNumber(figure.low * 100)} … ${formatNumber(figure.high * 100)}`;
}

/** A p value as it is read: three digits, "< 0.001" below that. */
export function PValue({ p }: { p: number | null }) {
  if (p === null) return <Nothing />;
  return (
    <Text size="sm" style={{ whiteSpace: "nowrap" }}>
      {pText(p)}
    </Text>
  );
}

export function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

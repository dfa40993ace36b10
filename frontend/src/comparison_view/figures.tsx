import { Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type Arm, type Effect, figureOf } from "~/api/rows";
import {
  differenceScale,
  formatP,
  writeChange,
  writeFigure,
  writeInterval,
} from "~/quantities/format";
import { changeOf } from "./model/charts";
import { unitOf } from "./model/metrics";

/** A value above, what it rests on below; its parts may stand below each other. */
function Stacked({ value, below }: { value: ReactNode; below: string[] }) {
  return (
    <>
      <Text size="sm" fw={500} style={{ whiteSpace: "nowrap" }}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {below.map((part, place) => (
          <Fragment key={part}>
            {place > 0 && " · "}
            <span style={{ whiteSpace: "nowrap" }}>{part}</span>
          </Fragment>
        ))}
      </Text>
    </>
  );
}

/** The placeholder if nothing could be computed; never a zero. */
function Nothing() {
  const { t } = useTranslation("compare");
  return (
    <Text size="sm" c="dimmed">
      {t("undefined")}
    </Text>
  );
}

/** One side's centre, from which the change is computed, with its interval and the number of trials. */
export function ArmFigure({ arm, effect }: { arm: Arm; effect: Effect }) {
  const { t } = useTranslation("compare");
  const { median } = arm;
  const centre = figureOf(arm.centre ?? median);
  if (centre === null) return <Nothing />;
  const written = writeFigure(centre, unitOf(effect));
  const interval = writeInterval(written) ?? t("no_interval");
  return <Stacked value={written.value} below={[interval, t("trials", { n: median.n })]} />;
}

/** The change as a share; as a difference in the metric's unit where a share has no meaning. */
export function ChangeFigure({ effect }: { effect: Effect }) {
  const { t } = useTranslation("compare");
  const [ratio, difference] = [figureOf(effect.ratio), figureOf(effect.difference)];
  if (ratio !== null) {
    const written = writeChange(changeOf(ratio));
    return <Stacked value={written.value} below={[writeInterval(written) ?? t("no_interval")]} />;
  }
  if (difference === null) return <Nothing />;
  const written = writeFigure(difference, unitOf(effect), {
    scale: differenceScale(unitOf(effect)),
    signed: true,
  });
  return <Stacked value={written.value} below={[writeInterval(written) ?? t("no_interval")]} />;
}

/** A p value as it is read: three digits, "< 0.001" below that. */
export function PValue({ p }: { p: number | null }) {
  if (p === null) return <Nothing />;
  return (
    <Text size="sm" style={{ whiteSpace: "nowrap" }}>
      {formatP(p)}
    </Text>
  );
}

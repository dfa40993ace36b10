import { SegmentedControl } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ScaleName } from "./types";

/** Linear or log, for one axis. */
export function ScaleSwitch({
  axis,
  scale,
  onScale,
}: {
  axis: "x" | "y";
  scale: ScaleName;
  onScale: (scale: ScaleName) => void;
}) {
  const { t } = useTranslation("charts");
  const name = t(axis === "x" ? "x_scale" : "y_scale");
  return (
    <SegmentedControl
      size="xs"
      aria-label={name}
      value={scale}
      onChange={(value) => onScale(value as ScaleName)}
      data={[
        { value: "linear", label: t(axis === "x" ? "x_linear" : "y_linear") },
        { value: "log", label: t(axis === "x" ? "x_log" : "y_log") },
      ]}
    />
  );
}

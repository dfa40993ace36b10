import { useComputedColorScheme } from "@mantine/core";
import { type CSSProperties, useMemo } from "react";
import { DARK, LIGHT, variables } from "./palette";

/** The palette of the theme, as the style of what charts stand in. */
export function useChartColors(): CSSProperties {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  return useMemo(() => variables(scheme === "dark" ? DARK : LIGHT) as CSSProperties, [scheme]);
}

import { useMemo } from "react";
import { type Pointed, usePointed } from "./pointed";
import { useAlone } from "./shown_as";

/** Which of a chart's series a reader looks at. */
export interface Focus {
  /** Series that are drawn alone; all of them if there is none. */
  only: readonly string[];
  /** The series whose legend entry is under the pointer or has the keyboard. */
  near: Pointed;
  /** Draws a series alone, or all again; `more` adds it to those that are drawn. */
  toggle: (key: string, more: boolean) => void;
}

/** Of the chart with this name, in whose page's address it is kept which series are alone. */
export function useFocus(name: string | undefined): Focus {
  const [only, setOnly] = useAlone(name);
  const near = usePointed();
  return useMemo(
    () => ({ only, near, toggle: (key, more) => setOnly(toggled(only, key, more)) }),
    [only, setOnly, near],
  );
}

function toggled(only: readonly string[], key: string, more: boolean): readonly string[] {
  if (only.includes(key)) return more ? only.filter((one) => one !== key) : [];
  return more ? [...only, key] : [key];
}

/** The series that are drawn: all of them too where those asked for are gone. */
export function drawnOf<Series extends { key: string }>(
  series: readonly Series[],
  only: readonly string[],
): readonly Series[] {
  const some = series.filter(({ key }) => only.includes(key));
  return some.length > 0 ? some : series;
}

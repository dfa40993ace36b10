import { useMemo, useState } from "react";

/** Which of a chart's series a reader looks at. */
export interface Focus {
  /** Series that are drawn alone; all of them if there is none. */
  only: readonly string[];
  /** The series whose legend entry is under the pointer or has the keyboard. */
  near: string | null;
  setNear: (key: string | null) => void;
  /** Draws a series alone, or all again; `more` adds it to those that are drawn. */
  toggle: (key: string, more: boolean) => void;
}

export function useFocus(): Focus {
  const [only, setOnly] = useState<readonly string[]>([]);
  const [near, setNear] = useState<string | null>(null);
  return useMemo(
    () => ({
      only,
      near,
      setNear,
      toggle: (key, more) => setOnly((before) => toggled(before, key, more)),
    }),
    [only, near],
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

/** How opaque a series is: the others step back while one is pointed at. */
export function opacityOf(key: string, near: string | null): number | undefined {
  return near === null || near === key ? undefined : 0.15;
}

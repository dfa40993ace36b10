import { useDebouncedCallback } from "@mantine/hooks";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { useLatest } from "~/ui/use_latest";
import type { ChartView, Range } from "./view";

export type ShownAs = "chart" | "table";

/** How a reader looks at one chart: the parts of the view that are kept by a chart's name. */
interface Look {
  shown: ShownAs;
  alone: readonly string[];
  range: Range | null;
}

/** Stays the same: a change of one chart does not draw the others again. */
interface ShownAsAddress {
  lookAt: (name: string) => Look;
  keep: (change: { name: string } & Partial<Look>) => void;
}

const Address = createContext<ShownAsAddress | null>(null);

interface ShownAsInAddressProps {
  view: ChartView;
  /** Gets what of the view changes. */
  change: (part: ChartView) => void;
  children: ReactNode;
}

/**
 * Around charts: which of them are shown as tables, which of their series are drawn alone and what
 * they are zoomed to are parts of the page's address.
 */
export function ShownAsInAddress({ view, change, children }: ShownAsInAddressProps) {
  const keep = useLatest<Parameters<ShownAsAddress["keep"]>[0], void>(
    ({ name, shown, alone, range }) => {
      const part: ChartView = {};
      if (shown !== undefined) {
        const others = (view.tables ?? []).filter((one) => one !== name);
        part.tables = filled(shown === "table" ? [...others, name] : others);
      }
      if (alone !== undefined) {
        part.alone = withEntry(view.alone, name, alone.length > 0 ? [...alone] : null);
      }
      if (range !== undefined) part.ranges = withEntry(view.ranges, name, range);
      change(part);
    },
  );
  const lookAt = useLatest<string, Look>((name) => ({
    shown: view.tables?.includes(name) ? "table" : "chart",
    alone: view.alone?.[name] ?? NONE,
    range: view.ranges?.[name] ?? null,
  }));
  const kept = useMemo(() => ({ lookAt, keep }), [lookAt, keep]);
  return <Address value={kept}>{children}</Address>;
}

const NONE: readonly string[] = [];
const UNTOUCHED: Look = { shown: "chart", alone: NONE, range: null };

const filled = (names: string[]) => (names.length > 0 ? names : undefined);

/** The entries with another one for a chart, or without it; undefined where none is left. */
function withEntry<Value>(
  entries: Record<string, Value> | undefined,
  name: string,
  value: Value | null,
): Record<string, Value> | undefined {
  const { [name]: _, ...others } = entries ?? {};
  const next = value === null ? others : { ...others, [name]: value };
  return Object.keys(next).length > 0 ? next : undefined;
}

/** One part of the look of the chart with this name; kept in the address where it has a name. */
function useLook<Part extends keyof Look>(
  name: string | undefined,
  part: Part,
): [Look[Part], (next: Look[Part]) => void] {
  const address = useContext(Address);
  const given = name === undefined ? undefined : address?.lookAt(name);
  const [look, setLook] = useState<Look[Part]>((given ?? UNTOUCHED)[part]);
  const set = useCallback(
    (next: Look[Part]) => {
      setLook(() => next);
      if (name !== undefined) address?.keep({ name, [part]: next });
    },
    [address, name, part],
  );
  return [look, set];
}

export function useShownAs(name: string | undefined) {
  return useLook(name, "shown");
}

/** The series that are drawn alone. */
export function useAlone(name: string | undefined) {
  return useLook(name, "alone");
}

/** Until a hand that zooms rests, the address stays as it is. */
const REST = 200;

/** What the chart is zoomed to. */
export function useRange(name: string | undefined): [Range | null, (next: Range | null) => void] {
  const address = useContext(Address);
  const given = name === undefined ? undefined : address?.lookAt(name);
  const [range, setRange] = useState((given ?? UNTOUCHED).range);
  const keepAtRest = useDebouncedCallback((next: Range | null) => {
    if (name !== undefined) address?.keep({ name, range: next });
  }, REST);
  const set = useCallback(
    (next: Range | null) => {
      setRange(next);
      keepAtRest(next);
    },
    [keepAtRest],
  );
  return [range, set];
}

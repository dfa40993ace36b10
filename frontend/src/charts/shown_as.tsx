import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useLatest } from "~/ui/use_latest";
import type { ChartView } from "./view";

export type ShownAs = "chart" | "table";

/** The same all the time: that one chart is a table concerns no other. */
interface Kept {
  isTable: (name: string) => boolean;
  keep: (change: { name: string; shown: ShownAs }) => void;
}

const Address = createContext<Kept | null>(null);

interface ShownAsInAddressProps {
  view: ChartView;
  /** Gets what of the view changes. */
  change: (part: ChartView) => void;
  children: ReactNode;
}

/** Around charts: which of them are shown as tables is a part of the page's address. */
export function ShownAsInAddress({ view, change, children }: ShownAsInAddressProps) {
  const { tables = NONE } = view;
  const keep = useLatest<Parameters<Kept["keep"]>[0], void>(({ name, shown }) => {
    const others = tables.filter((one) => one !== name);
    const next = shown === "table" ? [...others, name] : others;
    change({ tables: next.length > 0 ? next : undefined });
  });
  const isTable = useLatest<string, boolean>((name) => tables.includes(name));
  const kept = useMemo(() => ({ isTable, keep }), [isTable, keep]);
  return <Address value={kept}>{children}</Address>;
}

const NONE: readonly string[] = [];

/** Of the chart with this name; kept in the address only where there is one, and a name. */
export function useShownAs(name: string | undefined): [ShownAs, (shown: ShownAs) => void] {
  const address = useContext(Address);
  const given = name !== undefined && address?.isTable(name) ? "table" : "chart";
  const [shown, setShown] = useState<ShownAs>(given);
  return [
    shown,
    (next) => {
      setShown(next);
      if (name !== undefined) address?.keep({ name, shown: next });
    },
  ];
}

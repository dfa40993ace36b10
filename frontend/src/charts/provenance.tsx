import { createContext, type ReactNode, useContext } from "react";
import { useStableValue } from "~/ui/use_stable_value";

/**
 * What a picture of a chart says of itself wherever it is taken: what was compared, on which
 * cluster, when. Given by the page, which knows it.
 */
const Provenance = createContext<readonly string[]>([]);

export function ProvenanceOf({ lines, children }: { lines: string[]; children: ReactNode }) {
  // Pages write the lines each time they are drawn; charts are not drawn again for that.
  return <Provenance value={useStableValue(lines)}>{children}</Provenance>;
}

export function useProvenance(): readonly string[] {
  return useContext(Provenance);
}

/** The least and the most trials that a value of a chart rests on; null where nothing was. */
export function countsOf(marks: readonly { n: number }[]): [number, number] | null {
  const counts = marks.map(({ n }) => n).filter((n) => n > 0);
  return counts.length === 0 ? null : [Math.min(...counts), Math.max(...counts)];
}

import { parted } from "~/i18n/punctuation";
import type { Plan } from "~/queries/experiments";
import type { Axis } from "~/queries/kinds";

/** Why values of an axis cannot be had on the clusters that were chosen, by value. */
export type Impossible = (axis: Axis) => ReadonlyMap<string, string>;

/** From the plan; obstacles to a whole axis are shown with the clusters. */
export function useImpossible(plan: Plan | undefined): Impossible {
  return (axis) => {
    const found = new Map<string, string[]>();
    for (const one of [...(plan?.obstacles ?? []), ...(plan?.unavailable ?? [])]) {
      if (one.axis !== axis.name || one.value == null) continue;
      const said = found.get(String(one.value)) ?? [];
      found.set(String(one.value), [...said, one.cause.text]);
    }
    return new Map([...found].map(([value, said]) => [value, parted([...new Set(said)])]));
  };
}

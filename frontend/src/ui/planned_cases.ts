import type { Schemas } from "~/api/types";

type Planned = Pick<Schemas["PlanView"], "cases" | "blocks">;

/** The cases of the kind, apart from those that only set up the modes of some block. */
export function plannedCases({ cases, blocks }: Planned) {
  const modes = blocks[0]?.modes ?? {};
  const isSetUp = (axes: string[]) => axes.length > 0 && axes.every((axis) => axis in modes);
  const [own, setUps]: [Planned["cases"], Planned["cases"]] = [[], []];
  for (const one of cases) (isSetUp(Object.keys(one.point)) ? setUps : own).push(one);
  return { own, setUps };
}

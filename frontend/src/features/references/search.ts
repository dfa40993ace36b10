import { parseArticleChoices } from "~/queries/reproduced";

/** `/references/reproduced`: articles with the runs of their experiments, `id:run.run,id:run`. */
export interface ReproducedSearch {
  of?: string;
}

export function readReproducedSearch(search: Record<string, unknown>): ReproducedSearch {
  return typeof search.of === "string" && parseArticleChoices(search.of).length > 0
    ? { of: search.of }
    : {};
}

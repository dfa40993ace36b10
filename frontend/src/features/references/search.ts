/** `/references/reproduced`: articles with the runs of their experiments, `id:run.run,id:run`. */
export interface ReproducedSearch {
  of?: string;
}

/** An article and the runs that it is set beside. */
export interface Asked {
  reference: string;
  runs: string[];
}

const ONE = /^([a-z0-9][a-z0-9-]{0,63}):([0-9a-f-]{36}(?:\.[0-9a-f-]{36}){0,9})$/;

export function readReproducedSearch(search: Record<string, unknown>): ReproducedSearch {
  return typeof search.of === "string" && asked(search.of).length > 0 ? { of: search.of } : {};
}

/** What an address asks for; what cannot be read of it is left out. */
export function asked(of: string): Asked[] {
  return of.split(",").flatMap((one) => {
    const [, reference, runs] = ONE.exec(one) ?? [];
    return reference && runs ? [{ reference, runs: runs.split(".") }] : [];
  });
}

/** How an experiment is looked at: which editor is open, and for which cluster its plan is checked. */
export interface ExperimentSearch {
  /** The form unless said otherwise. */
  view?: "yaml" | "both";
  /** A registered cluster's id. */
  cluster?: string;
}

/** `/experiments/new`: what the new experiment starts from; the gallery of templates if nothing. */
export interface NewExperimentSearch extends ExperimentSearch {
  template?: string;
  /** An experiment's id: a copy of it. */
  from?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TEMPLATE = /^[a-z][a-z0-9_]{0,63}$/;

export function readExperimentSearch(search: Record<string, unknown>): ExperimentSearch {
  const view = (["yaml", "both"] as const).find((known) => known === search.view);
  const cluster = fitting(search.cluster, UUID);
  return { ...(view && { view }), ...(cluster && { cluster }) };
}

export function readNewExperimentSearch(search: Record<string, unknown>): NewExperimentSearch {
  const template = fitting(search.template, TEMPLATE);
  const from = fitting(search.from, UUID);
  return {
    ...readExperimentSearch(search),
    ...(template && { template }),
    ...(from && { from }),
  };
}

function fitting(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === "string" && pattern.test(value) ? value : undefined;
}

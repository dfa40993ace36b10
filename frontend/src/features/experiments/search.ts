import type { Schemas } from "~/api/types";
import { type ListSearch, readId, readKind, readListSearch } from "~/list_tools/list_search";
import { defined, matching, oneOf } from "~/ui/search_values";

/** `/experiments`: in addition to what every list has, of which kind they are. */
export interface ExperimentsSearch extends ListSearch {
  kind?: Schemas["KindName"];
}

export function readExperimentsSearch(search: Record<string, unknown>): ExperimentsSearch {
  return defined({ ...readListSearch(search), kind: readKind(search.kind) });
}

/** How a specification is edited, besides the form. */
export const VIEWS = ["guide", "yaml", "both"] as const;

/** How an experiment is checked: which editor is open, and for which cluster its plan is checked. */
export interface ExperimentSearch {
  /** The form unless said otherwise. */
  view?: (typeof VIEWS)[number];
  /** A registered cluster's id. */
  cluster?: string;
}

/** `/experiments/new`: what the new experiment starts from; the gallery of templates if nothing. */
export interface NewExperimentSearch extends ExperimentSearch {
  template?: string;
  /** A template with its article's own values; else it is the quick one. */
  values?: "published";
  /** An experiment's id: a copy of it. */
  from?: string;
}

const TEMPLATE = /^[a-z][a-z0-9_]{0,63}$/;

export function readExperimentSearch(search: Record<string, unknown>): ExperimentSearch {
  return defined({ view: oneOf(VIEWS, search.view), cluster: readId(search.cluster) });
}

export function readNewExperimentSearch(search: Record<string, unknown>): NewExperimentSearch {
  return defined({
    ...readExperimentSearch(search),
    template: matching(TEMPLATE, search.template),
    values: oneOf(["published"], search.values),
    from: readId(search.from),
  });
}

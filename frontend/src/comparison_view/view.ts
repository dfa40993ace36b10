import { type ChartView, readChartView } from "~/charts/view";
import { defined, matching, oneOf, positive, yes } from "~/ui/search_values";

export const VERDICTS = ["better", "worse", "same", "undecided"] as const;
/** What a row can be filtered by: a verdict, or `none` for what could not be compared. */
export const VERDICT_FILTERS = [...VERDICTS, "none"] as const;
const SORTS = ["change", "p", "verdict"] as const;

export type VerdictFilter = (typeof VERDICT_FILTERS)[number];
export type SortKey = (typeof SORTS)[number];

/** How a comparison is checked: that part of a page's address. */
export interface ComparisonViewState extends ChartView {
  /** Together with `metric`: what the charts show. */
  subject?: string;
  /** Of the table. `contender` counts from 1; `only` is a metric's key; `all` adds side metrics. */
  contender?: number;
  verdict?: VerdictFilter;
  only?: string;
  all?: true;
  sort?: SortKey;
  descending?: true;
  page?: number;
  /** The key of the row whose trials are shown. */
  row?: string;
}

const TEXT = /^[\w.:/ -]{1,200}$/;

/** Reads what is well formed; what names nothing in the comparison is ignored when it is shown. */
export function readComparisonView(search: Record<string, unknown>): ComparisonViewState {
  return defined({
    ...readChartView(search),
    subject: matching(TEXT, search.subject),
    contender: positive(search.contender),
    verdict: oneOf(VERDICT_FILTERS, search.verdict),
    only: matching(TEXT, search.only),
    all: yes(search.all),
    sort: oneOf(SORTS, search.sort),
    descending: yes(search.descending),
    page: positive(search.page),
    row: matching(TEXT, search.row),
  });
}

/** Changes a part of the view, `undefined` taking a key out; always the same function. */
export type ChangeView = (part: ComparisonViewState) => void;

import type { AuditQuery } from "~/queries/audit";
import { defined, matching, text, yes } from "~/ui/search_values";

/** `/audit`: what the log is narrowed to. Days are the user's own, both included. */
export interface AuditSearch {
  who?: string;
  operation?: string;
  kind?: string;
  object?: string;
  from?: string;
  to?: string;
  refused?: true;
}

const SHORT = /^.{1,320}$/s;
const WORD = /^[a-z_ -]{1,64}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return defined({
    who: matching(SHORT, text(search.who)),
    operation: matching(WORD, search.operation),
    kind: matching(WORD, search.kind),
    object: matching(SHORT, text(search.object)),
    from: day(search.from),
    to: day(search.to),
    refused: yes(search.refused),
  });
}

/**
 * What the API is asked: from the first moment of a day until the first after another. The address
 * may hold more than the log is narrowed to, the page's language for one.
 */
export function queryOf(search: AuditSearch): AuditQuery {
  const { who, operation, object, refused, kind, from, to } = search;
  return {
    who,
    operation,
    object,
    refused,
    object_kind: kind,
    since: from && midnight(from, 0),
    until: to && midnight(to, 1),
  };
}

function midnight(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

function day(value: unknown): string | undefined {
  const read = matching(DAY, value);
  return read !== undefined && !Number.isNaN(Date.parse(read)) ? read : undefined;
}

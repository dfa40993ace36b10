import { type ListSearch, readUnmarkedSearch } from "~/list_tools/list_search";
import { parseArticleChoices } from "~/queries/reproduced";
import { SUBJECTS, type Subject, type SubjectName } from "~/queries/snapshots";
import { defined, oneOf } from "~/ui/search_values";

const STATES = ["public", "ended"] as const;

/**
 * `/snapshots`: in addition to what every list has, what they are of and whether they show it still; and
 * what is being shared, if anything: `run:<id>`, or another subject's name and id,
 * `reproduction:` what `/references/reproduced` is of.
 */
export interface SnapshotsSearch extends ListSearch {
  of?: SubjectName;
  state?: (typeof STATES)[number];
  share?: string;
}

const SHARE = new RegExp(`^(${SUBJECTS.join("|")}):(.+)$`);
const ID = /^[0-9a-f-]{36}$/;

export function readSnapshotsSearch(search: Record<string, unknown>): SnapshotsSearch {
  const { share } = search;
  return defined({
    ...readUnmarkedSearch(search),
    of: oneOf(SUBJECTS, search.of),
    state: oneOf(STATES, search.state),
    share: typeof share === "string" && subjectOf(share) ? share : undefined,
  });
}

/** What `share` names; of articles its id is what the address of their page asks for. */
export function subjectOf(share: string | undefined): Subject | null {
  const [, kind, id = ""] = SHARE.exec(share ?? "") ?? [];
  const named = kind === "reproduction" ? parseArticleChoices(id).length > 0 : ID.test(id);
  return named ? { kind: kind as SubjectName, id } : null;
}

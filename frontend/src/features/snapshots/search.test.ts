import { expect, it } from "vitest";
import { readSnapshotsSearch, subjectOf } from "./search";

const ID = "5ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2";

it("reads what the list is narrowed to, and what is being shared", () => {
  const search = {
    q: "wiki",
    sort: "name",
    of: "cluster",
    state: "ended",
    chosen: [ID],
    share: `experiment:${ID}`,
  } as const;
  expect(readSnapshotsSearch(search)).toEqual(search);
  expect(subjectOf(search.share)).toEqual({ kind: "experiment", id: ID });
});

it("reads which articles are shared beside which runs", () => {
  const share = `reproduction:flannel-qperf:${ID}.${ID},other:${ID}`;
  expect(readSnapshotsSearch({ share })).toEqual({ share });
  expect(subjectOf(share)).toEqual({ kind: "reproduction", id: share.slice(13) });
  expect(readSnapshotsSearch({ share: "reproduction:flannel-qperf" })).toEqual({});
  expect(subjectOf(`run:flannel-qperf:${ID}`)).toBeNull();
});

it("reads nothing of what names nothing", () => {
  const share = `organization:${ID}`;
  const read = readSnapshotsSearch({
    of: "token",
    state: "live",
    share,
    tag: "a",
    favourite: true,
  });
  expect(read).toEqual({});
  expect(subjectOf(share)).toBeNull();
  expect(subjectOf(undefined)).toBeNull();
});

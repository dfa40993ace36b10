import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, ifMatch, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { clusterKeys } from "./clusters";
import { experimentKeys } from "./experiments";
import { runKeys } from "./runs";

export type Marks = Schemas["Marks"];
/** What is found. */
export type FoundName = Schemas["FoundThing"]["thing"];
/** What is tagged, too. */
export type Thing = "run" | "experiment" | "cluster";

/** Every tag of the organization's. */
export const tagsOptions = queryOptions({
  queryKey: ["tags"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v1/tags", { signal }))).items,
});

/** What has all of these words; nothing without any. */
export const searchOptions = (words: string) =>
  queryOptions({
    queryKey: ["search", words],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/search", { params: { query: { q: words, limit: 6 } }, signal })),
    enabled: words !== "",
  });

/** Everything that shows what is said of things of a sort is read again; of one its page too. */
export async function invalidateThings(
  client: QueryClient,
  thing: Thing,
  id?: string,
): Promise<void> {
  const one = id === undefined ? [] : [ONE[thing](id)];
  const every = [LISTS[thing], ...one, tagsOptions.queryKey, ["search"]];
  await Promise.all(every.map((queryKey) => client.invalidateQueries({ queryKey })));
}

const LISTS: Record<Thing, QueryKey> = {
  run: runKeys.lists(),
  experiment: experimentKeys.lists(),
  cluster: clusterKeys.list(),
};
const ONE: Record<Thing, (id: string) => QueryKey> = {
  run: (id) => runKeys.part(id, "detail"),
  experiment: experimentKeys.one,
  cluster: clusterKeys.one,
};

/** Changes tags or notes, unless they have another version now (412). */
async function write(
  thing: Thing,
  id: string,
  version: number,
  body: Schemas["MarksPatch"],
): Promise<Marks> {
  const header = ifMatch(version);
  switch (thing) {
    case "run":
      return await unwrap(
        api.PATCH("/api/v1/runs/{run_id}/marks", {
          params: { path: { run_id: id }, header },
          body,
        }),
      );
    case "experiment":
      return await unwrap(
        api.PATCH("/api/v1/experiments/{experiment_id}/marks", {
          params: { path: { experiment_id: id }, header },
          body,
        }),
      );
    case "cluster":
      return await unwrap(
        api.PATCH("/api/v1/clusters/{cluster_id}/marks", {
          params: { path: { cluster_id: id }, header },
          body,
        }),
      );
  }
}

async function read(thing: Thing, id: string): Promise<Marks> {
  switch (thing) {
    case "run":
      return await unwrap(
        api.GET("/api/v1/runs/{run_id}/marks", { params: { path: { run_id: id } } }),
      );
    case "experiment":
      return await unwrap(
        api.GET("/api/v1/experiments/{experiment_id}/marks", {
          params: { path: { experiment_id: id } },
        }),
      );
    case "cluster":
      return await unwrap(
        api.GET("/api/v1/clusters/{cluster_id}/marks", { params: { path: { cluster_id: id } } }),
      );
  }
}

async function star(thing: Thing, id: string, favourite: boolean): Promise<void> {
  const body = { favourite };
  switch (thing) {
    case "run":
      await unwrap(
        api.PUT("/api/v1/runs/{run_id}/favourite", { params: { path: { run_id: id } }, body }),
      );
      break;
    case "experiment":
      await unwrap(
        api.PUT("/api/v1/experiments/{experiment_id}/favourite", {
          params: { path: { experiment_id: id } },
          body,
        }),
      );
      break;
    case "cluster":
      await unwrap(
        api.PUT("/api/v1/clusters/{cluster_id}/favourite", {
          params: { path: { cluster_id: id } },
          body,
        }),
      );
  }
}

/** Says something else of a thing than `marks`, unless somebody was first. */
export function useChangeMarks(thing: Thing, id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ marks, ...body }: { marks: Marks } & Schemas["MarksPatch"]) =>
      write(thing, id, marks.version, body),
    // Refused, too: what is shown is not what is there.
    onSettled: () => invalidateThings(client, thing, id),
  });
}

/** Makes things favourites of the user's, or no more. */
export function useFavourite(thing: Thing) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, favourite }: { id: string; favourite: boolean }) =>
      star(thing, id, favourite),
    onSettled: (_, __, { id }) => invalidateThings(client, thing, id),
  });
}

/** Tags a thing besides, and takes tags from it, as it is now. */
export async function retag(
  thing: Thing,
  id: string,
  more: readonly string[],
  fewer: readonly string[],
): Promise<void> {
  const now = await read(thing, id);
  const tags = [...new Set([...now.tags, ...more])].filter((tag) => !fewer.includes(tag));
  await write(thing, id, now.version, { tags });
}

import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { runKeys } from "./runs";

export type Preview = Schemas["ImportPreview"];
export type PastedLines = Schemas["PastedLines"];
export type RecognisedOutput = Schemas["RecognisedOutput"];
export type ImportAxis = Schemas["ImportAxis"];
export type Environment = Schemas["GivenEnvironment"];
type NewImport = Schemas["NewImport"];

/** As many characters as the API takes. */
export const LONGEST_TEXT = 1_000_000;

/** What is recognised in a paste; nothing is kept. Another text cancels the request for this one. */
export const previewOptions = (text: string, enabled: boolean) =>
  queryOptions({
    queryKey: ["imports", "preview", text],
    queryFn: ({ signal }) =>
      unwrap(api.POST("/api/v1/imports/preview", { body: { text }, signal })),
    enabled,
    retry: false,
    // A text is read once, and is too long to be kept for later.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });

/** Keeps a paste as a run. */
export function useKeepImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewImport) => unwrap(api.POST("/api/v1/imports", { body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";
import { runKeys } from "./runs";

export type Preview = Schemas["ImportPreview"];
export type RecognisedOutput = Schemas["RecognisedOutput"];
export type ImportAxis = Schemas["ImportAxis"];
export type Environment = Schemas["GivenEnvironment"];
type NewImport = Schemas["NewImport"];
type Pasted = Schemas["PastedOutputs"];

/** What is recognised in a paste; nothing is kept. */
export function useRecognise() {
  return useMutation({
    mutationFn: (body: Pasted) => unwrap(api.POST("/api/v1/imports/preview", { body })),
  });
}

/** Keeps a paste as a run. */
export function useKeepImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewImport) => unwrap(api.POST("/api/v1/imports", { body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: runKeys.lists() }),
  });
}

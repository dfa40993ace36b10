import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Template = Schemas["TemplateView"];

/** Specifications to start from; they change with the server alone. */
export const templatesOptions = queryOptions({
  queryKey: ["templates"] as const,
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET("/api/v1/templates", { params: { query: {} }, signal }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

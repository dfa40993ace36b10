import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "~/api/client";
import type { Schemas } from "~/api/types";

export type Kind = Schemas["KindView"];
export type Axis = Schemas["AxisDefinition"];

/** The kinds that this version runs, with their axes and metrics; they change with the server alone. */
export const kindsOptions = queryOptions({
  queryKey: ["kinds"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v1/kinds", { signal }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

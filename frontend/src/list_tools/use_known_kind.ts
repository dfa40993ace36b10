import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/types";
import { kindsOptions } from "~/queries/kinds";

/** The kinds that a list can be narrowed to, of the server and `others`, and the chosen kind. */
export function useKnownKind(asked: string | undefined, ...others: Schemas["KindName"][]) {
  const kinds = useQuery(kindsOptions);
  const names = [...(kinds.data ?? []).map(({ name }) => name), ...others];
  return {
    kinds,
    names,
    /** A kind that the server does not know narrows nothing. */
    kind: names.find((name) => name === asked),
    /** Whether `kind` is what it stays. */
    settled: asked === undefined || !kinds.isPending,
  };
}

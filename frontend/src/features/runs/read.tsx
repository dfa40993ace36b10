import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemError } from "~/api/problem";
import { Loaded } from "~/ui/loaded";

/**
 * As `Loaded`, but an unreachable server takes nothing away of what was read before: of that the
 * page itself tells once.
 */
export function Read<Data>(props: {
  query: UseQueryResult<Data, Error>;
  lines?: number;
  children: (data: Data) => ReactNode;
}) {
  const { data, error } = props.query;
  if (data !== undefined && !(error instanceof ProblemError)) return props.children(data);
  return <Loaded {...props} />;
}

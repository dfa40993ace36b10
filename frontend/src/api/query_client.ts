import { QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problem";

/** An answer of the API is final; only an unreachable server is asked again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => !(error instanceof ProblemError) && failures < 3,
      },
      mutations: { retry: false },
    },
  });
}

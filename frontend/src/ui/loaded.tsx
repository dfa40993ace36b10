import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { ProblemAlert } from "./problem_alert";

/** As much of a query, of whichever sort, as is needed to show what it brought. */
interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

/**
 * What a query brought: a skeleton until then, the problem if there is one. Nothing is blank, and
 * what was read before stays while the server is away: of that the application's frame tells once.
 */
export function Loaded<Data>({
  query,
  lines = 4,
  children,
}: {
  query: Query<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
}) {
  const { t } = useTranslation();
  if (query.data !== undefined) {
    return (
      <>
        {query.error instanceof ProblemError && (
          <ProblemAlert error={query.error} retry={() => void query.refetch()} />
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack gap="xs" role="status" aria-label={t("loading")}>
      {Array.from({ length: lines }, (_, index) => `line-${index}`).map((key) => (
        <Skeleton key={key} height={24} />
      ))}
    </Stack>
  );
}

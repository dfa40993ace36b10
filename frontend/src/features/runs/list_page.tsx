import { Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { kindsOptions } from "~/queries/kinds";
import { type Run, runsOptions } from "~/queries/runs";
import { ButtonLink } from "~/ui/link";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { ChosenBar } from "./chosen_bar";
import { NoRuns } from "./no_runs";
import { RunFilters } from "./run_filters";
import { RunsSkeleton, RunTable } from "./run_table";
import type { Filters, RunsSearch } from "./search";

/** `/runs`: every run, newest first; two of them lead to a comparison. */
export function RunsPage() {
  const { t } = useTranslation(["runs", "common"]);
  const search = useSearch({ from: "/inside/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const kinds = useQuery(kindsOptions);
  const { chosen = [], ...asked } = search;
  // A kind that the server does not know narrows nothing.
  const kind = kinds.data?.find(({ name }) => name === asked.kind)?.name;
  const filters: Filters = { ...asked, kind };
  const query = useInfiniteQuery({
    ...runsOptions({ state: asked.state && [asked.state], kind, cluster_id: asked.cluster }),
    enabled: asked.kind === undefined || !kinds.isPending,
  });
  const runs = query.data?.pages.flatMap((page) => page.items);

  const change = (next: Partial<RunsSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const choose = (id: string, wanted: boolean) => {
    const next = wanted ? [...chosen, id] : chosen.filter((one) => one !== id);
    change({ chosen: next.length > 0 ? next : undefined });
  };

  return (
    <Page
      title={t("common:runs")}
      subtitle={<Text c="dimmed">{t("list_text")}</Text>}
      ready={!query.isPending}
      actions={
        <ButtonLink to="/experiments" variant="default">
          {t("to_experiments")}
        </ButtonLink>
      }
    >
      <RunFilters filters={filters} kinds={kinds.data ?? []} onChange={change} />
      {query.error && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <RunsSkeleton />}
      {runs && runs.length === 0 && <NoRuns filters={filters} />}
      {runs && runs.length > 0 && (
        <Stack gap="sm">
          <RunTable runs={runs} chosen={chosen} onChoose={choose} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed" aria-live="polite">
              {t(query.hasNextPage ? "shown_more" : "shown_all", { count: runs.length })}
            </Text>
            {query.hasNextPage && (
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t("load_more")}
              </Button>
            )}
          </Group>
        </Stack>
      )}
      <ChosenBar
        chosen={chosen}
        names={namesOf(runs)}
        onClear={() => change({ chosen: undefined })}
      />
    </Page>
  );
}

function namesOf(runs: readonly Run[] | undefined): ReadonlyMap<string, string> {
  return new Map(runs?.map((run) => [run.id, run.name]));
}

import { Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { ListFoot } from "~/list_tools/list_foot";
import { isNarrowed, listQuery } from "~/list_tools/list_search";
import { kindsOptions } from "~/queries/kinds";
import { type Run, runsOptions } from "~/queries/runs";
import { ButtonLink } from "~/ui/link";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useSearchState } from "~/ui/use_search_state";
import { ChosenBar } from "./chosen_bar";
import { NoRuns } from "./no_runs";
import { RunFilters } from "./run_filters";
import { RunsSkeleton, RunTable } from "./run_table";

/** `/runs`: every run; what can be done with several, and two of them lead to a comparison. */
export function RunsPage() {
  const { t } = useTranslation(["runs", "common"]);
  const [search, change] = useSearchState("/inside/runs");
  const kinds = useQuery(kindsOptions);
  const { chosen = [] } = search;
  // A kind that the server does not know narrows nothing.
  const kind =
    search.kind === IMPORT ? IMPORT : kinds.data?.find(({ name }) => name === search.kind)?.name;
  const query = useInfiniteQuery({
    ...runsOptions({
      ...listQuery(search),
      state: search.state && [search.state],
      outcome: search.outcome && [search.outcome],
      kind,
      cluster_id: search.cluster,
      label: search.label === undefined ? undefined : [search.label],
    }),
    enabled: search.kind === undefined || !kinds.isPending,
  });
  const runs = query.data?.pages.flatMap((page) => page.items);

  const choose = (ids: readonly string[]) =>
    change({ chosen: ids.length > 0 ? [...ids] : undefined });

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
      <RunFilters search={{ ...search, kind }} kinds={kinds.data ?? []} onChange={change} />
      {query.error && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <RunsSkeleton />}
      {runs && runs.length === 0 && <NoRuns narrowed={isNarrowed({ ...search, kind })} />}
      {runs && runs.length > 0 && (
        <Stack gap="sm">
          <RunTable runs={runs} chosen={chosen} onChoose={choose} search={search} onSort={change} />
          <ListFoot query={query} pages={search.pages} onPages={(pages) => change({ pages })} />
        </Stack>
      )}
      <ChosenBar chosen={chosen} names={namesOf(runs)} onChoose={choose} />
    </Page>
  );
}

function namesOf(runs: readonly Run[] | undefined): ReadonlyMap<string, string> {
  return new Map(runs?.map((run) => [run.id, run.name]));
}

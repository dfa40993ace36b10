import { Anchor, Button, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useCompare } from "~/queries/comparisons";
import { runsOptions } from "~/queries/runs";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { useSearchState } from "~/ui/use_search_state";
import { bodyOf } from "./choice";
import { ChoiceForm } from "./choice_form";
import type { CompareSearch } from "./search";
import { Suggestions } from "./suggestions";
import { useChosenRuns } from "./use_chosen_runs";
import { useSuggestions } from "./use_suggestions";

/** `/compare`: choose what to compare with what. */
export function NewComparisonPage() {
  const { t } = useTranslation("comparisons");
  const [search, , replace] = useSearchState("/inside/compare");
  const navigate = useNavigate();
  const compare = useCompare();
  const runs = useInfiniteQuery(runsOptions({ state: ["finished"], limit: 200 }));
  const listed = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const chosen = useChosenRuns(search);
  const suggestions = useSuggestions(listed);

  const choose = (next: CompareSearch) => {
    compare.reset();
    replace(next);
  };
  const submit = (choice: CompareSearch) => {
    const body = bodyOf(choice);
    if (body === null) return;
    compare.mutate(body, {
      onSuccess: ({ id }) =>
        void navigate({ to: "/compare/$comparisonId", params: { comparisonId: id } }),
    });
  };
  const empty =
    runs.isSuccess &&
    listed.length === 0 &&
    search.baseline === undefined &&
    search.reference === undefined;
  return (
    <Page
      title={t("new_title")}
      actions={
        <ButtonLink to="/comparisons" variant="default">
          {t("list_title")}
        </ButtonLink>
      }
      ready={runs.isError || empty || (runs.isSuccess && chosen.settled && suggestions.settled)}
    >
      {empty ? (
        <EmptyState
          title={t("empty_title")}
          action={
            <Anchor component={Link} to="/experiments">
              {t("to_experiments")}
            </Anchor>
          }
        >
          {t("empty_text")}
        </EmptyState>
      ) : (
        <Loaded query={runs} lines={8}>
          {() => (
            <Stack gap="lg">
              <Suggestions
                suggestions={suggestions.found}
                busy={compare.isPending}
                onTake={(choice) => {
                  choose(choice);
                  submit(choice);
                }}
              />
              <ChoiceForm
                search={search}
                runs={listed}
                chosen={chosen.runs}
                error={compare.error}
                busy={compare.isPending}
                onChange={choose}
                onSubmit={() => submit(search)}
              />
              {runs.hasNextPage && (
                <Button
                  variant="default"
                  onClick={() => void runs.fetchNextPage()}
                  loading={runs.isFetchingNextPage}
                >
                  {t("older_runs")}
                </Button>
              )}
            </Stack>
          )}
        </Loaded>
      )}
    </Page>
  );
}

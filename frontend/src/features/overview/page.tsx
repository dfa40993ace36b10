import { Skeleton, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { clustersOptions } from "~/queries/clusters";
import { latestComparisonsOptions } from "~/queries/comparisons";
import { anyExperimentOptions } from "~/queries/experiments";
import { latestChangesOptions, overviewOptions } from "~/queries/overview";
import { currentRunsOptions } from "~/queries/runs";
import { concernsOf } from "~/ui/cluster_alerts";
import { PartBoundary } from "~/ui/failed_part";
import { lazyPart } from "~/ui/lazy_part";
import { AnchorLink, ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Section } from "~/ui/section";
import { Attention } from "./attention";
import { Changes, tells } from "./changes";
import { Costs } from "./costs";
import { ExpiringTokens } from "./expiring_tokens";
import { FinishedRuns } from "./finished_runs";
import { FirstSteps } from "./first_steps";
import { GoingOn } from "./going_on";
import { SavedComparisons } from "./saved_comparisons";

/** Shown until the first run has finished, so it is loaded only then. */
const ExampleResult = lazyPart(() => import("./example_result"), "ExampleResult");

/** The overview: running runs, latest results, clusters that need attention. */
export function OverviewPage() {
  const { t } = useTranslation(["overview", "common"]);
  const me = useMe();
  const runs = useQuery(currentRunsOptions);
  const clusters = useQuery(clustersOptions);
  const anyExperiment = useQuery(anyExperimentOptions);
  const costs = useQuery(overviewOptions);
  const compared = useQuery(latestComparisonsOptions);
  const changes = useQuery(latestChangesOptions);
  const told = (changes.data ?? []).filter(tells);
  const asked = [runs, clusters, anyExperiment, costs, compared, changes];
  const failed = asked.find((query) => query.error !== null);
  const done = {
    cluster: clusters.data && clusters.data.length > 0,
    experiment: anyExperiment.data,
    run: runs.data && runs.data.finished.length > 0,
  };
  const concerned = clusters.data?.filter((one) => concernsOf(one, Date.now()).length > 0) ?? [];
  const ready = asked.every((query) => !query.isPending);
  return (
    <Page
      title={t("common:overview")}
      ready={ready}
      actions={
        me.may("operator") && (
          <ButtonLink
            to="/experiments/new"
            // The one next step of who has no cluster is another.
            variant={done.cluster === false ? "default" : "filled"}
            leftSection={<IconPlus size={16} />}
          >
            {t("new_experiment")}
          </ButtonLink>
        )
      }
    >
      {failed?.error && (
        <ProblemAlert
          error={failed.error}
          retry={() => void Promise.all(asked.map((one) => one.refetch()))}
        />
      )}
      {done.run === false && <Text size="lg">{t("purpose")}</Text>}
      {Object.values(done).includes(false) && (
        <Section title={t("first_steps")}>
          <FirstSteps done={done} />
        </Section>
      )}
      {done.run === false && (
        <section aria-label={t("example_title")}>
          <PartBoundary>
            <Suspense fallback={<Skeleton height={420} />}>
              <ExampleResult />
            </Suspense>
          </PartBoundary>
        </section>
      )}
      {!ready && <Loaded query={runs}>{() => null}</Loaded>}
      {ready && runs.data && (
        <>
          {runs.data.goingOn.length > 0 && (
            <Section title={t("going_on")}>
              <GoingOn runs={runs.data.goingOn} />
            </Section>
          )}
          {done.run && costs.data && (
            <Section title={t("costs")} text={t("costs_text")}>
              <Costs clusters={costs.data} />
            </Section>
          )}
          <ExpiringTokens />
          {concerned.length > 0 && (
            <Section title={t("attention")}>
              <Attention clusters={concerned} />
            </Section>
          )}
          {told.length > 0 && (
            <Section title={t("changes")}>
              <Changes clusters={told} />
            </Section>
          )}
          {compared.data && compared.data.length > 0 && (
            <Section title={t("comparisons")}>
              <SavedComparisons comparisons={compared.data} />
            </Section>
          )}
          {done.run && (
            <Section title={t("finished")} more={<AllRuns />}>
              <FinishedRuns runs={runs.data.finished} />
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

function AllRuns() {
  const { t } = useTranslation("overview");
  return (
    <AnchorLink to="/runs" size="sm">
      {t("all_runs")}
    </AnchorLink>
  );
}

import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChartColors } from "~/charts/use_chart_colors";
import { followed, unbroken } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { ClusterCosts, FoundRun } from "~/queries/overview";
import { Age } from "~/ui/age";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { LossBars } from "./loss_bars";
import { NoiseAtAGlance } from "./noise_at_a_glance";
import { SmallCurves } from "./small_curves";

/** Clusters that are shown before one asks for the others. */
const FIRST = 8;
/** Sentences of a run; its own page says all of them. */
const MOST_SENTENCES = 3;

/** For each cluster what its network costs, as its latest run of each kind found it. */
export function Costs({ clusters }: { clusters: ClusterCosts[] }) {
  const { t } = useTranslation("overview");
  const [all, setAll] = useState(false);
  const colors = useChartColors();
  const latest = clusters.toSorted((one, other) => latestOf(other).localeCompare(latestOf(one)));
  return (
    <Stack gap="sm" align="flex-start" style={colors}>
      <Stack component="ul" gap="sm" p={0} m={0} w="100%" style={PLAIN}>
        {latest.slice(0, all ? latest.length : FIRST).map((cluster) => (
          <OneCluster key={cluster.cluster_id} cluster={cluster} />
        ))}
      </Stack>
      {!all && latest.length > FIRST && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          {t("all_clusters", { count: latest.length })}
        </Button>
      )}
    </Stack>
  );
}

const PLAIN = { listStyle: "none" } as const;

/** Those that were measured last come first, those that never were last. */
function latestOf({ runs }: ClusterCosts): string {
  return runs.map(({ finished_at }) => finished_at ?? "").reduce((a, b) => (a > b ? a : b), "");
}

function OneCluster({ cluster }: { cluster: ClusterCosts }) {
  return (
    <Paper component="li" withBorder p="md">
      <Title order={3} size="h5">
        <AnchorLink to="/clusters/$clusterId" params={{ clusterId: cluster.cluster_id }} inherit>
          {cluster.name}
        </AnchorLink>
      </Title>
      <Stack gap="lg" mt="xs">
        {cluster.runs.map((run) => (
          <Found key={run.run_id} run={run} />
        ))}
        {cluster.runs.length === 0 ? (
          <NothingYet cluster={cluster.cluster_id} />
        ) : (
          <NoiseAtAGlance cluster={cluster.cluster_id} />
        )}
      </Stack>
    </Paper>
  );
}

function Found({ run }: { run: FoundRun }) {
  const word = useWords();
  const { headline, losses, curves } = run;
  const [first, ...rest] = headline.sentences
    .slice(0, MOST_SENTENCES)
    .map(({ text }) => unbroken(text));
  return (
    <div data-found={run.kind}>
      <Group gap="xs" mb={4}>
        <AnchorLink
          to="/runs/$runId"
          params={{ runId: run.run_id }}
          search={{ tab: "results" }}
          size="sm"
        >
          {word("kind", run.kind)}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {run.name}
          {run.finished_at && (
            <>
              {" · "}
              <Moment at={run.finished_at} />
              {" · "}
              <Age at={run.finished_at} />
            </>
          )}
        </Text>
      </Group>
      <Text fw={600}>{first}</Text>
      {rest.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
      {headline.caveats?.map((one) => (
        <Text key={one.code} size="sm" mt={4} style={CAVEAT}>
          {one.text}
        </Text>
      ))}
      {losses.length + curves.length > 0 && (
        <Group gap="xl" align="flex-start" mt="sm">
          {losses.length > 0 && <LossBars losses={losses} />}
          {curves.map((chart) => (
            <SmallCurves key={chart.rows[0]?.key.metric} chart={chart} />
          ))}
        </Group>
      )}
    </div>
  );
}

const CAVEAT = {
  borderLeft: "4px solid var(--mantine-color-orange-filled)",
  paddingLeft: 10,
} as const;

/** The one next step of a cluster on which nothing was measured. */
function NothingYet({ cluster }: { cluster: string }) {
  const { t } = useTranslation("overview");
  return (
    <Text size="sm">
      {followed(t("nothing_measured"))}
      <AnchorLink to="/experiments/new" search={{ cluster }} inherit underline="always">
        {t("step_experiment_go")}
      </AnchorLink>
    </Text>
  );
}

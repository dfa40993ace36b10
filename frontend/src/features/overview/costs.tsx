import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useFindingText } from "~/charts/report/finding_text";
import { useWords } from "~/i18n/words";
import type { ClusterCosts, FoundRun } from "~/queries/overview";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { LossBar } from "./loss_bar";

type Finding = Schemas["Finding"];

/** For each cluster what its network costs, as its latest run of each kind found it. */
export function Costs({ clusters }: { clusters: ClusterCosts[] }) {
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
      {clusters.map((cluster) => (
        <Paper component="li" key={cluster.cluster_id} withBorder p="md">
          <Title order={3} size="h5" mb="xs">
            <AnchorLink
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.cluster_id }}
              inherit
            >
              {cluster.name}
            </AnchorLink>
          </Title>
          <Stack gap="md">
            {cluster.runs.map((run) => (
              <Found key={run.run_id} run={run} />
            ))}
            {cluster.runs.length === 0 && <NothingYet cluster={cluster.cluster_id} />}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}

function Found({ run }: { run: FoundRun }) {
  const { t } = useTranslation("overview");
  const word = useWords();
  return (
    <div>
      <Group gap="xs" mb={4}>
        <AnchorLink
          to="/runs/$runId"
          params={{ runId: run.run_id }}
          search={{ tab: "results" }}
          size="sm"
          fw={600}
        >
          {word("kind", run.kind)}
        </AnchorLink>
        {run.finished_at && (
          <Text size="xs" c="dimmed">
            {run.name} · <Moment at={run.finished_at} />
          </Text>
        )}
      </Group>
      {run.findings.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("found_nothing")}
        </Text>
      ) : (
        <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
          {run.findings.map((finding) => (
            <OneFinding key={finding.text} finding={finding} />
          ))}
        </Stack>
      )}
    </div>
  );
}

function OneFinding({ finding }: { finding: Finding }) {
  const say = useFindingText();
  const { evidence } = finding;
  return (
    <li>
      <Text size="sm">{say(finding)}</Text>
      {evidence.kind === "loss" && evidence.loss && <LossBar loss={evidence.loss} />}
    </li>
  );
}

/** The one next step of a cluster on which nothing was measured. */
function NothingYet({ cluster }: { cluster: string }) {
  const { t } = useTranslation("overview");
  return (
    <Text size="sm">
      {t("nothing_measured")}{" "}
      <AnchorLink to="/experiments/new" search={{ cluster }} inherit underline="always">
        {t("step_experiment_go")}
      </AnchorLink>
    </Text>
  );
}

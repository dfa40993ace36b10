import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { type Json, plain, record } from "~/api/untyped";
import { useWords } from "~/i18n/words";
import { casesOptions, type RunDetail } from "~/queries/runs";
import { EmptyState } from "~/ui/empty_state";
import { Facts } from "~/ui/facts";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { RunWarnings } from "./cases_tab";
import { ClusterEnvironment } from "./cluster_environment";
import { frozenClusters } from "./environment";
import { placements } from "./placements";

/** What the run ran with: clusters as the preflight froze them, what blocks saw, where cases sat. */
export function EnvironmentTab({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const environment = run.environment as Json | null;
  if (run.kind === IMPORT) return <GivenEnvironment run={run} />;
  if (environment === null) {
    const ended = run.state === "finished";
    return (
      <EmptyState title={t(ended ? "no_environment" : "no_environment_yet")}>
        {t(ended ? "no_environment_text" : "no_environment_yet_text")}
      </EmptyState>
    );
  }
  const worker = record(environment.worker);
  return (
    <Stack gap="xl">
      <RunWarnings warnings={run.warnings} />
      {frozenClusters(environment).map((cluster) => (
        <ClusterEnvironment
          key={cluster.name}
          run={run}
          cluster={cluster}
          clusterId={run.clusters.find((one) => one.name === cluster.name)?.cluster_id ?? null}
        />
      ))}
      <Placements runId={run.id} />
      <Stack gap="xs" component="section">
        <Title order={2} size="h4">
          {t("measured_by")}
        </Title>
        <Facts
          facts={Object.entries(worker).map(([name, version]) => ({
            term: name,
            value: plain(version),
          }))}
        />
      </Stack>
    </Stack>
  );
}

/** What its user said of where it was measured, and that nobody saw it. */
function GivenEnvironment({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const given = Object.entries(run.spec.parameters).filter(([, said]) => said !== "");
  return (
    <Stack gap="xl">
      <RunWarnings warnings={run.warnings} />
      {given.length === 0 ? (
        <Text c="dimmed">{t("nothing_given")}</Text>
      ) : (
        <Facts
          facts={given.map(([name, said]) => ({
            term: word("parameter", name),
            value: plain(said),
          }))}
        />
      )}
    </Stack>
  );
}

/** Which nodes the two ends of the traffic sat on. */
function Placements({ runId }: { runId: string }) {
  const { t } = useTranslation("runs");
  const cases = useQuery(casesOptions(runId));
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {t("placement")}
      </Title>
      <Loaded query={cases} lines={3}>
        {(found) => {
          const places = placements(found);
          if (places.length === 0) return <Text c="dimmed">{t("no_placement")}</Text>;
          return (
            <WideTable caption={t("placement")} captionHidden minWidth={420}>
              <Table.Head
                columns={[t("client_node"), t("server_node"), { label: t("cases"), ta: "right" }]}
              />
              <Table.Tbody>
                {places.map(({ client, server, count }) => (
                  <Table.Tr key={`${client} ${server}`}>
                    <Table.Td>{client ?? t("outside_cluster")}</Table.Td>
                    <Table.Td>{server}</Table.Td>
                    <Table.Td ta="right">{count}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          );
        }}
      </Loaded>
    </Stack>
  );
}

import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { type Cluster, clusterOptions, usePreflight } from "~/queries/clusters";
import { Facts } from "~/ui/facts";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Section } from "~/ui/section";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { PreflightPanel } from "./preflight_panel";
import type { RegistrationOutcome } from "./registered_state";

/** The wizard's third step: what was kept, what was not and why, and what the cluster can do. */
export function ResultStep({ clusterId }: { clusterId: string }) {
  const cluster = useQuery(clusterOptions(clusterId));
  const kept = useLocation({ select: ({ state }) => state.kept });
  return <Loaded query={cluster}>{(found) => <Result cluster={found} kept={kept} />}</Loaded>;
}

function Result({ cluster, kept }: { cluster: Cluster; kept: RegistrationOutcome | undefined }) {
  const { t } = useTranslation("clusters");
  const preflight = usePreflight();
  const { mutate: look } = preflight;
  // Straight after registering, and not again where a reload shows the same page.
  const unseen = kept !== undefined && cluster.preflight_state === "never";
  useEffect(() => {
    if (unseen) look(cluster.id);
  }, [unseen, look, cluster.id]);

  return (
    <Stack gap="xl">
      <Alert
        color="green"
        variant="light"
        icon={<IconCheck />}
        role="status"
        title={t("registered")}
      >
        {t("registered_text")}
      </Alert>
      {kept && <KeptAndDropped cluster={cluster} kept={kept} />}
      <Section title={t("preflight_title")}>
        <PreflightPanel cluster={cluster} preflight={preflight} />
      </Section>
      <Group>
        <ButtonLink to="/clusters/$clusterId" params={{ clusterId: cluster.id }}>
          {t("open_cluster")}
        </ButtonLink>
        <ButtonLink to="/experiments/new" search={{ cluster: cluster.id }} variant="default">
          {t("define_experiment")}
        </ButtonLink>
      </Group>
    </Stack>
  );
}

function KeptAndDropped({ cluster, kept }: { cluster: Cluster; kept: RegistrationOutcome }) {
  const { t } = useTranslation("clusters");
  return (
    <>
      <Section title={t("kept")} text={t("kept_text")}>
        <Facts
          columns={3}
          facts={[
            { term: t("server"), value: <Code>{cluster.server}</Code> },
            { term: t("context"), value: kept.context },
            {
              term: t("credential_expires"),
              value: cluster.credential_expires_at ? (
                <Moment at={cluster.credential_expires_at} />
              ) : (
                t("credential_unknown")
              ),
            },
          ]}
        />
      </Section>
      <Section title={t("dropped")}>
        {kept.dropped.length === 0 ? (
          <Text size="sm">{t("dropped_nothing")}</Text>
        ) : (
          <WideTable caption={t("dropped_text")} minWidth={320}>
            <Table.Head columns={[t("field"), t("why")]} />
            <Table.Tbody>
              {kept.dropped.map(({ pointer, reason }) => (
                <Table.Tr key={pointer + reason.text}>
                  <Table.Td ff="monospace">{pointer || "/"}</Table.Td>
                  <Table.Td>{reason.text}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        )}
      </Section>
    </>
  );
}

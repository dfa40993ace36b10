import { Alert, Code, List, Stack, Text } from "@mantine/core";
import { IconEyeOff, IconServer, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { formatNumber, formatQuantity } from "~/quantities/format";
import type { Cluster } from "~/queries/clusters";
import { type Fact, Facts } from "~/ui/facts";
import { Moment } from "~/ui/moment";
import { Section } from "~/ui/section";
import type { Capabilities, CniSeen, KubeProxySeen, Room } from "./capabilities";
import { ModesReport } from "./modes_report";
import { NodesTable } from "./nodes_table";
import { RightsReport } from "./rights_report";

/** Everything that a preflight found, with what to do about what is missing. */
export function PreflightReport({ cluster, found }: { cluster: Cluster; found: Capabilities }) {
  const { t } = useTranslation("clusters");
  return (
    <Stack gap="xl">
      {found.notLookedAt && (
        <Alert color="orange" variant="light" icon={<IconEyeOff />} title={t("not_looked_at")}>
          {found.notLookedAt}
        </Alert>
      )}
      {found.refusals.length > 0 && (
        <Alert color="red" variant="light" icon={<IconX />} title={t("refusals")}>
          <List size="sm" spacing="xs">
            {found.refusals.map(({ what, mend }) => (
              <List.Item key={what}>
                {what}
                {mend !== null && <Text size="sm">{t("to_mend_it", { mend })}</Text>}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Section title={t("what_it_is")}>
        <Facts facts={useFacts(cluster, found)} />
      </Section>
      <Section title={t("what_can_be_measured")}>
        <RightsReport rights={found.rights} />
      </Section>
      <Section title={t("what_can_be_switched")}>
        <ModesReport cluster={cluster} axes={found.axes} rights={found.rights} />
      </Section>
      <Section title={t("nodes")}>
        {found.sharedHost && (
          <Alert color="orange" variant="light" icon={<IconServer />} mb="sm">
            {t("shared_host")}
          </Alert>
        )}
        <NodesTable cluster={cluster} nodes={found.nodes} />
      </Section>
      {found.cni !== null && found.cni.features.length > 0 && (
        <Section title={t("cni_settings")}>
          <Facts facts={asFacts(found.cni.features)} />
        </Section>
      )}
      {found.others.length > 0 && (
        <Section title={t("others")}>
          <Facts facts={asFacts(found.others)} />
        </Section>
      )}
    </Stack>
  );
}

function useFacts(cluster: Cluster, found: Capabilities): Fact[] {
  const { t } = useTranslation("clusters");
  const network = useNetworkFacts(found.cni, found.kubeProxy);
  const room = useRoomFacts(found.room);
  return [
    { term: t("kubernetes"), value: found.kubernetesVersion ?? t("not_told") },
    ...network,
    ...room,
    {
      term: t("credential_expires"),
      value: cluster.credential_expires_at ? (
        <Moment at={cluster.credential_expires_at} />
      ) : (
        t("credential_unknown")
      ),
    },
    { term: t("cluster_uid"), value: cluster.cluster_uid ?? t("not_told") },
  ];
}

function useNetworkFacts(cni: CniSeen | null, proxy: KubeProxySeen | null): Fact[] {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const none = t("not_told");
  const facts: Fact[] = [];
  if (cni !== null) {
    const { name, version, encapsulation, podMtu } = cni;
    facts.push(
      { term: t("cni"), value: version === null ? name : `${name} ${version}` },
      {
        term: word("axis", "encapsulation"),
        value: encapsulation === null ? none : word("axis_value", encapsulation),
      },
      { term: t("pod_mtu"), value: podMtu === null ? none : String(podMtu) },
    );
  }
  if (proxy !== null) {
    const { mode, version, syncSeconds, minSyncSeconds } = proxy;
    facts.push(
      {
        term: word("axis", "kube_proxy_mode"),
        value: mode === null ? t("no_common_mode") : word("axis_value", mode),
      },
      { term: t("kube_proxy_version"), value: version ?? none },
      {
        term: t("kube_proxy_sync"),
        value:
          syncSeconds === null || minSyncSeconds === null
            ? none
            : t("every_at_least", {
                every: formatQuantity(syncSeconds, "s"),
                least: formatQuantity(minSyncSeconds, "s"),
              }),
      },
    );
  }
  return facts;
}

function useRoomFacts(room: Room | null): Fact[] {
  const { t } = useTranslation("clusters");
  if (room === null) return [];
  const count = (value: number | null) =>
    value === null ? t("not_told") : formatNumber(value, true);
  return [
    { term: t("services_now"), value: count(room.services) },
    { term: t("free_cluster_ips"), value: count(room.freeClusterIps) },
    { term: t("free_node_ports"), value: count(room.freeNodePorts) },
  ];
}

function asFacts(entries: [string, string][]): Fact[] {
  return entries.map(([term, value]) => ({ term, value: <Code>{value}</Code> }));
}

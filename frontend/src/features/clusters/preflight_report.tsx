import { Alert, Code, List, Stack, Text } from "@mantine/core";
import { IconEyeOff, IconServer, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { followed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatNumber, formatQuantity } from "~/quantities/format";
import type { Cluster, ClusterReport } from "~/queries/clusters";
import { type Fact, Facts } from "~/ui/facts";
import { Moment } from "~/ui/moment";
import { Section } from "~/ui/section";
import { useReportedText } from "~/ui/use_reported_text";
import { ModesReport } from "./modes_report";
import { NodesTable } from "./nodes_table";
import { RightsReport } from "./rights_report";
import { ServicesByCni } from "./services_by_cni";

/** Everything that a preflight found, with what to do about what is missing. */
export function PreflightReport({ cluster, found }: { cluster: Cluster; found: ClusterReport }) {
  const { t } = useTranslation("clusters");
  const features = Object.entries(found.cni?.features ?? {});
  return (
    <Stack gap="xl">
      {found.not_looked_at && (
        <Alert color="orange" variant="light" icon={<IconEyeOff />} title={t("not_looked_at")}>
          <Text size="sm">{found.not_looked_at.text}</Text>
          {found.inside_at && (
            <Text size="sm">
              {followed(t("inside_as_of"))}
              <Moment at={found.inside_at} />
            </Text>
          )}
        </Alert>
      )}
      {found.refusals.length > 0 && (
        <Alert color="red" variant="light" icon={<IconX />} title={t("refusals")}>
          <List size="sm" spacing="xs">
            {found.refusals.map(({ what, mend }) => (
              <List.Item key={what.text}>
                {what.text}
                <Text size="sm">{t("to_mend_it", { mend: mend.text })}</Text>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Section title={t("what_it_is")}>
        <Facts facts={useFacts(cluster, found)} />
      </Section>
      <Section title={t("what_can_be_measured")}>
        <RightsReport cluster={cluster} rights={found.rights} />
      </Section>
      <Section title={t("what_can_be_switched")}>
        <ServicesByCni found={found} />
        <ModesReport cluster={cluster} axes={found.modes} rights={found.rights} />
      </Section>
      <Section title={t("nodes")}>
        {found.shared_host && (
          <Alert color="orange" variant="light" icon={<IconServer />} mb="sm">
            {t("shared_host")}
          </Alert>
        )}
        <NodesTable cluster={cluster} nodes={found.nodes} />
      </Section>
      {features.length > 0 && (
        <Section title={t("cni_settings")}>
          <Facts facts={asFacts(features)} />
        </Section>
      )}
    </Stack>
  );
}

function useFacts(cluster: Cluster, found: ClusterReport): Fact[] {
  const { t } = useTranslation("clusters");
  const network = useNetworkFacts(found.cni, found.kube_proxy);
  const room = useRoomFacts(found.room);
  return [
    { term: t("kubernetes"), value: found.kubernetes_version },
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

function useNetworkFacts(cni: ClusterReport["cni"], proxy: ClusterReport["kube_proxy"]): Fact[] {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const told = useReportedText();
  const none = t("not_told");
  const facts: Fact[] = [];
  if (cni !== null) {
    const { name, version, encapsulation, pod_mtu: podMtu } = cni;
    facts.push(
      { term: t("cni"), value: version == null ? told(name) : `${told(name)} ${version}` },
      {
        term: word("axis", "encapsulation"),
        value: encapsulation == null ? none : word("axis_value", encapsulation),
      },
      { term: t("pod_mtu"), value: podMtu == null ? none : String(podMtu) },
    );
  }
  if (proxy !== null) {
    const { mode, version, sync_period: every, min_sync_period: least } = proxy;
    facts.push(
      {
        term: word("axis", "kube_proxy_mode"),
        value: mode == null ? t("no_common_mode") : word("axis_value", mode),
      },
      { term: t("kube_proxy_version"), value: version ?? none },
      {
        term: t("kube_proxy_sync"),
        value:
          every == null || least == null
            ? none
            : t("every_at_least", {
                every: formatQuantity(every, "s"),
                least: formatQuantity(least, "s"),
              }),
      },
    );
  }
  return facts;
}

function useRoomFacts(room: ClusterReport["room"]): Fact[] {
  const { t } = useTranslation("clusters");
  if (room === null) return [];
  const count = (value: number | null) =>
    value === null ? t("not_told") : formatNumber(value, true);
  return [
    { term: t("services_now"), value: count(room.services) },
    { term: t("free_cluster_ips"), value: count(room.free_cluster_ips) },
    { term: t("free_node_ports"), value: count(room.free_node_ports) },
  ];
}

function asFacts(entries: [string, string][]): Fact[] {
  return entries.map(([term, value]) => ({ term, value: <Code>{value}</Code> }));
}

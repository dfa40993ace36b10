import { Code, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Json, list, plain, record } from "~/api/untyped";
import { fieldsOf } from "~/fingerprints/changes";
import { useWords } from "~/i18n/words";
import type { RunDetail } from "~/queries/runs";
import { Facts } from "~/ui/facts";
import { useFieldText } from "~/ui/field_text";
import { AnchorLink } from "~/ui/link";
import { Table } from "~/ui/table";
import { useReportedText } from "~/ui/use_reported_text";
import { WideTable } from "~/ui/wide_table";
import { BlockFingerprints } from "./block_fingerprints";
import type { FrozenCluster } from "./environment";
import { NodeTable } from "./node_table";

/** A cluster as the preflight found it, and what its blocks saw. */
export function ClusterEnvironment({
  run,
  cluster,
  clusterId,
}: {
  run: RunDetail;
  cluster: FrozenCluster;
  clusterId: string | null;
}) {
  const { t } = useTranslation("runs");
  const { fingerprint } = cluster;
  const cni = record(fingerprint.cni);
  const proxy = record(fingerprint.kube_proxy);
  const told = useReportedText();
  const word = useWords();
  const named = (...parts: unknown[]) =>
    parts
      .flatMap((part) => plain(part) || [])
      .map(told)
      .join(" ") || t("not_seen");
  const mode = (value: unknown) => {
    const seen = plain(value);
    return seen == null ? value : word("axis_value", seen);
  };
  return (
    <Stack component="section" aria-label={cluster.name}>
      <Title order={2} size="h4">
        {clusterId === null ? (
          t("removed_cluster", { name: cluster.name })
        ) : (
          <AnchorLink inherit to="/clusters/$clusterId" params={{ clusterId }}>
            {cluster.name}
          </AnchorLink>
        )}
      </Title>
      <Text size="sm" c="dimmed">
        {t("frozen_text")}
      </Text>
      <Facts
        facts={[
          { term: "Kubernetes", value: named(fingerprint.kubernetes_version) },
          { term: "CNI", value: named(cni.name, cni.version) },
          { term: t("encapsulation"), value: named(mode(cni.encapsulation)) },
          { term: t("pod_mtu"), value: named(cni.pod_mtu) },
          { term: "kube-proxy", value: named(mode(proxy.mode), proxy.version) },
          {
            term: t("shared_host"),
            value: t(fingerprint.shared_host === true ? "yes" : "no"),
          },
          {
            term: t("image"),
            value: <Code>{named(fingerprint.image_digest)}</Code>,
          },
        ]}
      />
      <NodeTable nodes={list(fingerprint.nodes).map(record)} name={cluster.name} />
      <AllFields fingerprint={fingerprint} />
      <BlockFingerprints run={run} cluster={cluster} clusterId={clusterId} />
    </Stack>
  );
}

/** Everything that decides whether two cases may be compared. */
function AllFields({ fingerprint }: { fingerprint: Json }) {
  const { t } = useTranslation("runs");
  const fieldText = useFieldText();
  const fields = fieldsOf(fingerprint);
  return (
    <details>
      <summary>{t("all_fields", { count: fields.length })}</summary>
      <WideTable caption={t("fingerprint")} captionHidden minWidth={420}>
        <Table.Head columns={[t("field"), t("value")]} />
        <Table.Tbody>
          {fields.map(({ field, node, value }) => (
            <Table.Tr key={`${node} ${field}`}>
              <Table.Th scope="row" fw={400}>
                {fieldText(field, node)}
              </Table.Th>
              <Table.Td ff="monospace">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </details>
  );
}

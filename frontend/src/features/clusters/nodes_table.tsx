import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatQuantity } from "~/quantities/format";
import {
  type Cluster,
  type ClusterReport,
  type Fingerprint,
  fingerprintsOptions,
} from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";
import { Table } from "~/ui/table";
import { useReportedText } from "~/ui/use_reported_text";
import { WideTable } from "~/ui/wide_table";
import { type NodeFacts, readNodeFacts } from "./node_facts";

/** The nodes: what the API server tells of them, and what was seen from inside. */
export function NodesTable({ cluster, nodes }: { cluster: Cluster; nodes: Node[] }) {
  const { t } = useTranslation("clusters");
  const history = useInfiniteQuery(fingerprintsOptions(cluster.id, cluster.preflighted_at));
  const seen = seenBy(cluster, history.data?.pages.flatMap(({ items }) => items) ?? []);
  const facts = seen ? readNodeFacts(seen.content) : new Map<string, NodeFacts>();
  return (
    <>
      {history.error && <ProblemAlert error={history.error} retry={() => void history.refetch()} />}
      <WideTable caption={t("nodes_caption")} minWidth={960} stacked>
        <Table.Head columns={COLUMNS.map((column) => t(`node_${column}`))} />
        <Table.Tbody>
          {nodes.map((node) => (
            <Row key={node.name} node={node} facts={facts.get(node.name)} />
          ))}
        </Table.Tbody>
      </WideTable>
    </>
  );
}

const COLUMNS = ["name", "system", "cpu", "memory", "mtu", "kernel_rules", "measuring"] as const;

type Node = ClusterReport["nodes"][number];

function Row({ node, facts }: { node: Node; facts: NodeFacts | undefined }) {
  const { t } = useTranslation("clusters");
  const told = useReportedText();
  const cpus = [node.cpus && t("cpus", { cpus: node.cpus }), node.architecture].filter(Boolean);
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ verticalAlign: "top" }}>
        {node.name}
        <Detail>{node.address}</Detail>
      </Table.Th>
      <Table.Td>
        {node.kernel}
        <Detail>{node.os}</Detail>
      </Table.Td>
      <Table.Td>
        {cpus.join(", ")}
        <Detail>{facts?.cpuModel}</Detail>
        <Detail>
          {facts?.hypervisor && t("hypervisor", { hypervisor: told(facts.hypervisor) })}
        </Detail>
      </Table.Td>
      <Table.Td>
        {facts?.memoryBytes == null ? t("not_told") : formatQuantity(facts.memoryBytes, "bytes")}
      </Table.Td>
      <Table.Td>
        {facts === undefined || facts.mtus.length === 0
          ? t("not_told")
          : facts.mtus.map(([device, mtu]) => (
              <div key={device}>
                {device} {mtu}
              </div>
            ))}
        {facts?.nics.map((nic) => (
          <Detail key={nic}>{nic}</Detail>
        ))}
        {facts?.shaping.map(([device, by]) => (
          <Detail key={device}>{`${device} ${by}`}</Detail>
        ))}
      </Table.Td>
      <Table.Td>{facts?.iptablesBackend ?? t("not_told")}</Table.Td>
      <Table.Td>{node.why_unfit === null ? t("takes_pods") : node.why_unfit.text}</Table.Td>
    </Table.Tr>
  );
}

function Detail({ children }: { children: string | null | undefined }) {
  return children ? (
    <Text size="xs" c="dimmed" fw={400}>
      {children}
    </Text>
  ) : null;
}

/** How long after a preflight its own fingerprint may be written, in ms. */
const WRITTEN_WITHIN = 60_000;

/**
 * What the preflight itself saw: runs that switched modes since have left fingerprints too. Where
 * it took none, the state that was seen last.
 */
function seenBy(cluster: Cluster, fingerprints: Fingerprint[]): Fingerprint | undefined {
  const moment = Date.parse(cluster.preflighted_at ?? "");
  const its = fingerprints.find(
    (one) =>
      Date.parse(one.observed_at) <= moment + WRITTEN_WITHIN &&
      Date.parse(one.last_observed_at) >= moment,
  );
  const latest = fingerprints.toSorted(
    (a, b) => Date.parse(b.last_observed_at) - Date.parse(a.last_observed_at),
  );
  return its ?? latest[0];
}

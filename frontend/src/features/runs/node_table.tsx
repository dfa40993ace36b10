import { useTranslation } from "react-i18next";
import { type Json, list, plain } from "~/api/untyped";
import { formatQuantity } from "~/quantities/format";
import { Table } from "~/ui/table";
import { useReportedText } from "~/ui/use_reported_text";
import { WideTable } from "~/ui/wide_table";

/** The nodes of a fingerprint; what could not be seen is said so. */
export function NodeTable({ nodes, name }: { nodes: readonly Json[]; name: string }) {
  const { t } = useTranslation("runs");
  const caption = t("nodes_of", { name });
  const told = useReportedText();
  const seen = (value: unknown) => plain(value) ?? t("not_seen");
  return (
    <WideTable caption={caption} captionHidden minWidth={760} stacked>
      <Table.Head
        columns={[
          t("node"),
          t("kernel"),
          t("os"),
          t("cpu"),
          { label: t("memory"), ta: "right" },
          t("hypervisor"),
          t("nic"),
          t("iptables"),
        ]}
      />
      <Table.Tbody>
        {nodes.map((node) => (
          <Table.Tr key={String(node.name)}>
            <Table.Th scope="row">{seen(node.name)}</Table.Th>
            <Table.Td>
              {seen(node.kernel)} ({seen(node.architecture)})
            </Table.Td>
            <Table.Td>{seen(node.os)}</Table.Td>
            <Table.Td>
              {seen(node.cpu_count)} × {seen(node.cpu_model)}
            </Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
              {typeof node.memory_bytes === "number"
                ? formatQuantity(node.memory_bytes, "bytes")
                : t("not_seen")}
            </Table.Td>
            <Table.Td>{told(seen(node.hypervisor))}</Table.Td>
            <Table.Td>{list(node.nics).map(String).join(", ") || t("not_seen")}</Table.Td>
            <Table.Td>{seen(node.iptables_backend)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

import { Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Choice, ListTableProps } from "~/list_tools/list";
import { ListHead } from "~/list_tools/list_head";
import { ListRow } from "~/list_tools/list_row";
import { MarkedName } from "~/list_tools/marked_name";
import { type Cluster, usePreflight } from "~/queries/clusters";
import { Age } from "~/ui/age";
import { ClusterConcerns, concernsOf } from "~/ui/cluster_alerts";
import { AnchorLink } from "~/ui/link";
import { ProblemAlert } from "~/ui/problem_alert";
import { KEPT, Table } from "~/ui/table";
import { useReportedText } from "~/ui/use_reported_text";
import { WideTable } from "~/ui/wide_table";
import { PreflightBadge } from "./preflight_badge";
import { PreflightButton } from "./preflight_button";

/** Clusters with what they are and how they are; below a row what its owner has to do. */
export function ClusterTable(list: ListTableProps<Cluster>) {
  const { t } = useTranslation(["clusters", "common"]);
  return (
    <WideTable caption={t("common:clusters")} captionHidden minWidth={1000} stacked dense>
      <ListHead {...list} name={t("name")}>
        <Table.Th>{t("kubernetes")}</Table.Th>
        <Table.Th>{t("nodes")}</Table.Th>
        <Table.Th>{t("network")}</Table.Th>
        <Table.Th>{t("current_modes")}</Table.Th>
        <Table.Th>{t("switching")}</Table.Th>
        <Table.Th>{t("checked_at")}</Table.Th>
        <Table.Th className={KEPT}>{t("preflight")}</Table.Th>
      </ListHead>
      <Table.Tbody>
        {list.items.map((cluster) => (
          <Row key={cluster.id} cluster={cluster} choice={list} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Row({ cluster, choice }: { cluster: Cluster; choice: Choice }) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const told = useReportedText();
  const preflight = usePreflight(cluster.preflighted_at);
  const { capabilities } = cluster;
  const modes = Object.values(capabilities?.modes ?? {}).flatMap(({ observed }) =>
    observed === null ? [] : [word("axis_value", observed)],
  );
  const cni = capabilities?.cni;
  const concerned = preflight.error !== null || concernsOf(cluster, Date.now()).length > 0;
  return (
    <>
      <ListRow {...choice} id={cluster.id} name={cluster.name}>
        <Table.Th scope="row" fw={400} maw={320}>
          <MarkedName thing="cluster" of={cluster}>
            <AnchorLink
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.id }}
              inherit
              fw={600}
              title={[cluster.name, cluster.server, cluster.description].filter(Boolean).join("\n")}
            >
              {cluster.name}
            </AnchorLink>
          </MarkedName>
        </Table.Th>
        <Table.Td>{capabilities?.kubernetes_version}</Table.Td>
        <Table.Td>{capabilities?.nodes.length}</Table.Td>
        <Table.Td>{cni && [told(cni.name), cni.version].filter(Boolean).join(" ")}</Table.Td>
        <Table.Td>{listed(modes)}</Table.Td>
        <Table.Td>{t(cluster.allow_mode_switch ? "may_switch" : "may_not_switch")}</Table.Td>
        <Table.Td>{cluster.preflighted_at && <Age at={cluster.preflighted_at} />}</Table.Td>
        <Table.Td className={KEPT}>
          <Group gap="xs" wrap="nowrap">
            <PreflightBadge state={cluster.preflight_state} />
            <PreflightButton cluster={cluster} preflight={preflight} short />
          </Group>
        </Table.Td>
      </ListRow>
      {concerned && (
        <Table.Tr>
          <Table.Td colSpan={9} style={{ whiteSpace: "normal" }} pb="sm">
            {preflight.error && <ProblemAlert error={preflight.error} />}
            <ClusterConcerns cluster={cluster} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

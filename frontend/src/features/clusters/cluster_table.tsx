import { Checkbox, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { ChooseAll, withOrWithout } from "~/list_tools/choose_all";
import { FavouriteButton } from "~/list_tools/favourite_button";
import type { ListSearch } from "~/list_tools/list_search";
import { SortHeader } from "~/list_tools/sort_header";
import { TagList } from "~/list_tools/tag_list";
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

interface ClusterTableProps {
  clusters: readonly Cluster[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  search: ListSearch;
  onSort: (change: ListSearch) => void;
}

/** Clusters with what they are and how they are; below a row what its owner has to do. */
export function ClusterTable({ clusters, chosen, onChoose, search, onSort }: ClusterTableProps) {
  const { t } = useTranslation(["clusters", "common"]);
  const ids = clusters.map(({ id }) => id);
  return (
    <WideTable caption={t("common:clusters")} captionHidden minWidth={1000} stacked dense>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <ChooseAll shown={ids} chosen={chosen} onChoose={onChoose} />
          </Table.Th>
          <SortHeader by="name" search={search} onChange={onSort}>
            {t("name")}
          </SortHeader>
          <Table.Th>{t("kubernetes")}</Table.Th>
          <Table.Th>{t("nodes")}</Table.Th>
          <Table.Th>{t("network")}</Table.Th>
          <Table.Th>{t("current_modes")}</Table.Th>
          <Table.Th>{t("switching")}</Table.Th>
          <Table.Th>{t("checked_at")}</Table.Th>
          <Table.Th className={KEPT}>{t("preflight")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {clusters.map((cluster) => (
          <Row
            key={cluster.id}
            cluster={cluster}
            chosen={chosen.includes(cluster.id)}
            onChoose={(wanted) => onChoose(withOrWithout(chosen, cluster.id, wanted))}
          />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

interface RowProps {
  cluster: Cluster;
  chosen: boolean;
  onChoose: (wanted: boolean) => void;
}

function Row({ cluster, chosen, onChoose }: RowProps) {
  const { t } = useTranslation(["finding", "clusters"]);
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
      <Table.Tr mod={{ chosen }}>
        <Table.Td>
          <Checkbox
            checked={chosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            aria-label={t("choose", { name: cluster.name })}
          />
        </Table.Td>
        <Table.Th scope="row" fw={400} maw={320}>
          <Group gap={4} wrap="nowrap">
            <FavouriteButton
              thing="cluster"
              id={cluster.id}
              name={cluster.name}
              favourite={cluster.marks.favourite}
            />
            <AnchorLink
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.id }}
              inherit
              fw={600}
              title={[cluster.name, cluster.server, cluster.description].filter(Boolean).join("\n")}
            >
              {cluster.name}
            </AnchorLink>
            <TagList tags={cluster.marks.tags} />
          </Group>
        </Table.Th>
        <Table.Td>{capabilities?.kubernetes_version}</Table.Td>
        <Table.Td>{capabilities?.nodes.length}</Table.Td>
        <Table.Td>{cni && [told(cni.name), cni.version].filter(Boolean).join(" ")}</Table.Td>
        <Table.Td>{listed(modes)}</Table.Td>
        <Table.Td>
          {t(cluster.allow_mode_switch ? "clusters:may_switch" : "clusters:may_not_switch")}
        </Table.Td>
        <Table.Td>{cluster.preflighted_at && <Age at={cluster.preflighted_at} />}</Table.Td>
        <Table.Td className={KEPT}>
          <Group gap="xs" wrap="nowrap">
            <PreflightBadge state={cluster.preflight_state} />
            <PreflightButton cluster={cluster} preflight={preflight} short />
          </Group>
        </Table.Td>
      </Table.Tr>
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

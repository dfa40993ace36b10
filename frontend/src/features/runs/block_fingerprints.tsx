import { List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { record } from "~/api/untyped";
import { changesBetween } from "~/fingerprints/changes";
import { labelled, listed } from "~/i18n/punctuation";
import { allFingerprintsOptions } from "~/queries/clusters";
import type { Block, RunDetail } from "~/queries/runs";
import { useFieldText } from "~/ui/field_text";
import { Loaded } from "~/ui/loaded";
import { usePointText } from "~/ui/point_text";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import type { FrozenCluster } from "./environment";

/** What was different from the preflight when each block measured. */
export function BlockFingerprints({
  run,
  cluster,
  clusterId,
}: {
  run: RunDetail;
  cluster: FrozenCluster;
  clusterId: string | null;
}) {
  const { t } = useTranslation("runs");
  const own = run.blocks.filter(
    (block) =>
      block.fingerprint_id !== null && (block.modes.cluster ?? cluster.name) === cluster.name,
  );
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t("seen_by_blocks")}
      </Title>
      {own.length === 0 && <Text c="dimmed">{t("no_block_yet")}</Text>}
      {own.length > 0 && clusterId === null && <Text c="dimmed">{t("fingerprints_gone")}</Text>}
      {own.length > 0 && clusterId !== null && (
        <Seen blocks={own} cluster={cluster} clusterId={clusterId} />
      )}
    </Stack>
  );
}

interface SeenProps {
  blocks: readonly Block[];
  cluster: FrozenCluster;
  clusterId: string;
}

function Seen({ blocks, cluster, clusterId }: SeenProps) {
  const { t } = useTranslation("runs");
  const pointText = usePointText();
  const fingerprints = useQuery(allFingerprintsOptions(clusterId));
  return (
    <Loaded query={fingerprints} lines={3}>
      {(found) => (
        <WideTable caption={t("seen_by_blocks")} captionHidden minWidth={520} stacked>
          <Table.Head columns={[t("round_short"), t("modes"), t("differs")]} />
          <Table.Tbody>
            {blocks.map((block) => (
              <Table.Tr key={block.position}>
                <Table.Td>{block.round}</Table.Td>
                <Table.Td>{pointText(block.modes) || t("modes_as_they_stand")}</Table.Td>
                {/* Where cells are stacked, it takes the whole line. */}
                <Table.Td style={{ gridColumn: "1 / -1" }}>
                  <Differences
                    cluster={cluster}
                    seen={found.find((one) => one.id === block.fingerprint_id)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </Loaded>
  );
}

function Differences({
  cluster,
  seen,
}: {
  cluster: FrozenCluster;
  seen: Schemas["FingerprintView"] | undefined;
}) {
  const { t } = useTranslation("runs");
  const fieldText = useFieldText();
  if (seen === undefined) return t("fingerprint_unknown");
  const found = changesBetween(cluster.fingerprint, record(seen.content));
  if (found.length === 0) return t("no_difference");
  return (
    <List size="sm">
      {found.map(({ field, nodes, before, after }) => (
        <List.Item key={[field, ...nodes].join(" ")}>
          {labelled(
            fieldText(field, listed(nodes)),
            `${before ?? t("not_seen")} → ${after ?? t("not_seen")}`,
          )}
        </List.Item>
      ))}
    </List>
  );
}

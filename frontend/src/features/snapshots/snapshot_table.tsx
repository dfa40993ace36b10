import { Badge, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWordList } from "~/i18n/words";
import { ChooseAll } from "~/list_tools/choose_all";
import { ChooseOne } from "~/list_tools/choose_one";
import type { ListTableProps } from "~/list_tools/list";
import { useMe } from "~/queries/accounts";
import { articleChoicesText } from "~/queries/reproduced";
import { useRevoke } from "~/queries/snapshots";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { ProblemAlert } from "~/ui/problem_alert";
import { KEPT, ScrollRegion, Table } from "~/ui/table";

type Snapshot = Schemas["SnapshotView"];

/** Snapshots; those that are public still can be chosen by who may revoke them. */
export function SnapshotTable({ items, chosen, onChoose }: ListTableProps<Snapshot>) {
  const { t } = useTranslation("snapshots");
  const may = useMe().may("operator");
  const listed = useWordList();
  const live = items.filter((one) => one.live).map(({ id }) => id);
  const [revoking, setRevoking] = useState<Snapshot | null>(null);
  return (
    <>
      <ScrollRegion minWidth={720} aria-label={t("title")}>
        <Table verticalSpacing={12} highlightOnHover stacked>
          <Table.Caption>{t("links_unseen")}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              {may && (
                <Table.Th w={40}>
                  <ChooseAll shown={live} chosen={chosen} onChoose={onChoose} />
                </Table.Th>
              )}
              <Table.Th scope="col">{t("what")}</Table.Th>
              <Table.Th scope="col" className={KEPT}>
                {t("state")}
              </Table.Th>
              <Table.Th scope="col">{t("created")}</Table.Th>
              <Table.Th scope="col">{t("expires")}</Table.Th>
              <Table.Th scope="col">{t("shown_names")}</Table.Th>
              <Table.Th scope="col">
                <span className="visually-hidden">{t("actions")}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((snapshot) => (
              <Table.Tr key={snapshot.id} mod={{ chosen: chosen.includes(snapshot.id) }}>
                {may && (
                  <Table.Td>
                    {snapshot.live && (
                      <ChooseOne
                        id={snapshot.id}
                        name={snapshot.title}
                        chosen={chosen}
                        onChoose={onChoose}
                      />
                    )}
                  </Table.Td>
                )}
                <Table.Th scope="row" fw={400}>
                  <Text fw={600}>{snapshot.title}</Text>
                  <Origin snapshot={snapshot} />
                </Table.Th>
                <Table.Td className={KEPT}>
                  <State snapshot={snapshot} />
                </Table.Td>
                <Table.Td>
                  <Moment at={snapshot.created_at} />
                </Table.Td>
                <Table.Td>
                  {snapshot.expires_at ? <Moment at={snapshot.expires_at} /> : t("never")}
                </Table.Td>
                <Table.Td>
                  {snapshot.kept.length === 0
                    ? t("all_redacted")
                    : listed(snapshot.kept.map((kind) => t(`keep.${kind as "node"}`)))}
                </Table.Td>
                <Table.Td ta="right">
                  {snapshot.live && may && (
                    <Button
                      size="xs"
                      variant="light"
                      color="red"
                      onClick={() => setRevoking(snapshot)}
                      aria-label={t("revoke_named", { title: snapshot.title })}
                    >
                      {t("revoke")}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      {revoking && <Revoke snapshot={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function Origin({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useTranslation("snapshots");
  if (snapshot.run_id) {
    return (
      <AnchorLink size="sm" to="/runs/$runId" params={{ runId: snapshot.run_id }}>
        {t("of_run")}
      </AnchorLink>
    );
  }
  if (snapshot.comparison_id) {
    return (
      <AnchorLink
        size="sm"
        to="/compare/$comparisonId"
        params={{ comparisonId: snapshot.comparison_id }}
      >
        {t("of_comparison")}
      </AnchorLink>
    );
  }
  if (snapshot.experiment_id) {
    return (
      <AnchorLink
        size="sm"
        to="/experiments/$experimentId"
        params={{ experimentId: snapshot.experiment_id }}
      >
        {t("of_experiment")}
      </AnchorLink>
    );
  }
  if (snapshot.cluster_id) {
    return (
      <AnchorLink size="sm" to="/clusters/$clusterId" params={{ clusterId: snapshot.cluster_id }}>
        {t("of_cluster")}
      </AnchorLink>
    );
  }
  if (snapshot.reproduction) {
    const of = articleChoicesText(
      snapshot.reproduction.map(({ reference_id, run_ids }) => ({
        reference: reference_id,
        runs: run_ids,
      })),
    );
    return (
      <AnchorLink size="sm" to="/references/reproduced" search={{ of }}>
        {t("of_reproduction")}
      </AnchorLink>
    );
  }
  return null;
}

function State({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useTranslation("snapshots");
  const gone = snapshot.revoked_at ? t("revoked") : t("expired");
  return (
    <Badge color={snapshot.live ? "green" : "gray"} variant="light" tt="none">
      {snapshot.live ? t("public") : gone}
    </Badge>
  );
}

function Revoke({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const { t } = useTranslation(["snapshots", "common"]);
  const revoke = useRevoke();
  return (
    <Modal opened onClose={onClose} title={t("revoke_named", { title: snapshot.title })} centered>
      <Stack>
        <Text size="sm">{t("revoke_text")}</Text>
        {revoke.error && <ProblemAlert error={revoke.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common:cancel")}
          </Button>
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(snapshot.id, { onSuccess: onClose })}
          >
            {t("revoke")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

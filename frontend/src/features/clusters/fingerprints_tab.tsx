import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Change, changesBetween, fieldsOf } from "~/fingerprints/changes";
import { followed, listed } from "~/i18n/punctuation";
import { type Cluster, type Fingerprint, fingerprintsOptions } from "~/queries/clusters";
import { EmptyState } from "~/ui/empty_state";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { FieldsTable } from "./fields_table";

/** What the cluster was like over time, each state with what it changed. */
export function FingerprintsTab({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation(["clusters", "common"]);
  const history = useInfiniteQuery(fingerprintsOptions(cluster.id, cluster.preflighted_at));
  return (
    <Loaded query={history}>
      {({ pages }) => {
        const found = pages.flatMap(({ items }) => items);
        if (found.length === 0) {
          return (
            <EmptyState icon={<IconFingerprint size={40} />} title={t("no_fingerprints")}>
              {t("no_fingerprints_text")}
            </EmptyState>
          );
        }
        return (
          <Stack gap="md">
            <Text size="sm" c="dimmed" maw={720}>
              {t("fingerprints_text")}
            </Text>
            <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: "none" }}>
              {found.map((one, index) => (
                <State
                  key={one.id}
                  fingerprint={one}
                  before={found[index + 1]}
                  first={index === found.length - 1 && !history.hasNextPage}
                />
              ))}
            </Stack>
            {history.hasNextPage && (
              <Button
                variant="default"
                loading={history.isFetchingNextPage}
                onClick={() => void history.fetchNextPage()}
              >
                {t("common:more")}
              </Button>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function State({
  fingerprint,
  before,
  first,
}: {
  fingerprint: Fingerprint;
  /** The state that was first seen before it; absent for the oldest one loaded. */
  before: Fingerprint | undefined;
  first: boolean;
}) {
  const { t } = useTranslation("clusters");
  const changes = before ? changesBetween(before.content, fingerprint.content) : null;
  return (
    <Paper component="li" withBorder p="md">
      <Group gap="sm" mb="xs">
        <Title order={2} size="h5">
          <Moment at={fingerprint.observed_at} />
        </Title>
        {changes && (
          <Badge tt="none" variant="light" color="orange">
            {t("changes", { count: changes.length })}
          </Badge>
        )}
        {first && (
          <Badge tt="none" variant="default">
            {t("first_fingerprint")}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        {fingerprint.last_observed_at === fingerprint.observed_at ? (
          t("seen_once")
        ) : (
          <>
            {followed(t("last_seen_so"))}
            <Moment at={fingerprint.last_observed_at} />
          </>
        )}
      </Text>
      {changes && <Changes changes={changes} />}
      <AllFields fingerprint={fingerprint} />
    </Paper>
  );
}

function Changes({ changes }: { changes: Change[] }) {
  const { t } = useTranslation("clusters");
  return (
    <FieldsTable
      caption={t("changes_caption")}
      columns={[t("field"), t("before"), t("after")]}
      rows={changes.map(({ field, nodes, before, after }) => ({
        field,
        under: listed(nodes),
        values: [before, after],
      }))}
    />
  );
}

function AllFields({ fingerprint }: { fingerprint: Fingerprint }) {
  const { t } = useTranslation("clusters");
  const fields = fieldsOf(fingerprint.content);
  return (
    <details>
      <summary>
        <Text span size="sm">
          {t("all_fields", { count: fields.length })}
        </Text>
      </summary>
      <FieldsTable
        caption={t("all_fields_caption")}
        columns={[t("field"), t("value")]}
        rows={fields.map(({ field, node, value }) => ({
          field,
          under: node ?? "",
          values: [value],
        }))}
      />
    </details>
  );
}

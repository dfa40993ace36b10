import { Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { followed } from "~/i18n/punctuation";
import type { Cluster, ClusterReport, Capability as Known } from "~/queries/clusters";
import { AnchorLink } from "~/ui/link";
import { resourceText } from "~/ui/resource_text";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { manifestSearch } from "./search";

const KNOWN: readonly string[] = [
  "measure",
  "host_access",
  "switch_modes",
  "renew",
] satisfies Known[];

function isKnown(name: string): name is Known {
  return KNOWN.includes(name);
}

type Rights = ClusterReport["rights"];

/** What the credentials allow, capability by capability, and what is missing verb by verb. */
export function RightsReport({ cluster, rights }: { cluster: Cluster; rights: Rights }) {
  const order = [...new Set([...KNOWN, ...Object.keys(rights)])];
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
      {order.map((capability) => {
        const one = rights[capability];
        return (
          one && <Capability key={capability} cluster={cluster} capability={capability} {...one} />
        );
      })}
    </Stack>
  );
}

function Capability({
  cluster,
  capability,
  allowed,
  missing,
}: { cluster: Cluster; capability: string } & Rights[string]) {
  const { t } = useTranslation("clusters");
  const known = isKnown(capability);
  return (
    <Paper component="li" withBorder p="sm">
      <Group gap="sm">
        <Text fw={600} size="sm">
          {known ? t(`capability_${capability}`) : capability}
        </Text>
        <Badge
          tt="none"
          variant="light"
          color={allowed ? "green" : capability === "renew" ? "gray" : "red"}
          leftSection={allowed ? <IconCheck size={12} /> : <IconX size={12} />}
        >
          {allowed ? t("allowed") : t("not_allowed")}
        </Badge>
      </Group>
      {known && (
        <Text size="sm" c="dimmed" mb={missing.length > 0 ? "xs" : 0}>
          {t(`capability_${capability}_text`)}
        </Text>
      )}
      {missing.length > 0 && (
        <Missing cluster={cluster} capability={capability} missing={missing} />
      )}
      {missing.length === 0 && !allowed && (
        <Text size="sm" mt="xs">
          {t("rests_upon_others")}
        </Text>
      )}
    </Paper>
  );
}

function Missing({
  cluster,
  capability,
  missing,
}: {
  cluster: Cluster;
  capability: string;
  missing: Rights[string]["missing"];
}) {
  const { t } = useTranslation("clusters");
  return (
    <>
      <WideTable caption={t("missing_rights", { capability })} minWidth={560}>
        <Table.Head columns={[t("verbs"), t("resource"), t("where"), t("what_for")]} />
        <Table.Tbody>
          {missing.map((right) => (
            <Table.Tr key={JSON.stringify(right)}>
              <Table.Td ff="monospace">{right.verbs.join(", ")}</Table.Td>
              <Table.Td ff="monospace">{resourceText(right)}</Table.Td>
              <Table.Td>{right.namespace ?? t("whole_cluster")}</Table.Td>
              <Table.Td>{right.why.text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {isKnown(capability) && (
        <Text size="sm" mt="xs">
          {followed(t("rights_remedy"))}
          <AnchorLink
            to="/clusters/new"
            search={manifestSearch(cluster, capability)}
            inherit
            underline="always"
          >
            {t("to_manifest")}
          </AnchorLink>
        </Text>
      )}
    </>
  );
}

import { Alert, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { fieldsOf } from "~/fingerprints/changes";
import { useWordList, useWords } from "~/i18n/words";
import { Disclosure } from "~/ui/disclosure";
import { Facts } from "~/ui/facts";
import { useFieldText } from "~/ui/field_text";
import { FloorFacts } from "~/ui/floor_facts";
import { FloorTable } from "~/ui/floor_table";
import { Moment } from "~/ui/moment";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { SharedRuns } from "./shared_runs";

type Cluster = Schemas["SharedCluster"];

/** A shared cluster: what its network is, how far it differs from itself, what was found there. */
export function SharedCluster({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("shared");
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Facts
          columns={3}
          facts={[
            { term: t("kubernetes"), value: cluster.kubernetes_version ?? t("unknown") },
            { term: t("nodes"), value: cluster.nodes },
            {
              term: t("seen"),
              value: cluster.seen_at ? <Moment at={cluster.seen_at} /> : t("unknown"),
            },
          ]}
        />
        {cluster.shared_host && (
          <Alert role="note" color="orange" icon={<IconAlertTriangle />}>
            {t("shared_host")}
          </Alert>
        )}
        {cluster.notes !== "" && (
          <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
            {cluster.notes}
          </Text>
        )}
      </Stack>
      <Network cluster={cluster} />
      <Floors cluster={cluster} />
      <SharedRuns runs={cluster.runs} />
    </Stack>
  );
}

function Network({ cluster: { modes, fingerprint } }: { cluster: Cluster }) {
  const { t } = useTranslation("shared");
  const fieldText = useFieldText();
  return (
    <Stack component="section" gap="sm" aria-labelledby="network">
      <Title order={2} size="h3" id="network">
        {t("network")}
      </Title>
      {modes.length === 0 ? <Text size="sm">{t("no_modes")}</Text> : <Modes modes={modes} />}
      {fingerprint && (
        <Disclosure title={t("fingerprint")}>
          <WideTable caption={t("fingerprint")} captionHidden minWidth={320}>
            <Table.Head columns={[t("field"), t("value")]} />
            <Table.Tbody>
              {fieldsOf(fingerprint).map(({ field, node, value }) => (
                <Table.Tr key={`${field} ${node}`}>
                  <Table.Th scope="row" fw={400}>
                    {fieldText(field, node)}
                  </Table.Th>
                  <Table.Td>{value}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        </Disclosure>
      )}
    </Stack>
  );
}

/** What is in effect; an embed has it too. */
export function Modes({ modes }: { modes: Cluster["modes"] }) {
  const { t } = useTranslation("shared");
  const word = useWords();
  const listed = useWordList();
  return (
    <WideTable caption={t("network")} captionHidden minWidth={320}>
      <Table.Head columns={[t("axis"), t("in_effect"), t("switchable")]} />
      <Table.Tbody>
        {modes.map(({ axis, observed, unclear, switchable }) => (
          <Table.Tr key={axis}>
            <Table.Th scope="row" fw={400}>
              {word("axis", axis)}
            </Table.Th>
            <Table.Td>
              {observed === null
                ? unclear
                  ? unclear.text
                  : t("unknown")
                : word("axis_value", observed)}
            </Table.Td>
            <Table.Td>
              {listed(switchable.map((value) => word("axis_value", value))) || "–"}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Floors({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("shared");
  const word = useWords();
  return (
    <Stack component="section" gap="md" aria-labelledby="noise-floor">
      <Title order={2} size="h3" id="noise-floor">
        {t("noise_floor")}
      </Title>
      {cluster.noise_floor.length === 0 && <Text size="sm">{t("no_floor")}</Text>}
      {cluster.noise_floor.map((floor) => (
        <Stack key={floor.run_ids.join()} gap="xs">
          <Title order={3} size="h5">
            {word("kind", floor.kind)}
          </Title>
          <FloorFacts floor={floor} runsNeeded={cluster.runs_needed} />
          <FloorTable floor={floor} />
        </Stack>
      ))}
    </Stack>
  );
}

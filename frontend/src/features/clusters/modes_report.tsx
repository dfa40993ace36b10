import { Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconEye, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { followed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Cluster, ClusterReport } from "~/queries/clusters";
import { AnchorLink } from "~/ui/link";

type Modes = ClusterReport["modes"];

/** The cluster's modes as seen on its nodes, what each could be switched to, and why not. */
export function ModesReport({
  cluster,
  axes,
  rights,
}: {
  cluster: Cluster;
  axes: Modes;
  rights: ClusterReport["rights"];
}) {
  const { t } = useTranslation("clusters");
  const lacking = rights.switch_modes?.allowed === false;
  return (
    <Stack gap="sm">
      {!cluster.allow_mode_switch && (
        <Text size="sm">
          {followed(t("switch_off"))}
          <AnchorLink
            to="/clusters/$clusterId"
            params={{ clusterId: cluster.id }}
            search={{ tab: "access" }}
            inherit
            underline="always"
          >
            {t("to_access")}
          </AnchorLink>
        </Text>
      )}
      {lacking && <Text size="sm">{t("switch_rights_missing")}</Text>}
      {Object.keys(axes).length === 0 && <Text size="sm">{t("modes_unseen")}</Text>}
      {Object.entries(axes).map(([axis, seen]) => (
        <Axis key={axis} axis={axis} {...seen} />
      ))}
    </Stack>
  );
}

function Axis({
  axis,
  component,
  observed,
  unclear,
  why_not: whyNot,
  values,
  on_nodes: onNodes,
  why_everywhere: whyEverywhere,
}: { axis: string } & Modes[string]) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  return (
    <Paper withBorder p="sm">
      <Group gap="sm" mb={4}>
        <Text fw={600} size="sm">
          {word("axis", axis)}
        </Text>
        {observed !== null && (
          <Badge tt="none" variant="light" leftSection={<IconEye size={12} />}>
            {t("on_every_node", { value: word("axis_value", observed) })}
          </Badge>
        )}
        {component !== null && (
          <Text size="sm" c="dimmed">
            {t("by_component", { component })}
          </Text>
        )}
      </Group>
      {unclear !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {unclear.text}
        </Text>
      )}
      {whyNot !== null && (
        <Text size="sm">
          {whyNot.text}. {t("manual_axis")}
        </Text>
      )}
      {onNodes && <Text size="sm">{t("felt_on_nodes")}</Text>}
      {whyEverywhere !== null && (
        <Text size="sm">{t("felt_everywhere", { why: whyEverywhere.text })}</Text>
      )}
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
        {Object.entries(values).map(([value, why]) => (
          <Value key={value} value={value} whyNot={why} inEffect={value === observed} />
        ))}
      </Stack>
    </Paper>
  );
}

function Value({
  value,
  whyNot,
  inEffect,
}: {
  value: string;
  whyNot: Schemas["Message"] | null;
  inEffect: boolean;
}) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const Icon = inEffect ? IconEye : whyNot === null ? IconCheck : IconX;
  const color = whyNot === null ? "green" : "red";
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start">
      <Icon size={16} color={`var(--mantine-color-${color}-text)`} aria-hidden style={ICON} />
      <Text size="sm">
        {word("axis_value", value)}
        <Text span inherit c="dimmed">
          {" — "}
          {inEffect ? t("in_effect") : whyNot ? whyNot.text : t("possible")}
        </Text>
      </Text>
    </Group>
  );
}

const ICON = { flexShrink: 0, marginTop: 3 } as const;

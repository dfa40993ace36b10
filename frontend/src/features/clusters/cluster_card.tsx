import { Badge, Checkbox, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconLock, IconSwitchHorizontal } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { FavouriteButton } from "~/finding/favourite_button";
import { TagList } from "~/finding/tag_list";
import { useWords } from "~/i18n/words";
import { type Cluster, usePreflight } from "~/queries/clusters";
import { ClusterAlerts } from "~/ui/cluster_alerts";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { ProblemAlert } from "~/ui/problem_alert";
import { useTold } from "~/ui/use_told";
import { PreflightBadge } from "./preflight_badge";
import { PreflightButton } from "./preflight_button";

/** One cluster of the list: what it is, how it is, what can be done with it. */
export function ClusterCard({
  cluster,
  chosen,
  onChoose,
}: {
  cluster: Cluster;
  chosen: boolean;
  onChoose: (wanted: boolean) => void;
}) {
  const { t } = useTranslation("finding");
  const preflight = usePreflight(cluster.preflighted_at);
  return (
    <Paper component="li" withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Checkbox
            mt={6}
            checked={chosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            aria-label={t("choose", { name: cluster.name })}
          />
          <FavouriteButton
            thing="cluster"
            id={cluster.id}
            name={cluster.name}
            favourite={cluster.marks.favourite}
          />
          <div style={{ flex: "1 1 14rem", minWidth: 0 }}>
            <Title order={2} size="h4">
              <AnchorLink to="/clusters/$clusterId" params={{ clusterId: cluster.id }} inherit>
                {cluster.name}
              </AnchorLink>
            </Title>
            <Text size="sm" c="dimmed" ff="monospace">
              {cluster.server}
            </Text>
          </div>
          <PreflightButton cluster={cluster} preflight={preflight} size="xs" />
        </Group>
        {cluster.description !== "" && <Text size="sm">{cluster.description}</Text>}
        <TagList tags={cluster.marks.tags} />
        <Badges cluster={cluster} />
        <Facts cluster={cluster} />
        {preflight.error && <ProblemAlert error={preflight.error} />}
        <ClusterAlerts cluster={cluster} />
      </Stack>
    </Paper>
  );
}

function Badges({ cluster }: { cluster: Cluster }) {
  const word = useWords();
  const seen = Object.entries(cluster.capabilities?.modes ?? {});
  return (
    <Group gap="xs">
      <PreflightBadge state={cluster.preflight_state} />
      {seen.map(
        ([axis, { observed }]) =>
          observed !== null && (
            <Badge key={axis} variant="default" tt="none">
              {word("axis", axis)} {word("axis_value", observed)}
            </Badge>
          ),
      )}
      <SwitchBadge allowed={cluster.allow_mode_switch} />
    </Group>
  );
}

/** Whether the cluster's owner lets runs switch its modes. */
export function SwitchBadge({ allowed }: { allowed: boolean }) {
  const { t } = useTranslation("clusters");
  const Icon = allowed ? IconSwitchHorizontal : IconLock;
  return (
    <Badge variant="default" tt="none" leftSection={<Icon size={12} />}>
      {allowed ? t("switch_allowed") : t("switch_not_allowed")}
    </Badge>
  );
}

function Facts({ cluster }: { cluster: Cluster }) {
  const told = useTold();
  const { t } = useTranslation("clusters");
  if (cluster.capabilities === null || cluster.preflighted_at === null) return null;
  const { kubernetes_version: version, nodes, cni } = cluster.capabilities;
  const facts = [
    `Kubernetes ${version}`,
    t("nodes_count", { count: nodes.length }),
    cni && [told(cni.name), cni.version].filter(Boolean).join(" "),
  ];
  return (
    <Text size="sm" c="dimmed">
      {facts.filter(Boolean).join(" · ")} · {t("looked_at")} <Moment at={cluster.preflighted_at} />
    </Text>
  );
}

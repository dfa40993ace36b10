import { Badge, Group, List, Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCheck,
  IconInfoCircle,
  IconListDetails,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { followed, listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Cluster } from "~/queries/clusters";
import type { Plan } from "~/queries/experiments";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { ObstacleFix } from "./obstacle_fix";

const LOOKS = {
  refused: { color: "red", icon: <IconX size={12} /> },
  uncertain: { color: "orange", icon: <IconAlertTriangle size={12} /> },
  note: { color: "blue", icon: <IconInfoCircle size={12} /> },
  left_out: { color: "gray", icon: <IconListDetails size={12} /> },
} as const;

/** Obstacles to the plan on one cluster, and what is left out of it there. */
export function ClusterCheck({ cluster, plan }: { cluster: Cluster; plan: Plan }) {
  const { t } = useTranslation("experiments");
  const obstacles = plan.obstacles.filter((one) => one.cluster === cluster.name);
  const leftOut = plan.left_out.filter(({ obstacle }) => obstacle.cluster === cluster.name);
  const all = obstacles.length + leftOut.length === 0;
  return (
    <Stack gap={6} aria-live="polite">
      <Group gap="xs">
        <AnchorLink to="/clusters/$clusterId" params={{ clusterId: cluster.id }} size="sm" fw={600}>
          {cluster.name}
        </AnchorLink>
        {all && (
          <Badge color="green" variant="light" tt="none" leftSection={<IconCheck size={12} />}>
            {t("all_there")}
          </Badge>
        )}
      </Group>
      {!all && (
        <List size="sm" spacing={6} listStyleType="none" withPadding={false}>
          {obstacles.map((one) => (
            <ObstacleItem key={keyOf(one)} level={one.level} obstacle={one} cluster={cluster} />
          ))}
          {leftOut.map((one) => (
            <ObstacleItem
              key={`out ${keyOf(one.obstacle)}`}
              level="left_out"
              obstacle={one.obstacle}
              cluster={cluster}
            >
              <LeftOutCases one={one} />
            </ObstacleItem>
          ))}
        </List>
      )}
      {cluster.preflighted_at && (
        <Text size="xs" c="dimmed">
          {followed(t("as_of_preflight"))}
          <Moment at={cluster.preflighted_at} />
        </Text>
      )}
    </Stack>
  );
}

function keyOf({ code, subject, axis, value }: Schemas["Obstacle"]): string {
  return [code, subject, axis, value].join(" ");
}

interface SaidProps {
  level: keyof typeof LOOKS;
  obstacle: Schemas["Obstacle"];
  cluster: Cluster;
  children?: ReactNode;
}

function ObstacleItem({ level, obstacle, cluster, children }: SaidProps) {
  const { t } = useTranslation("experiments");
  const look = LOOKS[level];
  return (
    <List.Item>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Badge
          color={look.color}
          variant="light"
          tt="none"
          leftSection={look.icon}
          miw="fit-content"
        >
          {t(`level.${level}`)}
        </Badge>
        <div>
          {children}
          <Text size="sm">{obstacle.cause.text}</Text>
          <Text size="xs" c="dimmed">
            {t("to_fix", { remedy: obstacle.remedy.text })}
          </Text>
          <ObstacleFix obstacle={obstacle} cluster={cluster} />
        </div>
      </Group>
    </List.Item>
  );
}

function LeftOutCases({ one }: { one: Schemas["LeftOutView"] }) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const values = listed(one.values.map((value) => word("axis_value", value)));
  return (
    <Text size="sm" fw={600}>
      {one.axis == null
        ? t("left_out", { count: one.cases })
        : t("left_out_of", { count: one.cases, axis: word("axis", one.axis), values })}
    </Text>
  );
}

import { Badge, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconQuestionMark, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { followed } from "~/i18n/marks";
import { useMessageText } from "~/i18n/messages";
import { useWords } from "~/i18n/words";
import type { Cluster } from "~/queries/clusters";
import type { Plan } from "~/queries/experiments";
import { AnchorLink } from "~/ui/link";
import { Moment } from "~/ui/moment";
import { resourceText } from "~/ui/resource_text";
import { type Finding, findingsOn } from "./readiness";

const LOOKS = {
  refused: { color: "red", icon: <IconX size={12} /> },
  missing: { color: "orange", icon: <IconAlertTriangle size={12} /> },
  unknown: { color: "gray", icon: <IconQuestionMark size={12} /> },
} as const;

/** What is missing for the plan on one cluster, or cannot be switched there. */
export function ClusterCheck({ cluster, plan }: { cluster: Cluster; plan: Plan }) {
  const { t } = useTranslation("experiments");
  const findings = findingsOn(cluster, plan);
  return (
    <Stack gap={6} aria-live="polite">
      <Group gap="xs">
        <AnchorLink to="/clusters/$clusterId" params={{ clusterId: cluster.id }} size="sm" fw={600}>
          {cluster.name}
        </AnchorLink>
        {findings.length === 0 && (
          <Badge color="green" variant="light" tt="none" leftSection={<IconCheck size={12} />}>
            {t("all_there")}
          </Badge>
        )}
      </Group>
      {findings.length > 0 && (
        <List size="sm" spacing={6} listStyleType="none" withPadding={false}>
          {findings.map((finding) => (
            <Found key={`${finding.what}${finding.subject}${finding.value}`} finding={finding} />
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

function Found({ finding }: { finding: Finding }) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const say = useMessageText();
  const { level, what, subject = "", value = "", reasons, rights = [] } = finding;
  const named = what === "rights_missing" ? word("capability", subject) : word("axis", subject);
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
          {t(`finding.${what}`, {
            subject: named,
            value: typeof value === "number" ? value : word("axis_value", value),
          })}
          {reasons.map((reason) => (
            <Text key={reason.text} size="xs" c="dimmed">
              {say(reason)}
            </Text>
          ))}
          {rights.map(({ verbs, resource, group, name, namespace, why }) => (
            <Text key={`${verbs}${resource}${group}${name}${namespace}`} size="xs" c="dimmed">
              {t("right", {
                verbs: verbs.join(", "),
                resource: [resourceText({ resource, group, name }), namespace]
                  .filter(Boolean)
                  .join(" · "),
                why: say(why),
              })}
            </Text>
          ))}
        </div>
      </Group>
    </List.Item>
  );
}

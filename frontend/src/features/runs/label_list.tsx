import { Badge, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "~/ui/link";

/** What a run was said to be of when it started; each leads to the runs that have the same. */
export function LabelList({ labels }: { labels: Record<string, string> }) {
  const { t } = useTranslation("runs");
  const all = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (all.length === 0) return null;
  return (
    <Group component="ul" gap={4} p={0} m={0} aria-label={t("labels")}>
      {all.map((label) => (
        <Badge
          key={label}
          component="li"
          variant="outline"
          color="gray"
          size="sm"
          tt="none"
          fw={400}
          maw={260}
          title={label}
        >
          <AnchorLink inherit to="/runs" search={{ label }}>
            {label}
          </AnchorLink>
        </Badge>
      ))}
    </Group>
  );
}

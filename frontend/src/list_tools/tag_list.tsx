import { Badge, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** The tags of a thing; nothing where it has none. */
export function TagList({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation("finding");
  if (tags.length === 0) return null;
  return (
    <Group component="ul" gap={4} p={0} m={0} aria-label={t("tags")}>
      {tags.map((tag) => (
        <Badge key={tag} component="li" variant="default" size="sm" tt="none" fw={400}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

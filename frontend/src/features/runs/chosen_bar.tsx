import { Button, Group, Paper, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "~/ui/link";

/** What is chosen for a comparison, and the way there once there are two. */
export function ChosenBar({
  chosen,
  names,
  onClear,
}: {
  chosen: readonly string[];
  names: ReadonlyMap<string, string>;
  onClear: () => void;
}) {
  const { t } = useTranslation("runs");
  const [baseline, ...contenders] = chosen;
  if (baseline === undefined) return null;
  return (
    <Paper
      component="section"
      withBorder
      shadow="md"
      p="sm"
      aria-label={t("chosen_region")}
      style={{ position: "sticky", bottom: "var(--mantine-spacing-md)", zIndex: 5 }}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" aria-live="polite" style={{ flex: "1 1 14rem" }}>
          {t("chosen_count", { count: chosen.length })}{" "}
          {contenders.length === 0
            ? t("choose_another")
            : t("baseline_is", { name: names.get(baseline) ?? baseline })}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onClear}>
            {t("clear_choice")}
          </Button>
          {contenders.length > 0 && (
            <ButtonLink
              to="/compare"
              search={{
                baseline: { run: baseline },
                contenders: contenders.map((run) => ({ run })),
              }}
            >
              {t("compare_chosen")}
            </ButtonLink>
          )}
        </Group>
      </Group>
    </Paper>
  );
}

import { Button, Group, Paper, SimpleGrid, Text, Title } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { Moment } from "~/ui/moment";
import { alongAxis } from "./choice";
import type { CompareSearch } from "./search";
import type { Suggestion } from "./use_suggestions";

/** Comparisons that one click makes: the modes of a run with each other. */
export function Suggestions({
  suggestions,
  busy,
  onTake,
}: {
  suggestions: Suggestion[];
  busy: boolean;
  onTake: (choice: CompareSearch) => void;
}) {
  const { t } = useTranslation("comparisons");
  if (suggestions.length === 0) return null;
  return (
    <section aria-labelledby="suggestions">
      <Title order={2} size="h4" id="suggestions" mb="sm">
        {t("suggestions")}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {suggestions.map((one) => (
          <Card
            key={`${one.run.id} ${one.along.axis}`}
            suggestion={one}
            busy={busy}
            onTake={onTake}
          />
        ))}
      </SimpleGrid>
    </section>
  );
}

function Card({
  suggestion: { run, along },
  busy,
  onTake,
}: {
  suggestion: Suggestion;
  busy: boolean;
  onTake: (choice: CompareSearch) => void;
}) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const [baseline, ...others] = along.values.map((value) => word("axis_value", value));
  const axis = word("axis", along.axis);
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: "1 1 14rem", minWidth: 0 }}>
          <Text fw={600}>{run.name}</Text>
          <Text size="sm">
            {t("suggestion", { axis, baseline, others: others.join(t("and")) })}
          </Text>
          <Text size="sm" c="dimmed">
            {word("kind", run.kind)} · <Moment at={run.created_at} />
          </Text>
        </div>
        <Button
          variant="light"
          leftSection={<IconArrowsDiff size={16} />}
          disabled={busy}
          onClick={() => onTake({ ...alongAxis(run.id, along), metrics: "all" })}
          aria-label={t("compare_modes_of", { run: run.name, axis })}
        >
          {t("compare_modes")}
        </Button>
      </Group>
    </Paper>
  );
}

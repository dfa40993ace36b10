import { SimpleGrid, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Environment } from "~/queries/imports";
import { FIELDS } from "./environment";

/** What the user knows of where it was measured; notes are the only field of several lines. */
export function EnvironmentFields({
  environment,
  faultAt,
  onChange,
}: {
  environment: Environment;
  /** Why a field was refused. */
  faultAt: (field: string) => string | undefined;
  onChange: (environment: Environment) => void;
}) {
  const { t } = useTranslation("imports");
  const word = useWords();
  return (
    <Stack gap="sm" component="section" aria-label={t("environment")}>
      <Title order={2} size="h4">
        {t("environment")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("environment_text")}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
        {FIELDS.map((field) => (
          <TextInput
            key={field}
            label={word("parameter", field)}
            value={environment[field]}
            maxLength={200}
            error={faultAt(field)}
            onChange={(event) => onChange({ ...environment, [field]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <Textarea
        label={word("parameter", "notes")}
        value={environment.notes}
        maxLength={2000}
        minRows={2}
        autosize
        error={faultAt("notes")}
        onChange={(event) => onChange({ ...environment, notes: event.currentTarget.value })}
      />
    </Stack>
  );
}

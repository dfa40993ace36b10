import { Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { RunDetail } from "~/queries/runs";
import { CodeBlock } from "~/ui/code_block";
import { resolvedText, writtenText } from "./specification";

/** What the run runs with, and what its author wrote; later changes of either's source do nothing. */
export function SpecificationTab({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t("specification_text")}</Text>
      <CodeBlock text={resolvedText(run.spec)} label={t("tab_specification")} />
      <Title order={2} size="h4" mt="md">
        {t("specification_written")}
      </Title>
      <CodeBlock text={writtenText(run.written)} label={t("specification_written")} />
    </Stack>
  );
}

import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { stringify } from "yaml";
import type { RunDetail } from "~/queries/runs";
import { CodeBlock } from "~/ui/code_block";

/** The spec that the run was started with; later changes of its experiment do not touch it. */
export function SpecificationTab({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t("specification_text")}</Text>
      <CodeBlock text={stringify(known(run.spec))} label={t("tab_specification")} />
    </Stack>
  );
}

/** As an author writes it: what keeps the profile's figure is not said. */
function known({ repetition, ...rest }: RunDetail["spec"]): object {
  const said = Object.entries(repetition ?? {}).filter(([, value]) => value !== null);
  return { ...rest, repetition: Object.fromEntries(said) };
}

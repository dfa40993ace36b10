import { NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useExplained } from "~/i18n/explained";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { faultAt, type SpecFault } from "./faults";
import { shown } from "./typed";
import type { Spec } from "./use_spec";

/** What the experiment is called, what it measures, and what it is for. */
export function AboutFields({
  spec,
  kinds,
  faults,
}: {
  spec: Spec;
  kinds: readonly Kind[];
  faults: readonly SpecFault[];
}) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const { value } = spec.readable;
  const kind = shown(value.kind) ?? "";
  const known = kinds.find(({ name }) => name === kind);
  const names: string[] = kinds.map(({ name }) => name);
  if (!known) names.unshift(kind);
  return (
    <Stack gap="md">
      <TextInput
        label={t("name")}
        required
        error={faultAt(faults, "/name")}
        value={shown(value.name) ?? ""}
        onChange={(event) => spec.edit(["name"], event.currentTarget.value)}
        autoComplete="off"
      />
      <NativeSelect
        label={t("kind")}
        description={known && explained("kind_description", known.name, known.description)}
        error={faultAt(faults, "/kind")}
        value={kind}
        data={names.map((name) => ({ value: name, label: name === "" ? "" : word("kind", name) }))}
        onChange={(event) => spec.edit(["kind"], event.currentTarget.value)}
      />
      <Textarea
        label={t("description")}
        autosize
        minRows={2}
        maxRows={8}
        error={faultAt(faults, "/description")}
        value={shown(value.description) ?? ""}
        onChange={(event) => spec.edit(["description"], event.currentTarget.value || undefined)}
      />
    </Stack>
  );
}

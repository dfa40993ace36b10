import { Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface Named {
  name: string;
  description: string;
}

/** What a cluster is called, and what is said of it. */
export function NameFields({
  value,
  hint,
  onChange,
  at,
}: {
  value: Named;
  hint?: string;
  onChange: (part: Partial<Named>) => void;
  at: (pointer: string) => string | undefined;
}) {
  const { t } = useTranslation("clusters");
  return (
    <>
      <TextInput
        label={t("name")}
        description={hint}
        required
        maxLength={200}
        value={value.name}
        error={at("/name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label={t("description")}
        autosize
        minRows={2}
        maxLength={4000}
        value={value.description}
        error={at("/description")}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}

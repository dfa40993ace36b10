import { NativeSelect, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { ImportAxis } from "~/queries/imports";

/** Where an output, or all of them, lie on an axis. */
export function AxisCell({
  axis,
  label,
  value,
  error,
  onChange,
}: {
  axis: ImportAxis;
  label: string;
  value: string;
  error?: string;
  onChange: (written: string) => void;
}) {
  const { t } = useTranslation("imports");
  const word = useWords();
  if (axis.choices.length === 0) {
    return (
      <TextInput
        size="xs"
        aria-label={label}
        value={value}
        error={error}
        inputMode={axis.name === "variant" ? "text" : "numeric"}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: t("not_said") },
        ...axis.choices.map((one) => ({ value: one, label: word("axis_value", one) })),
      ]}
    />
  );
}

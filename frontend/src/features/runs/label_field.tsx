import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readLabel } from "./search";

/** Between the last key and the question, in ms. */
const TYPED_MS = 300;

/** Runs with a label, as `branch=main`; what is no label yet narrows nothing. */
export function LabelField({
  value = "",
  onChange,
}: {
  value?: string;
  onChange: (label: string | undefined) => void;
}) {
  const { t } = useTranslation("runs");
  const [typed, setTyped] = useState(value);
  const [followed, setFollowed] = useState(value);
  if (value !== followed) {
    setFollowed(value);
    if (value !== (readLabel(typed) ?? "")) setTyped(value);
  }
  const ask = useDebouncedCallback((text: string) => onChange(readLabel(text)), TYPED_MS);
  return (
    <TextInput
      label={t("filter_label")}
      placeholder={t("label_hint")}
      value={typed}
      maxLength={264}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        ask(event.currentTarget.value);
      }}
      style={{ flex: "1 1 9rem", maxWidth: "14rem" }}
    />
  );
}

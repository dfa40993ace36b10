import { Input, NativeSelect, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";
import { InYamlOnly } from "./axis_field";
import type { SchemaField } from "./schema_fields";
import { numberOrText, settled, shown } from "./typed";

interface ParameterFieldProps {
  field: SchemaField;
  label: string;
  description?: string;
  /** The default, as a hint; the field's own fallback if not set. */
  placeholder?: string;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

/** One scalar of the specification, by the type that its schema says. Empty means not given. */
export function ParameterField({
  field,
  label,
  description,
  placeholder,
  value,
  error,
  onChange,
}: ParameterFieldProps) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const text = shown(value);
  const hint = placeholder ?? (field.fallback === null ? "" : String(field.fallback));
  const common = { label, description: withRange(field, description), error };

  if (text === null || field.type === "other") {
    return (
      <Input.Wrapper {...common} labelElement="div">
        <InYamlOnly value={value ?? field.fallback} />
      </Input.Wrapper>
    );
  }
  if (field.type === "choice" || field.type === "boolean") {
    const known = field.type === "boolean" ? ["true", "false"] : field.choices;
    const values = text === "" || known.includes(text) ? known : [...known, text];
    const options = values.map((one) => ({ value: one, label: word("axis_value", one) }));
    return (
      <NativeSelect
        {...common}
        value={text}
        data={[{ value: "", label: t("not_given", { value: hint }) }, ...options]}
        onChange={({ currentTarget: { value: chosen } }) =>
          onChange(
            chosen === "" ? undefined : field.type === "boolean" ? chosen === "true" : chosen,
          )
        }
      />
    );
  }
  const isNumber = field.type !== "string";
  return (
    <TextInput
      {...common}
      placeholder={hint}
      inputMode={field.type === "integer" ? "numeric" : isNumber ? "decimal" : undefined}
      value={text}
      onChange={({ currentTarget: { value: typed } }) =>
        onChange(isNumber ? numberOrText(typed) : typed === "" ? undefined : typed)
      }
      onBlur={() => {
        const whole = isNumber ? settled(value) : value;
        if (whole !== value) onChange(whole);
      }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** A limit with digit grouping: long numbers are unreadable without commas. */
const bound = (value: number) => (value < 10_000 ? String(value) : formatNumber(value, true));

function withRange({ minimum, maximum }: SchemaField, description = ""): string {
  const range =
    minimum === undefined
      ? ""
      : maximum === undefined
        ? `≥\u00a0${bound(minimum)}`
        : `${bound(minimum)}\u00a0–\u2060\u00a0${bound(maximum)}`;
  return [description, range].filter(Boolean).join(" · ");
}

import { Button, Checkbox, Group, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { OBJECTS, OPERATIONS } from "./operations";
import { type AuditSearch, readAuditSearch } from "./search";

const WIDE = { flex: "2 1 12rem", maxWidth: "22rem" };
const NARROW = { flex: "1 1 9rem", maxWidth: "22rem" };

/** What the log can be narrowed to. What is written counts once it is sent, the rest at once. */
export function AuditFilters({
  search,
  onChange,
}: {
  search: AuditSearch;
  onChange: (next: AuditSearch) => void;
}) {
  const { t } = useTranslation("audit");
  const word = useWords();
  const [who, setWho] = useState(search.who ?? "");
  const [object, setObject] = useState(search.object ?? "");
  const change = (next: Record<string, unknown>) =>
    onChange(readAuditSearch({ ...search, who, object, ...next }));
  function submit(event: FormEvent) {
    event.preventDefault();
    change({});
  }
  const choices = (
    group: "audited_operation" | "audited_object",
    known: readonly string[],
    chosen: string | undefined,
  ) =>
    (chosen === undefined || known.includes(chosen) ? known : [...known, chosen]).map((value) => ({
      value,
      label: word(group, value),
    }));
  return (
    <form onSubmit={submit}>
      <Group component="search" gap="sm" align="flex-end" aria-label={t("filters")}>
        <TextInput
          label={t("who")}
          style={WIDE}
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
        />
        <NativeSelect
          label={t("what")}
          style={WIDE}
          value={search.operation ?? ""}
          onChange={(event) => change({ operation: event.currentTarget.value })}
          data={[
            { value: "", label: t("everything") },
            ...choices("audited_operation", OPERATIONS, search.operation),
          ]}
        />
        <NativeSelect
          label={t("to_what")}
          style={NARROW}
          value={search.kind ?? ""}
          onChange={(event) => change({ kind: event.currentTarget.value })}
          data={[
            { value: "", label: t("anything") },
            ...choices("audited_object", OBJECTS, search.kind),
          ]}
        />
        <TextInput
          label={t("named")}
          style={WIDE}
          value={object}
          onChange={(event) => setObject(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t("from")}
          style={NARROW}
          value={search.from ?? ""}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t("to")}
          style={NARROW}
          value={search.to ?? ""}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <Checkbox
          label={t("refused_only")}
          pb={8}
          checked={search.refused ?? false}
          onChange={(event) => change({ refused: event.currentTarget.checked })}
        />
        <Button type="submit" variant="default">
          {t("look")}
        </Button>
      </Group>
    </form>
  );
}

import { Checkbox, Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { bracketed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { tagsOptions } from "~/queries/marks";
import { type ListSearch, ORDERS } from "./list_search";

/** Between the last key and the question, in ms. */
const TYPED_MS = 300;

/** What every list can be narrowed to and ordered by; `children` are what this one has besides. */
export function ListFilters({
  search,
  marked = true,
  hint,
  onChange,
  children,
}: {
  search: ListSearch;
  /** Whether what it lists has tags, and can be a favourite. */
  marked?: boolean;
  /** What is looked for, where that is not what is looked for in most lists. */
  hint?: string;
  /** Another list: its first page. */
  onChange: (change: ListSearch) => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation("finding");
  const word = useWords();
  const change = (next: ListSearch) => onChange({ ...next, pages: undefined });
  return (
    <Group component="search" gap="sm" align="flex-end" aria-label={t("filters")}>
      <WordsField value={search.q} hint={hint} onChange={(q) => change({ q })} />
      {children}
      {marked && <TagField value={search.tag} onChange={(tag) => change({ tag })} />}
      <FilterSelect
        label={t("sort")}
        value={search.sort ?? "newest"}
        data={ORDERS.map((value) => ({ value, label: word("order", value) }))}
        onChange={(sort) => change({ sort: sort as ListSearch["sort"] })}
      />
      {marked && (
        <Checkbox
          label={t("favourites_alone")}
          checked={search.favourite === true}
          onChange={(event) => change({ favourite: event.currentTarget.checked || undefined })}
          mb={8}
        />
      )}
    </Group>
  );
}

/** A choice of one value; the empty one narrows nothing. */
export function FilterSelect({
  label,
  value,
  data,
  onChange,
}: {
  label: string;
  value: string | undefined;
  data: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={data}
      style={{ flex: "1 1 9rem", maxWidth: "14rem" }}
    />
  );
}

function TagField({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (tag: string | undefined) => void;
}) {
  const { t } = useTranslation("finding");
  const { data = [] } = useQuery(tagsOptions);
  const tags = data.map(({ tag, count }) => ({ value: tag, label: bracketed(tag, String(count)) }));
  if (value !== undefined && !tags.some((one) => one.value === value)) {
    tags.push({ value, label: value });
  }
  if (tags.length === 0) return null;
  return (
    <FilterSelect
      label={t("tag")}
      value={value}
      data={[{ value: "", label: t("all_tags") }, ...tags]}
      onChange={onChange}
    />
  );
}

/** Asks a moment after the last key, and follows the address where that changes by itself. */
function WordsField({
  value = "",
  hint,
  onChange,
}: {
  value?: string;
  hint?: string;
  onChange: (words: string | undefined) => void;
}) {
  const { t } = useTranslation("finding");
  const [typed, setTyped] = useState(value);
  const [followed, setFollowed] = useState(value);
  if (value !== followed) {
    setFollowed(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const ask = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), TYPED_MS);
  return (
    <TextInput
      type="search"
      label={t("words")}
      placeholder={hint ?? t("words_hint")}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      maxLength={200}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        ask(event.currentTarget.value);
      }}
      style={{ flex: "2 1 15rem", maxWidth: "24rem" }}
    />
  );
}

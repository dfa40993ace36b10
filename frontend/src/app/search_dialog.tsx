import { Badge, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconArrowsDiff,
  IconCamera,
  IconFlask,
  IconPlayerPlay,
  IconSearch,
  IconServer2,
  IconStarFilled,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { type FoundName, searchOptions } from "~/queries/marks";
import { RunBadge } from "~/ui/badges";
import { useComparisonText } from "~/ui/comparison_text";
import { ProblemAlert } from "~/ui/problem_alert";
import classes from "./search_dialog.module.css";

type Found = Schemas["FoundThing"];

/** Between the last key and the question, in ms. */
const TYPED_MS = 200;
const ICONS = {
  cluster: IconServer2,
  experiment: IconFlask,
  run: IconPlayerPlay,
  comparison: IconArrowsDiff,
  snapshot: IconCamera,
} as const satisfies Record<FoundName, unknown>;
const LISTS = {
  cluster: "/clusters",
  experiment: "/experiments",
  run: "/runs",
  comparison: "/comparisons",
  snapshot: "/snapshots",
} as const satisfies Record<FoundName, string>;

/** A place to go to: something that was found, or the list of all that matches. */
type SearchEntry = { found: Found } | { all: FoundName };

/** Looks for words in everything. Arrows move through what is found, Enter opens it. */
export default function SearchDialog({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation(["finding", "common"]);
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), TYPED_MS);
  const query = useQuery({ ...searchOptions(asked), placeholderData: keepPreviousData });
  const [at, setAt] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // The dialog stood before its code had arrived.
  useEffect(() => field.current?.focus(), []);
  const places = asked === "" ? [] : placesOf(query.data);
  const here = Math.min(at, places.length - 1);

  function go(place: SearchEntry | undefined) {
    if (place === undefined) return;
    onDone();
    void navigate(addressOf(place, asked));
  }
  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && places.length > 0) {
      event.preventDefault();
      setAt((here + step + places.length) % places.length);
    }
    // A composed character is ended by Enter too.
    if (event.key === "Enter" && !event.nativeEvent.isComposing) go(places[here]);
  }

  return (
    <Stack gap="sm">
      <TextInput
        ref={field}
        data-autofocus
        type="search"
        role="combobox"
        aria-label={t("search_words")}
        aria-expanded={places.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={places.length > 0 ? `${id}-${here}` : undefined}
        placeholder={t("search_hint")}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        maxLength={200}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      {query.error && <ProblemAlert error={query.error} />}
      <Text size="sm" c="dimmed" role="status">
        {asked === "" || query.data === undefined || query.isPlaceholderData
          ? t("search_text")
          : places.length === 0
            ? t("nothing_found")
            : t("found", { count: query.data.items.length })}
      </Text>
      <div id={`${id}-found`} role="listbox" aria-label={t("search_found")}>
        {places.map((place, index) => (
          // The keyboard stays in the field, which says which option is the active one.
          // biome-ignore lint/a11y/useFocusableInteractive: by aria-activedescendant
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={"all" in place ? place.all : place.found.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === here}
            className={classes.option}
            onMouseMove={() => setAt(index)}
            onClick={() => go(place)}
          >
            <PlaceText place={place} />
          </div>
        ))}
      </div>
    </Stack>
  );
}

function PlaceText({ place }: { place: SearchEntry }) {
  const { t } = useTranslation("finding");
  const word = useWords();
  const comparisonText = useComparisonText();
  if ("all" in place) return <Text size="sm">{t(`all_found.${place.all}`)}</Text>;
  const { found } = place;
  const Icon = ICONS[found.thing];
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="sm" wrap="nowrap" style={{ flex: "1 1 14rem", minWidth: 0 }}>
        <Icon size={18} aria-hidden style={{ flexShrink: 0 }} />
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={600}>
            {found.thing === "comparison" ? comparisonText(found) : found.name}{" "}
            {found.favourite && <IconStarFilled size={12} aria-label={t("is_favourite")} />}
          </Text>
          <Text size="xs" c="dimmed">
            {[t(`thing.${found.thing}`), found.kind && word("kind", found.kind)]
              .filter(Boolean)
              .join(" · ")}
          </Text>
        </div>
      </Group>
      <Group gap={4} justify="flex-end">
        {found.tags.map((tag) => (
          <Badge key={tag} variant="default" size="sm" tt="none" fw={400}>
            {tag}
          </Badge>
        ))}
        {found.state && <RunBadge run={{ state: found.state, outcome: found.outcome }} />}
      </Group>
    </Group>
  );
}

/** What was found, and after the last of a sort that has more the list of them all. */
function placesOf(answer: Schemas["SearchAnswer"] | undefined): SearchEntry[] {
  return (Object.keys(LISTS) as FoundName[]).flatMap((thing) => {
    const items: SearchEntry[] = (answer?.items ?? [])
      .filter((found) => found.thing === thing)
      .map((found) => ({ found }));
    return answer?.more.includes(thing) ? [...items, { all: thing }] : items;
  });
}

function addressOf(place: SearchEntry, words: string) {
  if ("all" in place) return { to: LISTS[place.all], search: { q: words } };
  const { id, name } = place.found;
  switch (place.found.thing) {
    case "cluster":
      return { to: "/clusters/$clusterId" as const, params: { clusterId: id } };
    case "experiment":
      return { to: "/experiments/$experimentId" as const, params: { experimentId: id } };
    case "run":
      return { to: "/runs/$runId" as const, params: { runId: id } };
    case "comparison":
      return { to: "/compare/$comparisonId" as const, params: { comparisonId: id } };
    case "snapshot":
      // Its link is known to nobody any more.
      return { to: LISTS.snapshot, search: { q: name } };
  }
}

import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useMe } from "~/queries/accounts";
import {
  type Keep,
  previewOptions,
  type SharedSnapshot,
  type Subject,
  useShare,
} from "~/queries/snapshots";
import { Loaded } from "~/ui/loaded";
import { ProblemAlert } from "~/ui/problem_alert";
import { drawPicture, headlineOf } from "./picture";
import { Redactions } from "./redactions";
import { SharedLink } from "./shared_link";
import { nameOf } from "./subject_name";

type SnapshotContent = Schemas["SnapshotContent"];
type Sentence = Schemas["Sentence"];

const KEEPS: readonly Keep[] = [
  "cluster",
  "node",
  "namespace",
  "account",
  "host",
  "address",
  "url",
];
/** What authors write is of these. */
const WITH_NOTES: readonly Subject["kind"][] = ["experiment", "cluster"];
/** In sight however much there is to read above it, also over the head of the table there. */
const FOOT = {
  position: "sticky",
  bottom: 0,
  zIndex: 4,
  background: "var(--mantine-color-body)",
} as const;
const EXPIRIES = ["7", "30", "90", "365", "never"] as const;

/** What would be public, name by name, before anything is; then the link, once. */
export function ShareDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const { t } = useTranslation(["snapshots", "common"]);
  const may = useMe().may("operator");
  const keeps: readonly Keep[] = WITH_NOTES.includes(subject.kind) ? [...KEEPS, "notes"] : KEEPS;
  const [title, setTitle] = useState<string | null>(null);
  const [keep, setKeep] = useState<Keep[]>([]);
  const [expiry, setExpiry] = useState<string>("90");
  const preview = useQuery(previewOptions(subject, keep));
  const share = useShare(subject, (title) => draw(title, preview.data?.content));
  // As it would be shown: a name that must be replaced is in no title by default.
  const shown =
    title ?? (preview.data ? nameOf(preview.data.content, t("reproduction_title")) : "");

  if (share.data) return <Done {...share.data} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={t(`share_${subject.kind}`)} size="xl">
      <Stack>
        {!may && <Text c="red">{t("operators_only")}</Text>}
        <Text size="sm">{t("share_text")}</Text>
        <TextInput
          label={t("link_title")}
          required
          maxLength={200}
          value={shown}
          error={share.error && shown.trim() === "" ? t("title_needed") : undefined}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <NativeSelect
          label={t("expires")}
          value={expiry}
          onChange={(event) => setExpiry(event.currentTarget.value)}
          data={EXPIRIES.map((days) => ({
            value: days,
            label: days === "never" ? t("never") : t("days", { count: Number(days) }),
          }))}
        />
        <Checkbox.Group
          label={t("keep_label")}
          description={t("keep_text")}
          value={keep}
          onChange={(chosen) => setKeep(keeps.filter((kind) => chosen.includes(kind)))}
        >
          <Group mt="xs">
            {keeps.map((kind) => (
              <Checkbox key={kind} value={kind} label={t(`keep.${kind}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        <Loaded query={preview}>
          {(found) => <Redactions replacements={found.replacements} />}
        </Loaded>
        {share.error && <ProblemAlert error={share.error} />}
        <Group justify="flex-end" py="sm" style={FOOT}>
          <Button variant="default" onClick={onClose}>
            {t("common:cancel")}
          </Button>
          <Button
            disabled={!may || shown.trim() === "" || !preview.data || preview.isPlaceholderData}
            loading={share.isPending}
            onClick={() =>
              share.mutate({
                title: shown.trim(),
                keep,
                expires_in_days: expiry === "never" ? null : Number(expiry),
              })
            }
          >
            {t("make_link")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The picture of what the preview says. */
function draw(title: string, content: SnapshotContent | undefined): string {
  const headline = content && headlineOf(content);
  const said = ({ text }: Sentence) => text;
  return drawPicture({
    title,
    sentences: headline?.sentences.map(said) ?? [],
    caveats: headline?.caveats?.map(said) ?? [],
    foot: `Podmeter · ${content?.taken_at.slice(0, 10) ?? ""}`,
  });
}

function Done({
  shared,
  pictured,
  onClose,
}: {
  shared: SharedSnapshot;
  pictured: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation(["snapshots", "common"]);
  return (
    <Modal opened onClose={onClose} title={t("link_made")} size="lg">
      <Stack>
        <SharedLink url={shared.url} />
        {!pictured && <Text size="sm">{t("no_picture")}</Text>}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t("common:close")}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyButton } from "~/ui/copy_button";

/** The link of a new snapshot. Only its digest is kept, so it cannot be shown again. */
export function SharedLink({ url }: { url: string }) {
  const { t } = useTranslation("snapshots");
  const frame = `<iframe src="${url}/embed" width="100%" height="640" loading="lazy"></iframe>`;
  return (
    <Stack>
      <Text size="sm">{t("link_once")}</Text>
      <ToCopy label={t("link")} text={url} />
      <Group>
        <CopyButton text={url} label={t("copy_link")} />
        <Anchor href={url} target="_blank" rel="noreferrer">
          {t("open_link")}
        </Anchor>
      </Group>
      <ToCopy label={t("embed")} text={frame} />
      <Group>
        <CopyButton text={frame} label={t("copy_embed")} />
      </Group>
    </Stack>
  );
}

function ToCopy({ label, text }: { label: string; text: string }) {
  return (
    <TextInput
      label={label}
      value={text}
      readOnly
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}

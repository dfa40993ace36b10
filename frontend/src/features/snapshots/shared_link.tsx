import { Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyButton } from "~/ui/copy_button";

/** The link of a new snapshot. Only its digest is kept, so it cannot be shown again. */
export function SharedLink({ url }: { url: string }) {
  const { t } = useTranslation("snapshots");
  return (
    <Stack>
      <Text size="sm">{t("link_once")}</Text>
      <TextInput
        label={t("link")}
        value={url}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group>
        <CopyButton text={url} label={t("copy_link")} />
        <Anchor href={url} target="_blank" rel="noreferrer">
          {t("open_link")}
        </Anchor>
      </Group>
    </Stack>
  );
}

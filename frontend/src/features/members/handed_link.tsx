import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "~/ui/code_block";
import { Moment } from "~/ui/moment";

/** A link that was just made, the one time that it can be seen: Podmeter sends no mail. */
export function HandedLink({
  title,
  text,
  made,
  onDone,
}: {
  title: string;
  text: string;
  made: { link: string; expires_at: string };
  onDone: () => void;
}) {
  const { t } = useTranslation("members");
  return (
    <Alert role="status" color="green" variant="light" icon={<IconLink />} title={title}>
      <Stack gap="md" align="stretch">
        <Text size="sm">
          {text} {t("link_until")} <Moment at={made.expires_at} />
        </Text>
        <CodeBlock text={made.link} label={t("link")} />
        <Group>
          <Button variant="default" onClick={onDone}>
            {t("link_noted")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

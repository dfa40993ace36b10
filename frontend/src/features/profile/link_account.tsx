import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { useStartSignOn } from "~/queries/sign_on";
import { ProblemAlert } from "~/ui/problem_alert";

/** Links an account that has a password to single sign-on, by signing on while logged in to it. */
export function LinkAccount({ name }: { name: string }) {
  const { t } = useTranslation("profile");
  const me = useMe();
  const start = useStartSignOn();
  return (
    <Stack gap="sm">
      <Text size="sm">{t("link_text", { name, email: me.email })}</Text>
      {start.error && <ProblemAlert error={start.error} />}
      <Group>
        <Button
          variant="default"
          loading={start.isPending || start.isSuccess}
          onClick={() => start.mutate({ next: "/profile" })}
        >
          {t("link", { name })}
        </Button>
      </Group>
    </Stack>
  );
}

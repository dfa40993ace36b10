import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { useLogOut, useMe } from "~/queries/accounts";

export function AccountMenu() {
  const { t } = useTranslation(["common", "accounts"]);
  const word = useWords();
  const me = useMe();
  const navigate = useNavigate();
  const logOut = useLogOut();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("account")}>
          <IconUserCircle size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600}>
            {me.email}
          </Text>
          <Text size="xs">
            {me.organization} · {word("role", me.role)}
          </Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => logOut.mutate(undefined, { onSuccess: () => navigate({ to: "/login" }) })}
        >
          {t("accounts:log_out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

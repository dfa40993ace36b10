import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconArrowsExchange, IconLogout, IconUser, IconUserCircle } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { ownOrganizationsOptions, useLogOut, useMe, useSwitch } from "~/queries/accounts";
import { MenuLink } from "~/ui/menu_link";
import { toLogin } from "./to_login";

export function AccountMenu() {
  const { t } = useTranslation(["common", "accounts"]);
  const word = useWords();
  const me = useMe();
  const client = useQueryClient();
  const router = useRouter();
  const logOut = useLogOut(() => toLogin(router, client));
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
        <OtherOrganizations />
        <MenuLink to="/profile" leftSection={<IconUser size={16} />}>
          {t("accounts:profile")}
        </MenuLink>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.mutate()}>
          {t("accounts:log_out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asked for when the menu is opened: who belongs to one alone sees none. */
function OtherOrganizations() {
  const { t } = useTranslation("accounts");
  const { data = [] } = useQuery(ownOrganizationsOptions);
  const go = useSwitch();
  return data
    .filter((one) => !one.current)
    .map((one) => (
      <Menu.Item
        key={one.id}
        leftSection={<IconArrowsExchange size={16} />}
        onClick={() => go.mutate(one.id, { onSuccess: () => location.assign("/") })}
      >
        {t("switch_to", { name: one.name })}
      </Menu.Item>
    ));
}

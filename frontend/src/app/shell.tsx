import { Anchor, AppShell, Burger, Group, NavLink } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Notifications } from "@mantine/notifications";
import {
  IconArrowsDiff,
  IconBook2,
  IconCamera,
  IconClipboardText,
  IconFlask,
  IconHistory,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconServer2,
  IconSettings,
  IconUsers,
} from "@tabler/icons-react";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFollowMe, useMe } from "~/queries/accounts";
import { Brand } from "~/ui/brand";
import { LanguageMenu } from "~/ui/language_menu";
import { ThemeMenu } from "~/ui/theme_menu";
import { AccountMenu } from "./account_menu";
import { ConnectionBanner } from "./connection_banner";
import { OrganizationChangedDialog } from "./organization_changed_dialog";
import { PartsAlert } from "./parts_alert";
import { SearchButton } from "./search_button";
import "@mantine/notifications/styles.css";

const PAGES = [
  { to: "/", label: "overview", icon: IconLayoutDashboard },
  { to: "/clusters", label: "clusters", icon: IconServer2 },
  { to: "/experiments", label: "experiments", icon: IconFlask },
  { to: "/runs", label: "runs", icon: IconPlayerPlay },
  { to: "/imports", label: "frame:imports", icon: IconClipboardText },
  { to: "/compare", label: "compare", icon: IconArrowsDiff, also: "/comparisons" },
  { to: "/references", label: "frame:references", icon: IconBook2 },
  { to: "/snapshots", label: "snapshots", icon: IconCamera },
  { to: "/members", label: "frame:members", icon: IconUsers },
  { to: "/audit", label: "frame:audit", icon: IconHistory, admins: true },
  { to: "/settings", label: "settings", icon: IconSettings },
] as const;

/** The application's frame with the page inside: for somebody who is logged in. */
export function Shell() {
  useFollowMe();
  const me = useMe();
  return (
    <Frame
      forAdmins={me.may("admin")}
      more={
        <>
          <SearchButton />
          <LanguageMenu />
          <ThemeMenu />
          <AccountMenu />
        </>
      }
    >
      <Notifications position="bottom-right" />
      <OrganizationChangedDialog />
      <ConnectionBanner />
      <PartsAlert />
      <Outlet />
    </Frame>
  );
}

interface FrameProps {
  forAdmins?: boolean;
  /** At the right of the header. */
  more: ReactNode;
  children: ReactNode;
}

/** Header and navigation around a page. It asks the server for nothing, so it is there at once. */
export function Frame({ forAdmins = false, more, children }: FrameProps) {
  const { t } = useTranslation(["common", "frame"]);
  const [opened, { toggle, close }] = useDisclosure();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const pages = PAGES.filter((page) => !("admins" in page) || forAdmins);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header px="md" className="on-screen">
        <Anchor href="#content" className="visually-hidden">
          {t("skip_to_content")}
        </Anchor>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t("open_navigation")}
              aria-expanded={opened}
            />
            <Anchor component={Link} to="/" underline="never" c="inherit">
              <Brand />
            </Anchor>
          </Group>
          <Group gap={4} wrap="nowrap">
            {more}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t("navigation")} className="on-screen">
        {pages.map(({ to, label, icon: Icon, ...page }) => {
          const within = "also" in page && path.startsWith(page.also);
          return (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === "/" }}
              {...(within && { "aria-current": "page" })}
              className="plain-link"
            >
              {({ isActive }) => (
                <NavLink
                  component="span"
                  active={isActive || within}
                  label={t(label)}
                  leftSection={<Icon size={18} />}
                  onClick={close}
                />
              )}
            </Link>
          );
        })}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

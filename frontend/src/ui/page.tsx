import { Box, Group, Stack, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** The document's title, "Runs – Podmeter". */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Podmeter`;
  }, [title]);
}

interface PageProps {
  title: string;
  /** What the browser's tab says; the title if not given. */
  tabTitle?: string;
  /** Beside the title: badges that say what state the thing is in. */
  status?: ReactNode;
  /** Under the title, a line or two. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** Whether what the page is about has arrived; tests and screen readers wait for it. */
  ready?: boolean;
  children: ReactNode;
}

/** The frame of every page inside the application: heading, actions, content. */
export function Page({
  title,
  tabTitle,
  status,
  subtitle,
  actions,
  ready = true,
  children,
}: PageProps) {
  usePageTitle(tabTitle ?? title);
  return (
    <Stack gap="lg" data-ready={ready} aria-busy={!ready}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box style={{ flex: "1 1 16rem", minWidth: 0 }}>
          <Group gap="sm">
            <Title order={1} size="h2">
              {title}
            </Title>
            {status}
          </Group>
          {subtitle}
        </Box>
        {actions && (
          <Group gap="xs" className="on-screen">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  );
}

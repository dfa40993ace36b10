import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Brand } from "~/ui/brand";

/** The frame of a page for those who are not logged in. */
export function Card({
  title,
  text,
  ready = true,
  children,
}: {
  title: string;
  text: string;
  ready?: boolean;
  children: ReactNode;
}) {
  return (
    <Center component="main" mih="100vh" p="md" data-ready={ready} aria-busy={!ready}>
      <Paper withBorder p="xl" w="100%" maw={400}>
        <Stack>
          <Brand size={36} />
          <div>
            <Title order={1} size="h3">
              {title}
            </Title>
            <Text c="dimmed" size="sm">
              {text}
            </Text>
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

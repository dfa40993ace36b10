import { Box, Group, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of a page under its own heading, named by it for those who jump between regions. */
export function Section({
  title,
  text,
  more,
  framed = false,
  children,
}: {
  title: string;
  text?: string;
  /** Beside the heading, where to see more. */
  more?: ReactNode;
  framed?: boolean;
  children?: ReactNode;
}) {
  const id = useId();
  const content = (
    <>
      <Group justify="space-between" gap="sm" mb={text ? 4 : "sm"}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {more}
      </Group>
      {text && (
        <Text size="sm" c="dimmed" mb="md">
          {text}
        </Text>
      )}
      {children}
    </>
  );
  return framed ? (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      {content}
    </Paper>
  ) : (
    <Box component="section" aria-labelledby={id}>
      {content}
    </Box>
  );
}

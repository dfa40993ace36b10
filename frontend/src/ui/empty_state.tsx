import { Center, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Nothing here yet: what would be here, and what to do next. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Center py="xl">
      <Stack align="center" maw={520} gap="sm" ta="center">
        {icon}
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" component="div">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}

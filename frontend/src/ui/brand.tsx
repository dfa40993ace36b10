import { Group, Text } from "@mantine/core";

/** The mark and the name. */
export function Brand({ size = 28 }: { size?: number }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src="/favicon.svg" width={size} height={size} alt="" />
      <Text fw={700} size="lg" translate="no">
        {NAME}
      </Text>
    </Group>
  );
}

const NAME = "Podmeter";

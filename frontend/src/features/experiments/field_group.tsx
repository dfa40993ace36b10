import { Box, Group, Input, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** Several controls that make one field: a fieldset with its name, explanation and fault. */
export function FieldGroup({
  label,
  aside,
  description,
  error,
  children,
}: {
  label: string;
  /** Beside the label: badges, a way back to the default. */
  aside?: ReactNode;
  description?: string;
  error?: string;
  children: ReactNode;
}) {
  const id = useId();
  const described = [description && `${id}-description`, error && `${id}-error`].filter(Boolean);
  return (
    <Box
      component="fieldset"
      aria-describedby={described.join(" ") || undefined}
      m={0}
      p={0}
      miw={0}
      style={{ border: 0 }}
    >
      <Box component="legend" p={0} className="visually-hidden">
        {label}
      </Box>
      <Group gap="xs" mih={24}>
        <Text size="sm" fw={500} aria-hidden>
          {label}
        </Text>
        {aside}
      </Group>
      {description && (
        <Input.Description id={`${id}-description`} mb={6}>
          {description}
        </Input.Description>
      )}
      {children}
      {error && (
        <Input.Error id={`${id}-error`} mt={6}>
          {error}
        </Input.Error>
      )}
    </Box>
  );
}

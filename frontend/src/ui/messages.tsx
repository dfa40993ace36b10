import { Alert, List } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Schemas } from "~/api/types";

type Message = Schemas["Message"];

/** What to keep in mind, each thing once; nothing where there is nothing. */
export function Warnings({ title, warnings }: { title: string; warnings: readonly Message[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert role="note" color="orange" icon={<IconAlertTriangle />} title={title}>
      <List size="sm">
        {[...new Set(warnings.map(({ text }) => text))].map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

import { Box } from "@mantine/core";
import type { ReactNode } from "react";

/** Something that can be opened: a native one, so that finding in the page opens it too. */
export function Disclosure({
  title,
  open = false,
  children,
}: {
  title: string;
  open?: boolean;
  children: ReactNode;
}) {
  return (
    <details open={open}>
      <Box component="summary" fz="sm" fw={600} py={4} style={{ cursor: "pointer" }}>
        {title}
      </Box>
      {children}
    </details>
  );
}

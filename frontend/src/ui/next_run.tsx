import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useRepetitionText } from "./repetition_text";

/** Which new run would decide what is not clear; `children` is what queues it. */
export function NextRun({
  next,
  children,
}: {
  next: Schemas["NextRun"] | null | undefined;
  children: ReactNode;
}) {
  const { t } = useTranslation("runs");
  const text = useRepetitionText();
  if (next == null) return null;
  const { code, decides, undecided } = next;
  return (
    <Stack gap={6} data-testid="next-run">
      <Text size="sm">
        {code === "least"
          ? t("repeat.least", { what: text(next), count: decides })
          : t("repeat.would_decide", { what: text(next), decides, count: undecided })}
      </Text>
      {children}
    </Stack>
  );
}

import { Button, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { PartBoundary } from "./failed_part";
import { lazyPart } from "./lazy_part";
import type { Repeated } from "./repeat_dialog";
import { useRepetitionText } from "./repetition_text";

/** Loaded where it is first asked for. */
const RepeatDialog = lazyPart(() => import("./repeat_dialog"), "RepeatDialog");

/** Queues a longer run of the same, after showing its plan; says if the role may not. */
export function RepeatRun({ may, ...rest }: Repeated & { may: boolean }) {
  const { t } = useTranslation("runs");
  const text = useRepetitionText();
  const why = useId();
  const [asked, setAsked] = useState(false);
  return (
    <Stack gap={4} align="flex-start">
      <Button
        size="xs"
        variant="light"
        leftSection={<IconPlayerPlay size={14} />}
        disabled={!may}
        aria-describedby={may ? undefined : why}
        onClick={() => setAsked(true)}
      >
        {t("repeat.ask", { what: text(rest.changes) })}
      </Button>
      {!may && (
        <Text size="xs" c="dimmed" id={why}>
          {t("repeat.may_not")}
        </Text>
      )}
      {asked && (
        <PartBoundary>
          <Suspense>
            <RepeatDialog {...rest} onClose={() => setAsked(false)} />
          </Suspense>
        </PartBoundary>
      )}
    </Stack>
  );
}

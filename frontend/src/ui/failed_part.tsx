import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { CatchBoundary, type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { connection, useAwaySince } from "~/api/connection";
import { UnreachableError } from "~/api/problem";
import { NotLoadedError } from "./lazy_part";
import { ProblemAlert } from "./problem_alert";

/** Keeps what fails in a part of a page inside the part, until `part` is another one. */
export function PartBoundary({ part = "", children }: { part?: string; children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => part} errorComponent={FailedPart}>
      {children}
    </CatchBoundary>
  );
}

/**
 * In the place of what failed; where the connection is to blame, it continues by itself. `title`
 * says what was not loaded, a part of the page if not given.
 */
export function FailedPart({ error, reset, title }: ErrorComponentProps & { title?: string }) {
  const { t } = useTranslation("frame");
  const router = useRouter();
  const notLoaded = error instanceof NotLoadedError ? error : null;

  async function again() {
    await notLoaded?.again();
    reset();
    await router.invalidate();
  }
  useBack(() => {
    if (notLoaded || error instanceof UnreachableError) void again();
  });
  useEffect(() => {
    if (notLoaded) connection.doubt();
  }, [notLoaded]);

  if (notLoaded) {
    return <NotLoaded title={title ?? t("part_not_loaded")} again={() => void again()} />;
  }
  return (
    <ProblemAlert
      error={error instanceof Error ? error : new Error(String(error))}
      retry={() => void again()}
    />
  );
}

/** Calls back when the connection that was lost is there again. */
function useBack(back: () => void): void {
  const away = useAwaySince() !== null;
  const before = useRef(away);
  const called = useEffectEvent(back);
  useEffect(() => {
    if (before.current && !away) called();
    before.current = away;
  }, [away]);
}

function NotLoaded({ title, again }: { title: string; again: () => void }) {
  const { t } = useTranslation(["common", "frame"]);
  const away = useAwaySince() !== null;
  return (
    <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {t(away ? "frame:page_not_loaded_away" : "frame:page_not_loaded_text")}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={again}>
            {t("try_again")}
          </Button>
          {!away && (
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              {t("frame:reload_page")}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

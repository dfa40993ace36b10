import { Alert, Anchor, Button, Container, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { UnreachableError } from "~/api/problem";
import { useAwaySince } from "~/queries/connection";
import { Page, usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { PageNotLoadedError } from "./lazy_page";

/** What failed outside the application's frame. */
export function FailedPage(props: ErrorComponentProps) {
  return (
    <Container component="main" py="xl">
      <FailedPart {...props} />
    </Container>
  );
}

/** In the place of a page that failed; where the connection is to blame, it continues by itself. */
export function FailedPart({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation(["common", "frame"]);
  const router = useRouter();
  const notLoaded = error instanceof PageNotLoadedError ? error : null;
  usePageTitle(notLoaded ? t("frame:page_not_loaded") : t("failed_page"));

  async function again() {
    await notLoaded?.again();
    reset();
    await router.invalidate();
  }
  useBack(() => {
    if (notLoaded || error instanceof UnreachableError) void again();
  });

  return (
    <div data-ready="true" data-failed={notLoaded === null || undefined}>
      {notLoaded ? (
        <NotLoaded again={() => void again()} />
      ) : (
        <ProblemAlert
          error={error instanceof Error ? error : new Error(String(error))}
          retry={() => void again()}
        />
      )}
    </div>
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

function NotLoaded({ again }: { again: () => void }) {
  const { t } = useTranslation(["common", "frame"]);
  const away = useAwaySince() !== null;
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t("frame:page_not_loaded")}
    >
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

/** An address that no page has, inside the application's frame. */
export function UnknownPage() {
  const { t } = useTranslation(["common", "frame"]);
  return (
    <Page title={t("frame:missing_title")}>
      <Text c="dimmed">{t("frame:missing_text")}</Text>
      <Anchor component={Link} to="/">
        {t("to_overview")}
      </Anchor>
    </Page>
  );
}

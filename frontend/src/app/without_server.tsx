import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { LanguageMenu } from "~/ui/language_menu";
import { ThemeMenu } from "~/ui/theme_menu";
import { FailedContent } from "./failed_page";
import { Frame } from "./shell";

/** So long nobody needs to be told that they wait, in ms. */
const PATIENCE_MS = 1_500;
/** Between two tries, in ms. */
const AGAIN_MS = 3_000;

const MORE = (
  <>
    <LanguageMenu />
    <ThemeMenu />
  </>
);

/** The frame while it is not known yet who is logged in; says so where that takes long. */
export function WaitingShell() {
  const { t } = useTranslation("frame");
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Frame more={MORE}>
      <div role="status">{late && <NoAnswer text={t("no_answer_text")} />}</div>
      <Stack aria-hidden>
        <Skeleton height={32} width="40%" />
        <Skeleton height={240} />
      </Stack>
    </Frame>
  );
}

/**
 * The frame where the server failed to say who is logged in. It asks again until it does; what the
 * server refuses for good is shown instead.
 */
export function FailedShell(props: ErrorComponentProps) {
  const { t } = useTranslation("frame");
  const router = useRouter();
  const { error } = props;
  const final = error instanceof ProblemError && error.status < 500;
  useEffect(() => {
    if (final) return;
    const timer = setInterval(() => void router.invalidate(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [router, final]);
  return (
    <Frame more={MORE}>
      {final ? (
        <FailedContent {...props} />
      ) : (
        <div role="status" data-ready="true" data-failed>
          <NoAnswer text={t("no_answer_text")} />
        </div>
      )}
    </Frame>
  );
}

function NoAnswer({ text }: { text: string }) {
  const { t } = useTranslation("frame");
  return (
    <Alert
      color="orange"
      variant="light"
      mb="md"
      icon={<IconPlugConnectedX />}
      title={t("no_answer")}
    >
      <Text size="sm">{text}</Text>
    </Alert>
  );
}

import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { useFinishSignOn, useStartSignOn } from "~/queries/sign_on";
import { AnchorLink } from "~/ui/link";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Card } from "./card";
import { readProviderAnswer } from "./search";

/** Where the provider sends the browser back to. */
export function SignOnPage() {
  const { t } = useTranslation("accounts");
  usePageTitle(t("sign_on"));
  const navigate = useNavigate();
  const { mutate, error } = useFinishSignOn();
  // As the provider wrote it: the router would read numbers into it.
  const [answer] = useState(() => readProviderAnswer(location.search));
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    if (answer === null) {
      navigate({ to: "/login", replace: true });
      return;
    }
    // It counts once, and is nothing for the browser's history.
    history.replaceState(history.state, "", location.pathname);
    mutate(answer, { onSuccess: (next) => location.replace(next) });
  }, [answer, mutate, navigate]);
  return (
    <Card title={t("sign_on")} text={t("tagline")} ready={error !== null}>
      {error ? (
        <>
          <ProblemAlert error={error} />
          {isUnproved(error) ? (
            <UnprovedAccount />
          ) : (
            <AnchorLink to="/login">{t("sign_on_again")}</AnchorLink>
          )}
        </>
      ) : (
        <Group role="status">
          <Loader size="sm" />
          <Text size="sm">{t("signing_on")}</Text>
        </Group>
      )}
    </Card>
  );
}

/** Whether there is an account with the person's address that nobody proved to be theirs. */
function isUnproved(error: Error): boolean {
  return error instanceof ProblemError && error.problem.message.code === "sign_on_address_unproved";
}

/** The two ways on: with the account's password, or without the account. */
function UnprovedAccount() {
  const { t } = useTranslation("accounts");
  const start = useStartSignOn();
  return (
    <Stack gap="sm">
      <AnchorLink to="/login" search={{ next: "/profile", password: true }}>
        {t("sign_on_password")}
      </AnchorLink>
      {start.error && <ProblemAlert error={start.error} />}
      <Button
        variant="default"
        loading={start.isPending || start.isSuccess}
        onClick={() => start.mutate({ next: "/", newAccount: true })}
      >
        {t("sign_on_new")}
      </Button>
      <Text c="dimmed" size="xs">
        {t("sign_on_new_text")}
      </Text>
    </Stack>
  );
}

import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconClockExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLogIn } from "~/queries/accounts";
import { signOnOptions } from "~/queries/sign_on";
import { AnchorLink } from "~/ui/link";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Card } from "./card";
import { SignOn } from "./sign_on";

export function LoginPage() {
  const { t } = useTranslation("accounts");
  usePageTitle(t("log_in"));
  const { next = "/", expired, password: asked = false } = useSearch({ from: "/login" });
  const { data: signOn, isPending } = useQuery(signOnOptions);
  // Without the sign-on settings the password form is shown.
  const byPassword = !isPending && (!signOn?.only || asked);
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const logIn = useLogIn();

  function submit(event: FormEvent) {
    event.preventDefault();
    logIn.mutate({ email, password }, { onSuccess: () => navigate({ href: next }) });
  }

  return (
    <Card title={t("log_in")} text={t("tagline")} ready={!isPending}>
      {expired && !logIn.error && (
        <Alert role="status" variant="light" icon={<IconClockExclamation />}>
          {t("login_expired")}
        </Alert>
      )}
      {signOn?.name && <SignOn name={signOn.name} next={next} only={signOn.only} />}
      {signOn?.only && !asked && (
        <AnchorLink to="/login" search={{ next, password: true }} size="xs">
          {t("break_glass")}
        </AnchorLink>
      )}
      {byPassword && (
        <form onSubmit={submit}>
          <Stack>
            {signOn?.only && <Text size="sm">{t("break_glass_text")}</Text>}
            {logIn.error && <ProblemAlert error={logIn.error} />}
            <TextInput
              label={t("email")}
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label={t("password")}
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button
              type="submit"
              variant={signOn?.name ? "default" : "filled"}
              loading={logIn.isPending}
            >
              {t("log_in")}
            </Button>
            {!signOn?.name && (
              <Text c="dimmed" size="xs">
                {t("first_admin")}
              </Text>
            )}
          </Stack>
        </form>
      )}
    </Card>
  );
}

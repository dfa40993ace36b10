import { Button, PasswordInput, Skeleton, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useReadPasswordReset, useUsePasswordReset } from "~/queries/accounts";
import { AnchorLink } from "~/ui/link";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { Card } from "./card";
import { useLinkRead } from "./link_token";

/** Where the link of an administrator leads who lets somebody set another password. */
export function ResetPage() {
  const { t } = useTranslation("accounts");
  usePageTitle(t("reset"));
  const read = useReadPasswordReset();
  const use = useUsePasswordReset();
  const token = useLinkRead(read.mutate);
  const [password, setPassword] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    use.mutate({ token, password });
  }
  const offer = read.data;
  return (
    <Card title={t("reset")} text={t("reset_text")} ready={!read.isPending && !read.isIdle}>
      {read.error && <ProblemAlert error={read.error} />}
      {!read.error && !offer && <Skeleton height={80} />}
      {offer && !use.isSuccess && (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{offer.email}</Text>
            <input type="hidden" name="username" autoComplete="username" value={offer.email} />
            <PasswordInput
              label={t("new_password")}
              description={t("password_least")}
              autoComplete="new-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {use.error && <ProblemAlert error={use.error} />}
            <Button type="submit" loading={use.isPending}>
              {t("set_password")}
            </Button>
          </Stack>
        </form>
      )}
      {use.isSuccess && (
        <Stack role="status">
          <Text size="sm">{t("password_set")}</Text>
          <AnchorLink to="/login">{t("log_in")}</AnchorLink>
        </Stack>
      )}
    </Card>
  );
}

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ownOrganizationsOptions, useMe } from "~/queries/accounts";
import { sessionsOptions } from "~/queries/profile";
import { signOnOptions } from "~/queries/sign_on";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { LinkAccount } from "./link_account";
import { OwnOrganizations } from "./organizations";
import { PasswordForm } from "./password_form";
import { Sessions } from "./sessions";

/** The user's own account: password, where they are logged in, where they belong. */
export function ProfilePage() {
  const { t } = useTranslation("profile");
  const me = useMe();
  const sessions = useQuery(sessionsOptions);
  const organizations = useQuery(ownOrganizationsOptions);
  const { data: signOn } = useQuery(signOnOptions);
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{me.email}</Text>}
      ready={!sessions.isPending && !organizations.isPending}
    >
      <Stack gap="lg" maw={920}>
        <Section framed title={t("sessions")} text={t("sessions_text")}>
          <Loaded query={sessions}>{(rows) => <Sessions sessions={rows} />}</Loaded>
        </Section>
        {me.of_provider ? (
          <Section framed title={t("of_provider")} text={t("of_provider_text")} />
        ) : (
          <Section framed title={t("password")} text={t("password_text")}>
            <PasswordForm />
          </Section>
        )}
        {!me.of_provider && signOn?.name && (
          <Section framed title={t("of_provider")}>
            <LinkAccount name={signOn.name} />
          </Section>
        )}
        <Section framed title={t("organizations")} text={t("organizations_text")}>
          <Loaded query={organizations}>
            {(rows) => <OwnOrganizations organizations={rows} />}
          </Loaded>
        </Section>
      </Stack>
    </Page>
  );
}

import { Anchor, Group, SegmentedControl, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { setLanguage } from "~/i18n";
import { isLanguage, LANGUAGES, ownName } from "~/i18n/language";
import { labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { useMe } from "~/queries/accounts";
import { versionOptions } from "~/queries/service";
import { everybodysTokensOptions, tokensOptions } from "~/queries/tokens";
import { Facts } from "~/ui/facts";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Moment } from "~/ui/moment";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { Tokens } from "./tokens";
import { TokensTable } from "./tokens_table";

export function SettingsPage() {
  const { t } = useTranslation(["settings", "common"]);
  const me = useMe();
  const tokens = useQuery(tokensOptions);
  return (
    <Page title={t("common:settings")} ready={!tokens.isPending}>
      <Stack gap="lg" maw={920}>
        <Section framed title={t("account")}>
          <Account />
        </Section>
        <Section framed title={t("tokens")} text={t("tokens_text")}>
          <Tokens tokens={tokens} />
        </Section>
        {me.may("admin") && (
          <Section framed title={t("everybodys")} text={t("everybodys_text")}>
            <Everybodys />
          </Section>
        )}
        <Section framed title={t("appearance")}>
          <Appearance />
        </Section>
        <Section framed title={t("api")} text={t("api_text")}>
          <Api />
        </Section>
      </Stack>
    </Page>
  );
}

function Everybodys() {
  const { t } = useTranslation("settings");
  const tokens = useQuery(everybodysTokensOptions);
  return (
    <Loaded query={tokens}>
      {(found) => <TokensTable tokens={found} caption={t("everybodys")} everybodys />}
    </Loaded>
  );
}

function Account() {
  const { t } = useTranslation("settings");
  const word = useWords();
  const me = useMe();
  return (
    <Stack gap="md">
      <Facts
        columns={4}
        facts={[
          { term: t("email"), value: me.email },
          { term: t("organization"), value: me.organization },
          { term: t("role"), value: labelled(word("role", me.role), t(`role_${me.role}`)) },
          {
            term: t("session_ends"),
            value: me.expires_at ? <Moment at={me.expires_at} /> : t("never"),
          },
        ]}
      />
      <Group gap="lg">
        <AnchorLink to="/profile" size="sm">
          {t("to_profile")}
        </AnchorLink>
        <AnchorLink to="/members" size="sm">
          {t("to_members")}
        </AnchorLink>
        {me.may("admin") && (
          <AnchorLink to="/settings/ci" size="sm">
            {t("to_ci")}
          </AnchorLink>
        )}
      </Group>
    </Stack>
  );
}

const SCHEMES = ["light", "dark", "auto"] as const;

function Appearance() {
  const { t, i18n } = useTranslation(["settings", "common"]);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const languageId = useId();
  const themeId = useId();
  return (
    <Group gap="xl" align="flex-start">
      <div>
        <Text size="sm" mb={4} id={languageId}>
          {t("common:language")}
        </Text>
        <SegmentedControl
          aria-labelledby={languageId}
          value={i18n.language}
          onChange={(chosen) => isLanguage(chosen) && setLanguage(chosen)}
          data={LANGUAGES.map((value) => ({
            value,
            label: <span lang={value}>{ownName(value)}</span>,
          }))}
        />
      </div>
      <div>
        <Text size="sm" mb={4} id={themeId}>
          {t("common:theme")}
        </Text>
        <SegmentedControl
          aria-labelledby={themeId}
          value={colorScheme}
          onChange={(chosen) => setColorScheme(chosen as (typeof SCHEMES)[number])}
          data={SCHEMES.map((value) => ({ value, label: t(`common:theme_${value}`) }))}
        />
      </div>
    </Group>
  );
}

function Api() {
  const { t } = useTranslation("settings");
  const version = useQuery(versionOptions);
  return (
    <Stack gap={4} align="flex-start">
      <Anchor href="/api/docs" size="sm">
        {t("api_docs")}
      </Anchor>
      <Anchor href="/api/v1/openapi.json" size="sm">
        {t("api_document")}
      </Anchor>
      {version.data && (
        <Text size="sm" c="dimmed">
          {t("version", { version: version.data })}
        </Text>
      )}
    </Stack>
  );
}

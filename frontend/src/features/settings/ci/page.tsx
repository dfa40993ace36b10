import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { type CiTrust, ciTrustsOptions } from "~/queries/ci";
import { CodeBlock } from "~/ui/code_block";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { githubSnippet, gitlabSnippet } from "./snippets";
import { TrustForm } from "./trust_form";
import { TrustsTable } from "./trusts_table";

/** Whose CI jobs are let in without a stored secret; for administrators. */
export function CiPage() {
  const { t } = useTranslation("settings");
  const me = useMe();
  return (
    <Page title={t("ci_title")} ready>
      {me.may("admin") ? <Trusts /> : <Text>{t("ci_for_admins")}</Text>}
    </Page>
  );
}

/** What is open below the table: nothing, the form (of a trust or for a new one), or how to use one. */
type Open = { form: CiTrust | null } | { use: CiTrust } | null;

function Trusts() {
  const { t } = useTranslation("settings");
  const trusts = useQuery(ciTrustsOptions);
  const [open, setOpen] = useState<Open>(null);
  return (
    <Stack gap="lg" maw={920}>
      <Section framed title={t("ci_trusts")} text={t("ci_text")}>
        <Stack gap="lg">
          <Loaded query={trusts}>
            {(rows) => (
              <TrustsTable
                trusts={rows}
                onUse={(trust) => setOpen({ use: trust })}
                onChange={(trust) => setOpen({ form: trust })}
              />
            )}
          </Loaded>
          {open === null && (
            <Group>
              <Button onClick={() => setOpen({ form: null })}>{t("ci_trust")}</Button>
            </Group>
          )}
        </Stack>
      </Section>
      {open !== null && "form" in open && (
        <Section
          framed
          title={open.form ? t("ci_change_name", { name: open.form.name }) : t("ci_trust")}
        >
          <TrustForm key={open.form?.id ?? ""} trust={open.form} onDone={() => setOpen(null)} />
        </Section>
      )}
      {open !== null && "use" in open && <Use trust={open.use} />}
    </Stack>
  );
}

function Use({ trust }: { trust: CiTrust }) {
  const { t } = useTranslation("settings");
  return (
    <Section framed title={t("ci_use_name", { name: trust.name })} text={t("ci_use_text")}>
      <Stack gap="md">
        <Text size="sm">{t("ci_github")}</Text>
        <CodeBlock text={githubSnippet(trust, location.origin)} label={t("ci_github")} />
        <Text size="sm">{t("ci_gitlab")}</Text>
        <CodeBlock text={gitlabSnippet(trust, location.origin)} label={t("ci_gitlab")} />
      </Stack>
    </Section>
  );
}

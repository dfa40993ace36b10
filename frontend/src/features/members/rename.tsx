import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Organization, useRename } from "~/queries/members";
import { ProblemAlert } from "~/ui/problem_alert";

/** The organization's name, to be changed. */
export function Rename({ organization }: { organization: Organization }) {
  const { t } = useTranslation(["members", "common"]);
  const [name, setName] = useState(organization.name);
  const rename = useRename();
  function submit(event: FormEvent) {
    event.preventDefault();
    rename.mutate({ of: organization, name });
  }
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t("name")}
            required
            maxLength={200}
            style={{ flex: "1 1 14rem" }}
            maw={400}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={rename.isPending}
            disabled={name.trim() === organization.name}
          >
            {t("rename")}
          </Button>
        </Group>
        {rename.error && <ProblemAlert error={rename.error} />}
      </Stack>
    </form>
  );
}

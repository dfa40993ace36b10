import { Button, Divider } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useStartSignOn } from "~/queries/sign_on";
import { ProblemAlert } from "~/ui/problem_alert";

/** The way in by the provider, above that by a password where there is one. */
export function SignOn({ name, next, only }: { name: string; next: string; only: boolean }) {
  const { t } = useTranslation("accounts");
  const start = useStartSignOn();
  return (
    <>
      {start.error && <ProblemAlert error={start.error} />}
      <Button
        leftSection={<IconLogin2 size={18} />}
        loading={start.isPending || start.isSuccess}
        onClick={() => start.mutate({ next })}
      >
        {t("sign_on_with", { name })}
      </Button>
      {!only && <Divider label={t("or_password")} />}
    </>
  );
}

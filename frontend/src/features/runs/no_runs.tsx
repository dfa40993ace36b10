import { Code } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { Trans, useTranslation } from "react-i18next";
import { NoneMatch } from "~/list_tools/none_match";
import { EmptyState } from "~/ui/empty_state";
import { AnchorLink, ButtonLink } from "~/ui/link";

/** Why there is nothing to list: it was narrowed to what is not there, or nothing ever ran. */
export function NoRuns({ narrowed }: { narrowed: boolean }) {
  const { t } = useTranslation("runs");
  if (narrowed) {
    return <NoneMatch toAll={t("clear_filters")} />;
  }
  return (
    <EmptyState
      icon={<IconPlayerPlay size={40} aria-hidden />}
      title={t("none_yet")}
      action={<ButtonLink to="/experiments">{t("to_experiments")}</ButtonLink>}
    >
      <Trans
        t={t}
        i18nKey="none_yet_text"
        components={{
          command: <Code />,
          experiments: <AnchorLink to="/experiments" />,
        }}
      />
    </EmptyState>
  );
}

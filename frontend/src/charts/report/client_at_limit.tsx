import { List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { clientTrialsOf, type Row, warningsOf } from "~/api/rows";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";

const OF_DIFFERENCES = ["client_limited", "slower_client_limited", "faster_as_offered"];

/** In which trials the client was at its limit, and what to do; `sides` are named baseline first. */
export function ClientAtLimit({ row, sides }: { row: Row; sides: readonly [string, string] }) {
  const { t } = useTranslation("charts");
  const trials = clientTrialsOf(row).flatMap(({ atLimit, limited, all }, place) =>
    atLimit ? [t("decided.client_trials", { limited, all, side: sides[place] ?? "" })] : [],
  );
  if (trials.length === 0) return null;
  return <List.Item>{t("decided.client_at_limit", { trials: listed(trials) })}</List.Item>;
}

/** How far a clear difference comes from a client at its limit, or from the rate that was offered. */
export function DifferenceWarnings({ row }: { row: Row }) {
  const word = useWords();
  return warningsOf(row)
    .filter(({ code }) => OF_DIFFERENCES.includes(code))
    .map(({ code }) => <List.Item key={code}>{word("warning", code)}</List.Item>);
}

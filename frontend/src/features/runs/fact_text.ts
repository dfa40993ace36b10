import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";

/** How a trial's facts are written by those that measure; what is written otherwise stays. */
const SHAPES = [
  ["route", /^by (?<device>\S+?)(?: \((?<kind>[^)]+)\))?, MTU (?<mtu>\d+)(?:, NIC (?<nic>.+))?$/],
  ["end_at", /^(?<name>\S+) on (?<node>\S+) at (?<address>\S+)$/],
  ["end", /^(?<name>\S+) on (?<node>\S+)$/],
  ["service", /^(?<name>\S+) at (?<address>\S+)$/],
  ["ingress", /^(?<host>\S+) by class (?<class>\S+) of (?<controller>\S+)$/],
  ["position", /^(?<number>\d+) of (?<rules>\d+) rules$/],
  ["policies", /^(?<number>\d+) of (?<policies>\d+) policies$/],
  ["no_policy", /^not applicable: there is no policy$/],
  ["no_rule", /^unknown: no rule that can be read names a policy$/],
  ["load", /^(?<rate>\S+) requests a second of (?<most>\S+) that the path takes at most$/],
  ["no_service", /^not applicable: no Service is asked$/],
  ["in_map", /^not applicable: looked up in a map$/],
  ["yes", /^true$/],
  ["no", /^false$/],
] as const;

/** A fact of a trial in the user's language: its name, and what it says. */
export function useFactText(): (name: string, value: string) => { term: string; value: string } {
  const { t } = useTranslation("runs");
  const word = useWords();
  return (name, value) => {
    const metric = word("metric", name);
    const term = metric === name ? word("fact", name) : metric;
    for (const [shape, pattern] of SHAPES) {
      const found = pattern.exec(value);
      if (found === null) continue;
      const { kind, nic, ...rest } = found.groups ?? {};
      const parts = {
        ...rest,
        kind: kind === undefined ? "" : t("fact.kind", { kind }),
        nic: nic === undefined ? "" : t("fact.nic", { nic }),
      };
      return { term, value: t(`fact.${shape}`, parts) };
    }
    return { term, value };
  };
}

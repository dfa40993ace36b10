import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Run } from "~/queries/runs";

type Signed = Pick<Run, "name" | "state" | "outcome" | "progress">;

const COLORS: Record<string, string> = {
  succeeded: "#2f9e44",
  partial: "#e8590c",
  failed: "#e03131",
  cancelled: "#868e96",
  interrupted: "#e8590c",
  waiting: "#f08c00",
};
const GOING_ON = "#1c7ed6";

/** What the tab says of a run whose page is in the background: "42 %, running: What IPVS costs". */
export function useRunTitle(run: Signed | undefined): string | undefined {
  const { t } = useTranslation("runs");
  const word = useWords();
  if (run === undefined) return undefined;
  if (run.outcome !== null) {
    return t("tab_ended", { state: word("outcome", run.outcome), name: run.name });
  }
  const all = Object.values(run.progress).reduce((sum, count) => sum + count, 0);
  const { succeeded, failed, skipped } = run.progress;
  const share = all === 0 ? 0 : Math.floor(((succeeded + failed + skipped) / all) * 100);
  return t(run.state === "running" ? "tab_running" : "tab_ended", {
    share,
    state: word("run_state", run.state),
    name: run.name,
  });
}

/** The icon with a dot in the colour of the run's state. */
export function signOf({ state, outcome }: Pick<Run, "state" | "outcome">): string {
  const color = COLORS[outcome ?? state] ?? GOING_ON;
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    '<rect width="32" height="32" rx="7" fill="#0b7285"/>' +
    '<path d="M6 22a10 10 0 0 1 20 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>' +
    '<path d="m16 22 5-8" stroke="#ffd43b" stroke-width="3" stroke-linecap="round"/>' +
    `<circle cx="24" cy="24" r="8" fill="${color}" stroke="#fff" stroke-width="2"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The run's state in the tab's icon, for as long as its page is open. */
export function useRunSign(run: Signed | undefined): void {
  const sign = run && signOf(run);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon === null || sign === undefined) return;
    const before = icon.href;
    icon.href = sign;
    return () => {
      icon.href = before;
    };
  }, [sign]);
}

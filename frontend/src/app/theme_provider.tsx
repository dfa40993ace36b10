import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import "@mantine/core/styles.css";
import "./global.css";
import { theme } from "./theme";

/** How every page looks, a snapshot's too. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const translatedTheme = useMemo(
    () => mergeThemeOverrides(theme, { components: dialogs(t("close")) }),
    [t],
  );
  return (
    <MantineProvider
      theme={translatedTheme}
      defaultColorScheme="auto"
      forceColorScheme={useOnPaper() ? "light" : undefined}
    >
      {children}
    </MantineProvider>
  );
}

const PAPER = window.matchMedia("print");

/** Paper is light, whatever the screen is. */
function useOnPaper(): boolean {
  return useSyncExternalStore(followPaper, () => PAPER.matches);
}

function followPaper(onChange: () => void): () => void {
  PAPER.addEventListener("change", onChange);
  return () => PAPER.removeEventListener("change", onChange);
}

/** Dialogs whose close button has a name, and whose heading is not a second banner of the page. */
function dialogs(close: string) {
  const defaultProps = {
    closeButtonProps: { "aria-label": close },
    attributes: { header: { role: "none" } },
  };
  return { Modal: { defaultProps } };
}

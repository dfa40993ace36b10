import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import "@mantine/core/styles.css";
import "./global.css";
import { theme } from "./theme";

/** How every page looks, a snapshot's too. */
export function Look({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const spoken = useMemo(
    () => mergeThemeOverrides(theme, { components: dialogs(t("close")) }),
    [t],
  );
  return (
    <MantineProvider theme={spoken} defaultColorScheme="auto">
      {children}
    </MantineProvider>
  );
}

/** Dialogs whose close button has a name, and whose heading is not a second banner of the page. */
function dialogs(close: string) {
  const defaultProps = {
    closeButtonProps: { "aria-label": close },
    attributes: { header: { role: "none" } },
  };
  return { Modal: { defaultProps } };
}

import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import "@mantine/core/styles.css";
import "./global.css";
import { theme } from "./theme";

/** What every page of the application, and every test of one, stands in. */
export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  const { t } = useTranslation();
  const spoken = useMemo(
    () => mergeThemeOverrides(theme, { components: dialogs(t("close")) }),
    [t],
  );
  return (
    <QueryClientProvider client={client}>
      <MantineProvider theme={spoken} defaultColorScheme="auto">
        {children}
      </MantineProvider>
    </QueryClientProvider>
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

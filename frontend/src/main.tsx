import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchAnswers } from "~/api/client";
import { connection } from "~/api/connection";
import { makeQueryClient } from "~/api/query_client";
import { makeRouter } from "~/app/router";
import { ThemeProvider } from "~/app/theme_provider";
import { makeAskForLogin } from "~/app/to_login";
import { i18next, speakInside } from "~/i18n";
import { markOrganizationChanged } from "~/queries/acting";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");

const client = makeQueryClient();
const router = makeRouter(client);
const askForLogin = makeAskForLogin(router, client);

watchAnswers({
  onUnreachable: connection.doubt,
  onUnknown: () => void askForLogin(),
  onElsewhere: markOrganizationChanged,
});
connection.subscribe(() => {
  // What was asked for in vain is asked for again, and what is shown may be old.
  if (connection.awaySince() === null) void client.invalidateQueries();
});

/** Not awaited here: the words are in a file that imports parts of this very module's. */
async function show(root: HTMLElement): Promise<void> {
  await speakInside();
  // The sentences of what was read are in the language of then.
  i18next.on("languageChanged", () => void client.invalidateQueries());
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <ThemeProvider>
          <RouterProvider router={router} />
        </ThemeProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

void show(root);

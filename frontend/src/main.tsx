import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "~/api/query_client";
import { Look } from "~/app/look";
import { makeRouter } from "~/app/router";
import { speakInside } from "~/i18n";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");

const client = makeQueryClient();
const router = makeRouter(client);

await speakInside();

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Look>
        <RouterProvider router={router} />
      </Look>
    </QueryClientProvider>
  </StrictMode>,
);

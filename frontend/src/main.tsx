import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "~/i18n";
import { makeQueryClient } from "~/api/query_client";
import { Providers } from "~/app/providers";
import { makeRouter } from "~/app/router";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");

const client = makeQueryClient();
const router = makeRouter(client);

createRoot(root).render(
  <StrictMode>
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);

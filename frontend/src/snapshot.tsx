import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "~/i18n";
import { makeQueryClient } from "~/api/query_client";
import { Providers } from "~/app/providers";
import { publicSnapshotOptions, tokenOf } from "~/features/public/queries";
import { SnapshotPage } from "~/features/public/snapshot_page";

/**
 * What a snapshot's link shows. The server has written the page already; it stays as it is until
 * the content has arrived, and altogether where the link shows nothing.
 */
const client = makeQueryClient();
const token = tokenOf(location.pathname);

client.fetchQuery(publicSnapshotOptions(token)).then((snapshot) => {
  const root = document.getElementById("root");
  if (root === null) throw new Error("the page has no #root");
  document.getElementById("plain-style")?.remove();
  createRoot(root).render(
    <StrictMode>
      <Providers client={client}>
        <SnapshotPage token={token} snapshot={snapshot} />
      </Providers>
    </StrictMode>,
  );
});

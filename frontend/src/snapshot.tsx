import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "~/i18n";
import { makeQueryClient } from "~/api/query_client";
import { Providers } from "~/app/providers";
import { publicSnapshotOptions, tokenOf } from "~/features/public/queries";
import { subjectOf } from "~/features/public/subject";

/**
 * What a snapshot's link shows. The server has written the page already; it stays as it is until
 * the content has arrived, and altogether where the link shows nothing.
 */
const client = makeQueryClient();
const token = tokenOf(location.pathname);

const snapshot = await client.fetchQuery(publicSnapshotOptions(token)).catch(() => null);

if (snapshot !== null) {
  const { SnapshotPage } = await import("~/features/public/snapshot_page");
  const Subject = await subjectOf(snapshot.content);
  const root = document.getElementById("root");
  if (root === null) throw new Error("the page has no #root");
  document.getElementById("plain-style")?.remove();
  createRoot(root).render(
    <StrictMode>
      <Providers client={client}>
        <SnapshotPage token={token} snapshot={snapshot} Subject={Subject} />
      </Providers>
    </StrictMode>,
  );
}

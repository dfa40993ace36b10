import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "~/i18n";
import { Look } from "~/app/look";
import { readSnapshot, tokenOf } from "~/features/public/snapshot";
import { SnapshotPage } from "~/features/public/snapshot_page";
import { subjectOf } from "~/features/public/subject";

/**
 * What a snapshot's link shows. The server has written the page already; it stays as it is until
 * the content has arrived, and altogether where the link shows nothing. Not awaited: what draws
 * the subject imports parts of this very module's chunk.
 */
async function show(token: string): Promise<void> {
  const snapshot = await readSnapshot(token);
  if (snapshot === null) return;
  const Subject = await subjectOf(snapshot.content);
  const root = document.getElementById("root");
  if (root === null) throw new Error("the page has no #root");
  document.getElementById("plain-style")?.remove();
  createRoot(root).render(
    <StrictMode>
      <Look>
        <SnapshotPage token={token} snapshot={snapshot} Subject={Subject} />
      </Look>
    </StrictMode>,
  );
}

void show(tokenOf(location.pathname));

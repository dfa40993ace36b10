import { type ReactNode, StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import "~/i18n";
import { Look } from "~/app/look";
import { isEmbed, type PublicSnapshot, readSnapshot, tokenOf } from "~/features/public/snapshot";
import { SnapshotPage } from "~/features/public/snapshot_page";
import { answerOf, subjectOf } from "~/features/public/subject";

/**
 * What a snapshot's link shows. The server has written the page already; it stays as it is until
 * the content has arrived, and altogether where the link shows nothing. Not awaited: what draws
 * the subject imports parts of this very module's chunk.
 */
async function show(token: string): Promise<void> {
  const snapshot = await readSnapshot(token);
  if (snapshot === null) return;
  const page = await (isEmbed(location.pathname) ? embed : whole)(token, snapshot);
  const root = document.getElementById("root");
  if (root === null) throw new Error("the page has no #root");
  // Within one frame: the server's page without its style would be seen to shift.
  flushSync(() =>
    createRoot(root).render(
      <StrictMode>
        <Look>{page}</Look>
      </StrictMode>,
    ),
  );
  document.getElementById("plain-style")?.remove();
}

async function whole(token: string, snapshot: PublicSnapshot): Promise<ReactNode> {
  const [Subject, Answer] = await Promise.all([
    subjectOf(snapshot.content),
    answerOf(snapshot.content),
  ]);
  return <SnapshotPage token={token} snapshot={snapshot} Subject={Subject} Answer={Answer} />;
}

async function embed(token: string, snapshot: PublicSnapshot): Promise<ReactNode> {
  const { chartsOf, Embed } = await import("~/features/public/embed");
  const Charts = await chartsOf(snapshot.content);
  return <Embed token={token} snapshot={snapshot} Charts={Charts} />;
}

void show(tokenOf(location.pathname));

import { type ReactNode, StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { ThemeProvider } from "~/app/theme_provider";
import { isEmbed, type PublicSnapshot, readSnapshot, tokenOf } from "~/features/public/snapshot";
import { SnapshotPage } from "~/features/public/snapshot_page";
import { answerOf, subjectOf } from "~/features/public/subject";
import { i18next } from "~/i18n";

let root: Root | undefined;

/**
 * What a snapshot's link shows. The server has written the page already; it stays as it is until
 * the content has arrived, and altogether where the link shows nothing. Not awaited: what draws
 * the subject imports parts of this very module's chunk.
 */
async function show(token: string): Promise<void> {
  const snapshot = await readSnapshot(token);
  if (snapshot === null) return;
  const page = await (isEmbed(location.pathname) ? embed : whole)(token, snapshot);
  root ??= createRoot(rootElement());
  const drawn = root;
  // Within one frame: the server's page without its style would be seen to shift.
  flushSync(() =>
    drawn.render(
      <StrictMode>
        <ThemeProvider>{page}</ThemeProvider>
      </StrictMode>,
    ),
  );
  document.getElementById("plain-style")?.remove();
}

function rootElement(): HTMLElement {
  const found = document.getElementById("root");
  if (found === null) throw new Error("the page has no #root");
  return found;
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

const token = tokenOf(location.pathname);
i18next.on("languageChanged", () => void show(token));
void show(token);

import type { Page } from "@playwright/test";
import { inLanguage } from "../addresses";
import { expect, logIn, type Rest, ready, test } from "../fixtures";

/** What was found stands wherever its numbers do, in both languages, as the documents say it. */
interface Found {
  headline: { sentences: Said[]; caveats?: Said[]; recommendation?: Said[] };
}

interface Said {
  text: string;
}

async function shown(page: Page, at: string, rest: Rest, document: string): Promise<void> {
  for (const lang of ["en", "zh"] as const) {
    const { headline } = await rest.get<Found>(document, lang);
    expect(headline.sentences.length).toBeGreaterThan(0);
    await page.goto(inLanguage(at, lang));
    await ready(page);
    const said = page.getByTestId("headline");
    for (const closed of await said.locator("details > summary").all()) await closed.click();
    const { sentences, caveats = [], recommendation = [] } = headline;
    for (const one of [...sentences, ...caveats, ...recommendation]) {
      await expect(said.getByText(one.text, { exact: true })).toBeVisible();
    }
  }
}

async function share(rest: Rest, subject: object): Promise<string> {
  const { url } = await rest.post<{ url: string }>("/snapshots", { title: "Found", ...subject });
  return new URL(url).pathname;
}

test("of a run and of a comparison, on their pages and on the public ones", async ({
  page,
  browser,
  rest,
}) => {
  const { items } = await rest.get<{ items: { id: string; kind: string; outcome: string }[] }>(
    "/runs?limit=100",
  );
  const run = items.findLast(({ outcome }) => outcome === "succeeded")?.id;
  const ofRun = `/runs/${run}/summaries`;
  const { id } = await rest.post<{ id: string }>("/comparisons", {
    baseline: { run_id: run, where: { kube_proxy_mode: "iptables" } },
    contenders: [{ run_id: run, where: { kube_proxy_mode: "nftables" } }],
  });
  const compared = `/comparisons/${id}`;
  await logIn(page);
  await shown(page, `/runs/${run}`, rest, ofRun);
  await shown(page, `/compare/${id}`, rest, compared);

  const visitor = await browser.newContext();
  const outside = await visitor.newPage();
  await shown(outside, await share(rest, { run_id: run }), rest, ofRun);
  await shown(outside, await share(rest, { comparison_id: id }), rest, compared);
  await visitor.close();
});

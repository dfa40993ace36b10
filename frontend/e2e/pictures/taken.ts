import { join, resolve } from "node:path";
import type { Page } from "@playwright/test";
import { inLanguage } from "../addresses";
import { expect, type Rest, test } from "../fixtures";

/** What is out of the window's sight is in the picture. */
const EVERYTHING = "* { content-visibility: visible !important }";
const FOLDER = resolve(import.meta.dirname, "../../screenshots");

/** How a page is checked: its theme, the window's width, the language. */
interface Look {
  colorScheme: "light" | "dark";
  width: 1280 | 390;
  lang: "en" | "zh";
}

export const LOOKS: Look[] = (["light", "dark"] as const).flatMap((colorScheme) =>
  ([1280, 390] as const).flatMap((width) =>
    (["en", "zh"] as const).map((lang) => ({ colorScheme, width, lang })),
  ),
);

const nameOf = ({ colorScheme, width, lang }: Look) => `${colorScheme}-${width}-${lang}`;

/** A test for each look, in a browser of its own. */
export function inEveryLook(
  what: string,
  take: (page: Page, shot: Shot, rest: Rest) => Promise<void>,
): void {
  for (const look of LOOKS) {
    test(`${what}, ${nameOf(look)}`, async ({ browser, rest }) => {
      const { colorScheme, width, lang } = look;
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: width === 390 ? 844 : 800 },
      });
      const page = await context.newPage();
      await take(page, new Shot(page, nameOf(look), lang), rest);
      await context.close();
    });
  }
}

/** Pictures of one look. */
export class Shot {
  constructor(
    private readonly page: Page,
    private readonly look: string,
    readonly lang: string,
  ) {}

  /** A path in the language of the look. */
  at(path: string): string {
    return inLanguage(path, this.lang);
  }

  /** The whole page as it is. */
  async take(name: string): Promise<void> {
    await expect(this.page.locator(".mantine-Skeleton-root")).toHaveCount(0);
    const words = name.replaceAll(/[^a-zA-Z]+/g, "-").replace(/^-|-$/g, "");
    const file = words || (name === "/" ? "overview" : "not-found");
    await this.page.screenshot({
      path: join(FOLDER, this.look, `${file}.png`),
      fullPage: true,
      style: EVERYTHING,
    });
  }
}

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import i18next from "i18next";
import { expect, it } from "vitest";

interface Case {
  language: string;
  key: string;
  parameters: Record<string, unknown>;
  text: string;
}

/** `core/tests/texts/test_languages.py` reads the same cases. */
const { texts, cases }: { texts: Record<string, Record<string, string>>; cases: Case[] } =
  JSON.parse(
    readFileSync(resolve(import.meta.dirname, "../../../core/tests/texts/rendered.json"), "utf8"),
  );

it("renders texts as the server does", async () => {
  const resources = Object.fromEntries(
    Object.entries(texts).map(([language, strings]) => [language, { common: strings }]),
  );
  const spoken = i18next.createInstance();
  await spoken.init({
    resources,
    fallbackLng: false,
    defaultNS: "common",
    interpolation: { escapeValue: false, skipOnVariables: true },
  });
  const rendered = cases.map(({ language, key, parameters }) =>
    (spoken.t as (key: string, options: object) => string)(key, { ...parameters, lng: language }),
  );
  expect(rendered).toEqual(cases.map(({ text }) => text));
});

/** An article and the runs that it is set beside. */
export interface ArticleChoice {
  reference: string;
  runs: string[];
}

const ONE = /^([a-z0-9][a-z0-9-]{0,63}):([0-9a-f-]{36}(?:\.[0-9a-f-]{36}){0,9})$/;

/** What an address asks for, `id:run.run,id:run`; what cannot be read of it is left out. */
export function parseArticleChoices(of: string): ArticleChoice[] {
  return of.split(",").flatMap((one) => {
    const [, reference, runs] = ONE.exec(one) ?? [];
    return reference && runs ? [{ reference, runs: runs.split(".") }] : [];
  });
}

/** The same, written into an address. */
export function articleChoicesText(articles: readonly ArticleChoice[]): string {
  return articles.map(({ reference, runs }) => `${reference}:${runs.join(".")}`).join(",");
}

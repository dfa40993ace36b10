/** A command line that a POSIX shell reads back as `argv`. */
export function quoted(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(" ");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** The command as a POSIX shell reads it: pasted there, it is the same arguments again. */
export function commandLine(argv: readonly string[]): string {
  return argv
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

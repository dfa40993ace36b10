/** Waits until a condition holds; fails after `seconds`. */
export async function until(
  what: string,
  seconds: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((later) => setTimeout(later, 200));
  }
}

import { vi } from "vitest";

/** For `beforeEach`: what is drawn depends on the room there is, and jsdom gives none. */
export function withRoom(): () => void {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (
    this: HTMLElement,
  ) {
    return this.classList.contains("recharts-wrapper")
      ? new DOMRect(0, 0, 800, 300)
      : new DOMRect(0, 0, 20, 12);
  });
  return () => vi.restoreAllMocks();
}

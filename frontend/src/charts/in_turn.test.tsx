import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

/** What is drawn, by its name, in the order in which it is. */
let order: string[] = [];

function Chart({ name }: { name: string }) {
  order.push(name);
  return <p>{name}</p>;
}

const NAMES = ["one", "two", "three"];

/** Anew for each test: whether somebody has done something is known to the module. */
async function fresh() {
  vi.resetModules();
  const { InTurn } = await import("./in_turn");
  const charts = (step: string) =>
    NAMES.map((name) => {
      const text = `${name} ${step}`;
      return (
        <InTurn key={name} room={300}>
          <Chart name={text} />
        </InTurn>
      );
    });
  return (step: string) => <>{charts(step)}</>;
}

beforeEach(() => {
  order = [];
});

it("draws all at once as long as nobody has done anything", async () => {
  const at = await fresh();
  const { rerender } = render(at("first"));
  expect(order).toEqual(["one first", "two first", "three first"]);
  rerender(at("second"));
  expect(screen.getByText("three second")).toBeTruthy();
});

it("draws one after the other afterwards, each in a task of its own, and fades what is old", async () => {
  const at = await fresh();
  const { rerender } = render(at("first"));
  fireEvent.keyDown(document.body);
  const tasks: (() => void)[] = [];
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((frame) => {
    tasks.push(() => frame(0));
    return 0;
  });
  const busy = () => document.querySelectorAll("[aria-busy=true]").length;
  rerender(at("second"));
  expect(screen.getByText("one first")).toBeTruthy();
  expect(busy()).toBe(3);
  for (const [done, name] of NAMES.entries()) {
    await waitFor(() => expect(tasks.length).toBe(done + 1));
    act(() => tasks[done]?.());
    await screen.findByText(`${name} second`);
    expect(busy()).toBe(NAMES.length - done - 1);
  }
  vi.restoreAllMocks();
});

it("draws all that waits before it is printed, and nothing that has gone", async () => {
  const at = await fresh();
  fireEvent.pointerDown(document.body);
  const frames = vi.spyOn(window, "requestAnimationFrame").mockReturnValue(0);
  const { rerender, unmount } = render(at("first"));
  expect(screen.queryByText("one first")).toBeNull();
  act(() => void window.dispatchEvent(new Event("beforeprint")));
  expect(NAMES.map((name) => screen.queryByText(`${name} first`)?.tagName)).toEqual([
    "P",
    "P",
    "P",
  ]);
  rerender(at("second"));
  unmount();
  act(() => void window.dispatchEvent(new Event("beforeprint")));
  expect(order).not.toContain("one second");
  frames.mockRestore();
});

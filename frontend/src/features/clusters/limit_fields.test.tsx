import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { LimitFields, type Limits } from "./limit_fields";

function shown(limits: Limits, faults: Record<string, string> = {}) {
  const onChange = vi.fn<(changed: Partial<Limits>) => void>();
  render(
    <MantineProvider>
      <LimitFields limits={limits} onChange={onChange} at={(pointer) => faults[pointer]} />
    </MantineProvider>,
  );
  return onChange;
}

const NONE: Limits = { max_requests_per_second: null, max_bandwidth_bits_per_second: null };
const field = (name: string) => screen.getByLabelText(name) as HTMLInputElement;
const REQUESTS = "Most requests per second";
const BANDWIDTH = "Highest bandwidth, Mbit/s";

it("takes bandwidth in Mbit/s and gives it in bit/s", () => {
  const onChange = shown(NONE);
  fireEvent.change(field(BANDWIDTH), { target: { value: "1500" } });
  expect(onChange).toHaveBeenLastCalledWith({ max_bandwidth_bits_per_second: 1_500_000_000 });
  fireEvent.change(field(REQUESTS), { target: { value: "2000" } });
  expect(onChange).toHaveBeenLastCalledWith({ max_requests_per_second: 2000 });
});

it("shows the limits, and an empty field as unlimited", () => {
  const onChange = shown({ ...NONE, max_bandwidth_bits_per_second: 2_500_000_000 });
  expect(field(BANDWIDTH).value).toBe("2,500");
  expect(field(REQUESTS).value).toBe("");
  expect(field(REQUESTS).placeholder).toBe("unlimited");
  fireEvent.change(field(BANDWIDTH), { target: { value: "" } });
  expect(onChange).toHaveBeenLastCalledWith({ max_bandwidth_bits_per_second: null });
});

it("shows what is wrong with a limit", () => {
  shown(NONE, { "/max_requests_per_second": "too small" });
  expect(screen.getByText("too small")).toBeTruthy();
});

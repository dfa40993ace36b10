import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ImageFields, type OwnImage } from "./image_fields";

function shown(image: OwnImage, faults: Record<string, string> = {}) {
  const onChange = vi.fn<(image: OwnImage) => void>();
  render(
    <MantineProvider>
      <ImageFields image={image} onChange={onChange} at={(pointer) => faults[pointer]} />
    </MantineProvider>,
  );
  return onChange;
}

const NONE: OwnImage = { bench_image: null, image_pull_secret: null };

it("gives what was filled in, without the spaces around it, and null for nothing", () => {
  const onChange = shown({ ...NONE, image_pull_secret: "registry" });
  fireEvent.change(screen.getByLabelText("Image of the measuring pods"), {
    target: { value: " registry.example/bench:1 " },
  });
  expect(onChange).toHaveBeenLastCalledWith({
    bench_image: "registry.example/bench:1",
    image_pull_secret: "registry",
  });
  fireEvent.change(screen.getByLabelText("Pull secret"), { target: { value: "" } });
  expect(onChange).toHaveBeenLastCalledWith(NONE);
});

it("shows what is wrong with either", () => {
  shown(NONE, { "/bench_image": "no image's name", "/image_pull_secret": "no Secret's name" });
  expect(screen.getByText("no image's name")).toBeTruthy();
  expect(screen.getByText("no Secret's name")).toBeTruthy();
});

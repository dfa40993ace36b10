import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { Table } from "~/ui/table";
import type { ListSearch } from "./list_search";
import { SortHeader } from "./sort_header";

function show(sort: ListSearch["sort"]) {
  const onChange = vi.fn();
  render(
    <MantineProvider env="test">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <SortHeader by="name" search={{ sort }} onChange={onChange}>
              Name
            </SortHeader>
            <SortHeader by="time" search={{ sort }} onChange={onChange}>
              Started
            </SortHeader>
          </Table.Tr>
        </Table.Thead>
      </Table>
    </MantineProvider>,
  );
  return onChange;
}

const pressed = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const ways = () => screen.getAllByRole("columnheader").map((one) => one.getAttribute("aria-sort"));

it("says which column the list is ordered by, the newest first unless asked otherwise", () => {
  show(undefined);
  expect(ways()).toEqual(["none", "descending"]);
});

it("orders by the column that is pressed, and the other way when it is pressed again", () => {
  const first = show(undefined);
  pressed("Name");
  expect(first).toHaveBeenLastCalledWith({ sort: "name", pages: undefined });
  pressed("Started");
  expect(first).toHaveBeenLastCalledWith({ sort: "oldest", pages: undefined });
});

it("comes back to what needs no word in the address", () => {
  const change = show("name");
  expect(ways()).toEqual(["ascending", "none"]);
  pressed("Name");
  expect(change).toHaveBeenLastCalledWith({ sort: "name_reversed", pages: undefined });
  pressed("Started");
  expect(change).toHaveBeenLastCalledWith({ sort: undefined, pages: undefined });
});

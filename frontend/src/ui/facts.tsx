import { SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";

export interface Fact {
  term: string;
  value: ReactNode;
}

/** Short facts under their names, side by side where there is room. */
export function Facts({ facts, columns = 4 }: { facts: Fact[]; columns?: number }) {
  return (
    <SimpleGrid
      component="dl"
      m={0}
      cols={{ base: 1, xs: Math.min(2, columns), md: columns }}
      spacing="lg"
      verticalSpacing="sm"
    >
      {facts.map(({ term, value }) => (
        <div key={term} style={{ minWidth: 0 }}>
          <Text component="dt" size="sm" c="dimmed">
            {term}
          </Text>
          <Text component="dd" m={0} size="sm">
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

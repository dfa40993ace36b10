import type { AxisValue } from "~/api/types";
import { listed } from "~/i18n/punctuation";
import type { WordGroup } from "~/i18n/words";

const FEW = 3;

/** "kube-proxy mode iptables, nftables · Services 4 values": what an experiment varies, in a line. */
export function axesInShort(
  axes: Record<string, readonly AxisValue[]>,
  word: (group: WordGroup, term: AxisValue) => string,
  counted: (count: number) => string,
): string {
  return Object.entries(axes)
    .filter(([, values]) => values.length > 0)
    .sort(([, one], [, other]) => Math.min(other.length, 2) - Math.min(one.length, 2))
    .map(([axis, values]) => {
      const named = listed(values.map((value) => word("axis_value", value)));
      return `${word("axis", axis)} ${values.length > FEW ? counted(values.length) : named}`;
    })
    .join(" · ");
}

import { bracketed, labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";

/** Of these, what follows is a name of the cluster's own: a device, a tool, a kernel parameter. */
const NAMED = ["cni.features", "mtus", "sysctls", "tool_versions"] as const;
/** A node's own fields, as differences spell them: nodes may have dots in their names. */
const OF_NODE =
  /^nodes\.(?<node>.+?)\.(?<field>(?:mtus|sysctls)\..+|kernel|os|architecture|cpu_model|cpu_count|memory_bytes|hypervisor|nics|iptables_backend)$/;

/**
 * A fingerprint's field in the user's language, with the nodes that it is of: "MTU: eth0 (node-1)".
 * An unknown one is shown as the API spells it.
 */
export function useFieldText(): (field: string, nodes?: string | null) => string {
  const word = useWords();
  const named = (field: string) => {
    const of = NAMED.find((one) => field.startsWith(`${one}.`));
    if (of === undefined) return word("fingerprint_field", field);
    return labelled(word("fingerprint_field", of), field.slice(of.length + 1));
  };
  return (field, nodes) => {
    const of = OF_NODE.exec(field)?.groups;
    if (of?.node !== undefined && of.field !== undefined)
      return bracketed(named(of.field), of.node);
    return nodes ? bracketed(named(field), nodes) : named(field);
  };
}

/** Other machines by their names and labels (docs/pools.md). */
import { sentence } from "@mimikit/protocol/texts/coded";

/** A machine, as far as it can be named. */
export interface NamedPool {
  name: string;
  labels: readonly string[];
}

/** Why no machine is meant by this name or label, with those that there are; null where one is. */
export function unknownPool(wanted: string, pools: readonly NamedPool[]): string | null {
  if (pools.some(({ name, labels }) => name === wanted || labels.includes(wanted))) return null;
  if (pools.length === 0) return sentence("pool_none");
  const known = pools.map(({ name, labels }) => (labels.length === 0 ? name : `${name} (${labels.join(", ")})`));
  return sentence("pool_unknown", { pool: wanted, pools: known.join(", ") });
}

/** Edits that belong to a wish or a result are made while it is open, and by nobody who comes later. */
import type { DocumentLock } from "@mimikit/store/documents/document";
import type { Hands } from "./hands.ts";

/** The order is archived: its edit was made or refused, also where nothing in the document tells of it any more. */
export class OrderIsOver extends Error {}

/** The lock of documents for the edit of one order: whoever has it finds the order open, or throws `OrderIsOver`. */
export function lockForOrder(orderId: string, { ledger, lock }: Pick<Hands, "ledger" | "lock">): DocumentLock {
  return (path, work) =>
    lock(path, async () => {
      if (await ledger.confirm(orderId)) throw new OrderIsOver();
      return work();
    });
}

import { fewAtOnce } from "../../../core/few-at-once.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { charges } from "../repository.ts";
import type { Charge } from "../schema/charge.ts";

/** Charges that any number of transactions has in memory: each has up to 200 KB. */
const FEW = { limit: 200, bytes: 500_000 } as const;

interface Place {
  readonly index: string;
  readonly value: string;
}

/** The charges that an index lists; null where they are many. */
export async function readFew(tx: Tx, place: Place): Promise<readonly Stored<Charge>[] | null> {
  const { items, next } = await tx.peekPage(charges, { ...place, ...FEW });
  return next === null ? items : null;
}

const withMany = fewAtOnce(1);
const having = new WeakSet<Tx>();

/** Waits until no other transaction of the customer has many charges in memory: this one has them until it is over. */
export function takeTurn(tx: Tx): Promise<void> {
  if (having.has(tx)) return Promise.resolve();
  having.add(tx);
  return new Promise((resolve, reject) => {
    const untilEnd = (): Promise<void> => {
      resolve();
      return new Promise((end) => tx.atEnd(end));
    };
    withMany(tx, untilEnd).catch(reject);
  });
}

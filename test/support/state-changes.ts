import type { StateMachine } from "../../server/core/states.ts";
import type { Op, StoreDriver } from "../../server/storage/contract.ts";

/** Changes of states that no engine declares, as `collection: before → after`. */
export const undeclared = new Set<string>();

let isMadeUp = false;

/** Runs what puts documents into states that no action leads to, as the preparation of a test does. */
export async function makeUp<T>(work: () => Promise<T>): Promise<T> {
  isMadeUp = true;
  try {
    return await work();
  } finally {
    isMadeUp = false;
  }
}

/** More actions than that are not taken in one commit: a quote is accepted and converted in one. */
const ACTIONS_MAX = 3;

/**
 * A driver that compares every change of a state with the table of its engine: what the documentation draws is what is
 * stored.
 */
export function watchStates(store: StoreDriver, machines: readonly StateMachine[]): StoreDriver {
  const byCollection = new Map(machines.map((machine) => [machine.collection, machine]));
  const machineOf = (op: Op): StateMachine | undefined =>
    "put" in op ? byCollection.get(op.put.split(":")[1] ?? "") : undefined;
  const commit: StoreDriver["commit"] = async (part, ops, checks, quota) => {
    const watched = (isMadeUp ? [] : ops).flatMap((op) => {
      const machine = machineOf(op);
      return machine === undefined || !("put" in op) ? [] : [{ machine, key: op.put, after: op.value }];
    });
    const before = watched.length === 0 ? [] : await store.getMany(watched.map(({ key }) => key));
    const result = await store.commit(part, ops, checks, quota);
    if (!result.ok) return result;
    for (const [at, { machine, after }] of watched.entries()) {
      const from = stateIn(before[at]?.value, machine);
      const to = stateIn(after, machine);
      if (from === null || to === null || reaches(machine, from, to)) continue;
      undeclared.add(`${machine.collection}: ${from} → ${to}`);
    }
    return result;
  };
  return { ...store, commit };
}

/** The state in a document's text; null where there is none. */
function stateIn(text: string | undefined, { member }: StateMachine): string | null {
  if (text === undefined) return null;
  const value: unknown = JSON.parse(text);
  const state: unknown = Reflect.get(Object(value), member);
  return typeof state === "string" ? state : null;
}

function reaches({ moves }: StateMachine, from: string, to: string): boolean {
  let reached = new Set([from]);
  for (let count = 0; count < ACTIONS_MAX && !reached.has(to); count += 1)
    reached = new Set([...reached, ...moves.filter((move) => reached.has(move.from)).map((move) => move.to)]);
  return reached.has(to);
}

import { COMMIT_OPS_MAX } from "../storage/contract.ts";
import type { Doc, Key, StoreDriver } from "../storage/contract.ts";
import { fromText } from "./collection.ts";
import { batchOf, domainEvents, eventFilters, wantsEvent } from "./events.ts";
import { stageValue } from "./staging.ts";
import type { TxState } from "./staging.ts";

const filterKey = (part: string): Key => `${part}:${eventFilters.name}:wanted`;

/** Which events of a partition are subscribed to; null: none. */
export const readFilter = (store: Pick<StoreDriver, "get">, part: string): Promise<Doc | null> =>
  store.get(filterKey(part));

/**
 * Stages the events that are subscribed to; true when there are such. The commit checks that nothing was subscribed to meanwhile: an
 * endpoint receives from the first commit after its registration on.
 */
export function stageEvents(state: TxState, part: string, filter: Doc | null): boolean {
  state.checks.push({ key: filterKey(part), version: filter?.version ?? 0 });
  if (filter === null) return false;
  const { types } = fromText(eventFilters, filter.value);
  const wanted = state.events.filter(({ type }) => wantsEvent(types, type));
  const [first] = wanted;
  const fits = state.writes.size + OPS_PER_EVENT * wanted.length <= COMMIT_OPS_MAX;
  // A commit that is full already holds all of them in one document.
  const kept = fits || first === undefined ? wanted : [batchOf(wanted, first)];
  for (const event of kept) stageValue(state, part, domainEvents, { before: null, after: event });
  return wanted.length > 0;
}

/** The document and its index entry. */
const OPS_PER_EVENT = 2;

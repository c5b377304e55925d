import type { OperationsCtx } from "../context.ts";

/** A page of a list that is computed whole: items by id, from the one after the cursor. */
export function sliceById<T>(
  { deps }: Pick<OperationsCtx, "deps">,
  items: readonly T[],
  options: {
    readonly place: string;
    readonly idOf: (item: T) => string;
    readonly limit: number;
    readonly cursor: string | undefined;
  },
): { readonly items: T[]; readonly next: string | null } {
  const { place, idOf, limit, cursor } = options;
  const after = cursor === undefined ? "" : deps.cursors.open(place, PART, cursor);
  const rest = items.filter((item) => idOf(item) > after).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const isLast = rest.length <= limit || last === undefined;
  return { items: page, next: isLast ? null : deps.cursors.sign(place, PART, idOf(last)) };
}

const PART = "platform";

/** Works that one call has under way at once. */
const AT_ONCE = 16;

/** Maps with so many works under way at once, results in the order of the items; the first failure ends it. */
export async function mapSome<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<R[]> {
  const results: R[] = [];
  const rest = entriesOf(items);
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

/** All lanes take from one of these; unlike that of an array, it ends for all when a loop over it is left. */
function* entriesOf<T>(items: readonly T[]): Generator<[number, T]> {
  yield* items.entries();
}

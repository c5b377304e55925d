import type { Misplaced, StoreDriver } from "../contract.ts";
import type { Client } from "./client.ts";
import { toArray } from "./errors.ts";
import type { Names } from "./names.ts";
import { recountScript, relistScript } from "./scripts/relist.ts";

const STEP = 500;

const PROBLEMS: Readonly<Record<string, string>> = {
  unlisted: "is stored but not listed",
  dangling: "is listed but not stored",
};

/**
 * Compares what Redis keeps twice: the documents of a collection, their order and their number. A commit changes all three in
 * one step, so they disagree only where another hand was at work. Writers may go on: each id is looked at in one step.
 */
export function createRelist(client: Client, names: Names): NonNullable<StoreDriver["relist"]> {
  return async function* relist(part, coll, fix) {
    const own = names.part(part);
    const [docs, order] = [own.docs(coll), own.order(coll)];
    const flag = fix ? "1" : "0";
    const check = async (ids: readonly string[]): Promise<Misplaced[]> => {
      if (ids.length === 0) return [];
      const found = toArray(
        await client.run(relistScript, [docs, order, own.sequence, own.revisions], [flag, ...ids]),
      ).map(String);
      return found.flatMap((id, i) =>
        i % 2 === 0 ? [{ id, problem: PROBLEMS[found[i + 1] ?? ""] ?? "is wrong", fixed: fix }] : [],
      );
    };
    const seen = new Set<string | null>();
    for await (const ids of idsOf(client, docs, order))
      for (const one of await check(ids))
        if (!seen.has(one.id)) {
          seen.add(one.id);
          yield one;
        }
    if ((await client.run(recountScript, [own.counts, docs], [flag, coll])) === 1)
      yield { id: null, problem: "the stored count of documents is wrong", fixed: fix };
  };
}

/** The ids of the documents, then those of the order; some may come twice. */
async function* idsOf(client: Client, docs: string, order: string): AsyncGenerator<string[]> {
  yield* scan((cursor) => client.ask((redis) => redis.hscan(docs, cursor, "COUNT", STEP)));
  yield* scan((cursor) => client.ask((redis) => redis.zscan(order, cursor, "COUNT", STEP)));
}

/** The names out of pairs of a name and what belongs to it. */
async function* scan(
  step: (cursor: string) => Promise<[cursor: string, pairs: (string | null)[]]>,
): AsyncGenerator<string[]> {
  let cursor = "0";
  do {
    const [next, pairs] = await step(cursor);
    yield pairs.flatMap((name, i) => (i % 2 === 0 && name !== null ? [name] : []));
    cursor = next;
  } while (cursor !== "0");
}

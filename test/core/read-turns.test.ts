import { describe, expect, it } from "vitest";

import { meterReads } from "../../server/core/read-turns.ts";
import { many } from "../support/longest-turn.ts";

const MB = 1_000_000;

/** What a transaction reads, of documents that have so many characters. */
function reading(caller: Parameters<typeof meterReads>[1], chars = 2 * MB) {
  const toDoc = (length: number) => ({
    key: "sto_a:notes:a" as const,
    version: 1,
    value: "x".repeat(length),
  });
  const doc = toDoc(chars);
  const small = many(50, () => toDoc(chars / 50));
  const store = {
    get: () => Promise.resolve(doc),
    getMany: () => Promise.resolve([...small, null]),
    page: () => Promise.resolve({ items: small }),
  };
  const { store: metered, end } = meterReads(store, caller);
  return {
    end,
    get: () => metered.get(doc.key),
    page: () => metered.page("sto_a", "notes", { limit: 1 }),
    many: () => metered.getMany([doc.key]),
  };
}

/** Runs transactions that read so much each, and returns how many of them went on at the same time. */
async function mostAtOnce(chars: number, callers: readonly { key: string }[]) {
  let running = 0;
  let most = 0;
  await Promise.all(
    callers.map(async (caller) => {
      const one = reading(caller, chars / 3);
      await Promise.all([one.page(), one.page(), one.many()]);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      one.end();
    }),
  );
  return most;
}

describe("the documents that transactions read", () => {
  it("are read by two of a customer at a time where they are large, next to those of others", async () => {
    const one = many(8, () => ({ key: "cus_1" }));
    expect(await mostAtOnce(2 * MB, one)).toBe(2);
    expect(await mostAtOnce(2 * MB, [...one, { key: "cus_2" }])).toBe(3);
    expect(await mostAtOnce(2 * MB, [{ key: "sto_c" }, { key: "sto_c" }, { key: "sto_c" }])).toBe(2);
  });

  it("are gone on with one after another where one is large, so that those who asked for it do not parse it together", async () => {
    const turns = new Set<number>();
    let turn = 0;
    await Promise.all(
      many(8, async () => {
        const one = reading({ key: "sto_f" }, 100_000);
        await one.get();
        turns.add(turn);
        process.nextTick(() => (turn += 1));
        one.end();
      }),
    );
    expect(turns.size).toBe(8);
  });

  it("make nobody wait where they are small", async () => {
    expect(
      await mostAtOnce(
        MB,
        many(8, () => ({ key: "cus_1" })),
      ),
    ).toBe(8);
  });

  it("are not read for a client that is gone, whose place others get", async () => {
    const held = many(2, () => reading({ key: "sto_d" }));
    for (const meter of held) await meter.get();
    const gone = new AbortController();
    const left = reading({ key: "sto_d", signal: () => gone.signal });
    const waiting = left.get();
    gone.abort();
    await expect(waiting).rejects.toThrow("The client closed the connection.");
    left.end();
    // One that is over before it had its place gives it on.
    const late = reading({ key: "sto_d" });
    const over = late.get();
    late.end();
    for (const meter of held) meter.end();
    await over;
    expect(await mostAtOnce(2 * MB, [{ key: "sto_d" }, { key: "sto_d" }])).toBe(2);
  });

  it("are not counted once a transaction is over: a response that is read while it is sent keeps none", async () => {
    const all = many(4, () => reading({ key: "sto_e" }));
    for (const one of all) one.end();
    expect(await Promise.all(all.map(({ page }) => page()))).toHaveLength(4);
  });
});

import { expect } from "vitest";

import type { World } from "../contract/world.ts";
import type { Harness } from "../harness.ts";

/**
 * CPU time of one turn: one slice, its last piece and garbage collection. In one piece these took 50 to 290 ms. Measured by the speed of
 * the machine on which the limits were set: see `slowness`.
 */
export const TURN_MS = 25;
const ROUNDS = 5;

const FIXED_TEXT = JSON.stringify(
  Array.from({ length: 10_000 }, (_, n) => ({ id: `id-${n}`, n, on: true, words: ["a", "b"] })),
);
/** CPU milliseconds of the fixed work on the machine on which the limits were set. */
const FIXED_MS = 10;

/** How many times as long as there the same work takes now: machines differ, and others may compute at the same time. */
function slowness(): number {
  const runs = many(ROUNDS, () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 3; n += 1) JSON.stringify(JSON.parse(FIXED_TEXT));
    const { system, user } = process.cpuUsage(before);
    return (system + user) / 1_000;
  });
  return Math.max(1, Math.min(...runs) / FIXED_MS);
}

/**
 * Sends a request some times. Returns the CPU milliseconds of its longest turn of the event loop, in the best of them, as the machine on
 * which the limits were set would take.
 */
export async function longestTurn(
  { harness, world, path }: { readonly harness: Harness; readonly world: World; readonly path: string },
  body: unknown,
  status = 200,
  { method = "POST", atOnce = 1 }: { readonly method?: string; readonly atOnce?: number } = {},
): Promise<number> {
  return longestOf(
    () => {
      harness.clock.advance(60_000);
      const headers = { authorization: `Bearer ${world.key.plaintext}`, "content-type": "application/json" };
      const init =
        method === "GET" ? {} : { body: JSON.stringify(typeof body === "function" ? body() : body) };
      return many(atOnce, () => new Request(`http://platform.test/v1${path}`, { method, ...init, headers }));
    },
    async (requests) => {
      const statuses = await Promise.all(
        requests.map(async (request) => {
          const answer = await harness.app.fetch(request);
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
      expect(statuses).toEqual(requests.map(() => status));
    },
  );
}

/** The same for any work; what `prepare` returns is not measured. */
export async function longestOf<T>(prepare: () => T, work: (prepared: T) => Promise<void>): Promise<number> {
  const turns: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const prepared = prepare();
    let longest = 0;
    let isOver = false;
    await new Promise(setImmediate);
    let before = process.cpuUsage();
    const count = (): void => {
      const { system, user } = process.cpuUsage(before);
      before = process.cpuUsage();
      longest = Math.max(longest, (system + user) / 1_000);
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await work(prepared);
    await new Promise(setImmediate);
    isOver = true;
    turns.push(longest);
  }
  return Math.min(...turns) / slowness();
}

/** The same for a request that is sent with the key of a shop. */
export const longestCall = (
  shop: {
    readonly harness: Pick<Harness, "clock">;
    call(
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ readonly status: number; readonly text: string }>;
  },
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  status: number,
): Promise<number> =>
  longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      const answer = await shop.call(method, path, body);
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    },
  );

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

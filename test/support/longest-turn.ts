import { expect } from "vitest";

import { Answer } from "../../server/http/answer.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { World } from "../contract/world.ts";
import type { Harness } from "../harness.ts";

/**
 * Time of one turn: one slice, its last piece and garbage collection. In one piece these took 50 to 290 ms. Measured by the speed of the
 * machine on which the limits were set: see `slowness`.
 */
export const TURN_MS = 25;
/** What one piece takes it takes each time; a collection of the garbage of other tests, or the work of others, comes in some rounds only. */
const ROUNDS = 12;
const SLOWNESS_RUNS = 5;

const FIXED_TEXT = JSON.stringify(
  Array.from({ length: 10_000 }, (_, n) => ({ id: `id-${n}`, n, on: true, words: ["a", "b"] })),
);
/** CPU milliseconds of the fixed work on the machine on which the limits were set. */
const FIXED_MS = 10;

/** How many times as long as there the same work takes now: machines differ, and others may compute at the same time. */
function slowness(): number {
  const runs = many(SLOWNESS_RUNS, () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 3; n += 1) JSON.stringify(JSON.parse(FIXED_TEXT));
    return cpuOf(before);
  });
  return Math.max(1, Math.min(...runs) / FIXED_MS);
}

/** CPU milliseconds of this process since then: what other processes do meanwhile does not count. */
function cpuOf(before: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1_000;
}

/** CPU milliseconds that the work takes in the best of up to twelve runs, of which the first within the limit is enough. */
export async function cpuMs(limitMs: number, work: () => unknown): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > limitMs; round += 1) {
    const before = process.cpuUsage();
    await work();
    best = Math.min(best, cpuOf(before) / slowness());
  }
  return best;
}

/**
 * Sends a request up to twelve times. Returns the milliseconds of its longest turn of the event loop in the best of them, as the machine
 * on which the limits were set would take. A turn takes the CPU time of the process or the time on the clock, whichever is less: neither
 * what other threads compute meanwhile nor what other processes do counts.
 */
export async function longestTurn(
  {
    harness,
    world,
    path,
  }: { readonly harness: Harness; readonly world: Pick<World, "key">; readonly path: string },
  body: unknown,
  status = 200,
  {
    method = "POST",
    atOnce = 1,
    ...more
  }: {
    readonly method?: string;
    readonly atOnce?: number;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<number> {
  return longestOf(
    () => {
      harness.clock.advance(60_000);
      const headers = {
        authorization: `Bearer ${world.key.plaintext}`,
        "content-type": "application/json",
        ...more.headers,
      };
      const init =
        method === "GET" ? {} : { body: JSON.stringify(typeof body === "function" ? body() : body) };
      return many(atOnce, () => new Request(`http://platform.test/v1${path}`, { method, ...init, headers }));
    },
    async (requests) => {
      const statuses = await Promise.all(
        requests.map(async (request) => {
          const answer = await harness.app.fetch(request);
          await readAnswer(answer);
          return answer.status;
        }),
      );
      expect(statuses).toEqual(requests.map(() => status));
    },
  );
}

/** Reads what is computed while it is read. What is ready, in pieces or not, is not copied and decoded here: that is no work of the service. */
export async function readAnswer(answer: Response): Promise<void> {
  const out = answer instanceof Answer ? answer.out : null;
  if (out === null || (out.pieces === undefined && out.body instanceof ReadableStream))
    await answer.arrayBuffer();
}

/** The same for any work; what `prepare` returns is not measured. */
export async function longestOf<T>(prepare: () => T, work: (prepared: T) => Promise<void>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > TURN_MS; round += 1) {
    // What other tests have left is collected once, and not in each round.
    if (round > 0) collectGarbage();
    const prepared = prepare();
    let longest = 0;
    let isOver = false;
    await new Promise(setImmediate);
    let before = process.cpuUsage();
    let sinceMs = performance.now();
    const count = (): void => {
      longest = Math.max(longest, Math.min(cpuOf(before), performance.now() - sinceMs));
      before = process.cpuUsage();
      sinceMs = performance.now();
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await work(prepared);
    await new Promise(setImmediate);
    isOver = true;
    best = Math.min(best, longest / slowness());
  }
  return best;
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

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { parseBody } from "../../server/http/gates.ts";
import { findManyFaults } from "../../server/http/many-faults.ts";
import { createMeasuredRuns } from "../../server/http/measured-runs.ts";
import { createSlowRoutes } from "../../server/http/slow-routes.ts";
import { fail } from "../../server/lib/errors.ts";
import { waitForTurn } from "../../server/lib/slices.ts";
import { compute, standStill } from "../support/compute.ts";
import { many } from "../support/longest-turn.ts";

type Parameter = Parameters<typeof createMeasuredRuns>[0];

/** Reads bodies of a customer that take so many milliseconds; `booked` is what was done to its budget. */
function createReader() {
  const booked: unknown[] = [];
  const failing: { settling?: Error } = {};
  const budgets = {
    charge: (customerId: string, _: string, ms: number) => Promise.resolve(booked.push([customerId, ms])),
    reserve: ({ limits }: { limits: { cpu: number } }, _: string, seconds: number) =>
      Promise.resolve(booked.push(["reserved", limits.cpu, seconds])),
    settle: (_: unknown, seconds: number) => {
      booked.push(["settled", seconds]);
      return failing.settling === undefined ? Promise.resolve() : Promise.reject(failing.settling);
    },
  };
  const deps = { budgets, config: { server: { trustedProxies: [] } } } as unknown as Parameter;
  const { read } = createMeasuredRuns(deps, createSlowRoutes());
  const route = { id: "content.drafts.create" } as Parameters<typeof read>[0];
  const payer = { customerId: "cus_1", limits: { cpu: 120 } };
  return {
    booked,
    failing,
    async read(ms: number, { isPublic = false, now = 0, refused = false } = {}) {
      const principal = { customerId: "cus_1", isPublic, payer } as never;
      const work = (note: (ms: number) => void): Promise<unknown> => {
        note(ms);
        return refused ? Promise.reject(fail("bad_request", "No.")) : Promise.resolve("body");
      };
      const req = { peer: null, header: () => undefined } as never;
      return read(route, { now, principal, req }, work).catch(() => "refused");
    },
  };
}

it("charges what the body of a request took to be read where it was long, valid or not", async () => {
  const { booked, read } = createReader();
  expect(await read(49)).toBe("body");
  expect(booked).toEqual([]);
  expect(await read(80.4, { refused: true })).toBe("refused");
  expect(booked).toEqual([["cus_1", 81]]);
  booked.length = 0;
  // From then on for an hour each is, and none is read where nothing is left.
  expect(await read(12)).toBe("body");
  expect(booked).toEqual([
    ["reserved", 120, 1],
    ["settled", 0.012],
  ]);
  booked.length = 0;
  await read(20, { isPublic: true });
  expect(booked.slice(1, 3)).toEqual([
    ["reserved", 60, 1],
    ["reserved", 120, 1],
  ]);
  booked.length = 0;
  await read(20, { now: 3_600_000 });
  expect(booked).toEqual([]);
});

it("settles the budget of visitors and that of the customer, also where one cannot be", async () => {
  const { booked, failing, read } = createReader();
  await read(80, { isPublic: true });
  booked.length = 0;
  failing.settling = new Error("The store does not answer.");
  expect(await read(3_000, { isPublic: true })).toBe("refused");
  expect(booked.slice(-2)).toEqual([
    ["settled", 3],
    ["settled", 3],
  ]);
});

describe("while the clock stands still", () => {
  standStill();

  it("notes what it takes to look for invalid places, valid or not", async () => {
    const schema = z.array(z.strictObject({ id: z.string(), names: z.array(z.string().max(20)) }));
    let lookedAt = 0;
    // Each look at one of the first takes a millisecond, whether its values are counted or checked.
    const slow = {
      get id() {
        lookedAt += 1;
        compute(1);
        return "1";
      },
      names: many(20, () => "rye"),
    };
    const body = [
      ...many(10, () => slow),
      ...many(2_000, (n) => ({ id: `${n}`, names: many(20, () => "rye") })),
    ];
    for (const value of [body, [...body, ...many(200, () => 1)]]) {
      let notedMs = 0;
      lookedAt = 0;
      const found = await findManyFaults(schema, value, "cus_1", (ms) => (notedMs += ms));
      // The list looks at some of them, then each is counted, then checked.
      expect([found === null, lookedAt > 20]).toEqual([value === body, true]);
      expect(notedMs).toBe(lookedAt);
    }
  });
});

it("parses large bodies in turns of their senders", async () => {
  const [deps, , route, measured] = [
    { config: { limits: { bodyBytes: 100_000 } } },
    null,
    { body: z.object({ text: z.string() }), form: false },
    { read: (_: unknown, __: unknown, work: (note: () => void) => unknown) => work(() => undefined) },
  ] as unknown as Parameters<typeof parseBody>;
  const bytes = Buffer.from(JSON.stringify({ text: "x".repeat(20_000) }));
  const ends: string[] = [];
  // What comes while others work waits.
  const busy = waitForTurn("other");
  const parsing = ["many", "many", "many", "many", "one"].map(async (customerId) => {
    const header = (name: string) => (name === "content-type" ? "application/json" : undefined);
    const req = { header, body: () => Promise.resolve(bytes) };
    await parseBody(deps, { req, principal: { customerId } } as never, route, measured);
    ends.push(customerId);
  });
  await Promise.all([busy, ...parsing]);
  expect(ends.indexOf("one")).toBeLessThan(2);
});

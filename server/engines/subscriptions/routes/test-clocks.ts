import { z } from "zod";

import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { defineRoute, ok } from "../../../core/route.ts";
import { Id, Instant, withVersion } from "../../../core/schema.ts";
import { isTestPart, TestClock, testClockId, testClocks } from "../../../core/test-clock.ts";
import { resource } from "../../../core/resource.ts";
import { billDue, nextWorkAt } from "../jobs.ts";
import { EngineEvent } from "../schema/event.ts";
import { missing, refuseFar } from "./env.ts";
import { plainEvent } from "./examples.ts";

const ClockView = withVersion(TestClock);
const Params = z.object({ id: Id });

const plainClock = {
  id: "clk_of_the_store",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  now: "2026-01-31T10:00:00.000Z",
};
const exampleClock = { ...plainClock, version: 30 };
const params = { id: exampleClock.id };

const notTest = {
  type: "conflict",
  code: "not_test_mode",
  when: "The key is no plat_test_ key: live data live in real time",
} as const;

function refuseLive(ctx: Ctx): void {
  if (isTestPart(ctx.tx.part)) return;
  throw fail(
    "conflict",
    "Live data live in real time. Use a plat_test_ key, whose test data may have a clock of their own.",
    {
      code: "not_test_mode",
    },
  );
}

const testClockResource = resource({
  id: "subscriptions.test-clocks",
  collection: testClocks,
  view: ClockView,
  example: exampleClock,
});

const createClock = testClockResource.create({
  summary: "Create a test clock for the test data of the store",
  description:
    "From then on every request with a test key, and the engines' work on test data, goes by it. It does not move until it is advanced. A store has " +
    "one; DELETE returns to real time.",
  scope: "manage",
  body: z.strictObject({ now: Instant }),
  errors: [notTest, { type: "conflict", code: "clock_exists", when: "The test data have a clock already" }],
  example: { body: { now: exampleClock.now } },
  make: async (body, ctx) => {
    refuseLive(ctx);
    refuseFar("now", body.now);
    const id = testClockId(ctx.tx.part);
    if ((await ctx.tx.get(testClocks, id)) !== null) {
      throw fail("conflict", `The test data already have the test clock ${id}. Advance it or delete it.`, {
        code: "clock_exists",
      });
    }
    return { id, created_at: body.now, updated_at: body.now, now: body.now };
  },
});

const getClock = testClockResource.get({ summary: "Show the clock of the test data" });

/** Moments of work that one call steps through: more than a year of weekly contracts. */
const STEPS_MAX = 1_000;
const EFFECTS_SHOWN = 500;

const advanceClock = defineRoute({
  id: "subscriptions.test-clocks.advance",
  method: "POST",
  path: "/test-clocks/:id/advance",
  scope: "manage",
  summary: "Advance the clock, doing on the way what falls due",
  description:
    "It stops at every moment at which something is due, does it by the worker that does it for live data, and goes on. A call that has too much to " +
    "do ends with reached: false; repeat it.",
  params: Params,
  body: z.strictObject({ to: Instant }),
  data: z.object({
    clock: TestClock,
    reached: z.boolean(),
    failed: z.int().meta({ description: "Failed steps; see the log" }),
    effects: z.array(EngineEvent).meta({ description: `In order, the last ${EFFECTS_SHOWN}` }),
  }),
  errors: [missing],
  example: {
    params,
    body: { to: "2026-06-01T09:00:00.000Z" },
    data: {
      clock: { ...plainClock, now: "2026-06-01T09:00:00.000Z" },
      reached: true,
      failed: 0,
      effects: [plainEvent],
    },
  },
  async handle({ params: { id }, body }, ctx) {
    const { part } = ctx.tx;
    const signal = ctx.signal();
    const start = await ctx.runTx(part, (tx) => tx.require(testClocks, id));
    const to = fromInstant(body.to);
    if (to < fromInstant(start.value.now)) throw invalidField(["to"], "A clock does not go back.");
    refuseFar("to", body.to);
    const effects: EngineEvent[] = [];
    let failed = 0;
    let now = fromInstant(start.value.now);
    let steps = 0;
    for (; steps < STEPS_MAX && !signal.aborted; steps += 1) {
      const next = await ctx.runTx(part, nextWorkAt);
      if (next === null || next > to) break;
      now = Math.max(now, next);
      await setClock(ctx, part, now);
      const done = await billDue({
        now,
        part,
        runTx: ctx.runTx,
        newId: ctx.newId,
        log: ctx.log,
        ports: ctx.ports,
        signal,
      });
      effects.push(...done.events);
      failed += done.failed;
      // What fails at this moment would fail again: the clock goes past it only when the rest is done.
      if (done.failed > 0) break;
    }
    const reached = steps < STEPS_MAX && failed === 0 && !signal.aborted;
    const clock = await setClock(ctx, part, reached ? to : now);
    return ok({ clock, reached, failed, effects: effects.slice(-EFFECTS_SHOWN) });
  },
});

const setClock = (ctx: Ctx, part: string, now: number): Promise<TestClock> =>
  ctx.runTx(part, async (tx) => {
    const clock = await tx.require(testClocks, testClockId(part));
    const nowAt = toInstant(now);
    return tx.put(testClocks, clock, { ...clock.value, now: nowAt, updated_at: nowAt }).value;
  });

const removeClock = testClockResource.remove({
  summary: "Delete the test clock: test data use real time again",
  scope: "manage",
});

export const testClockRoutes = [createClock, getClock, advanceClock, removeClock];

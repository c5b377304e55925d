import { z } from "zod";

import { fromInstant, toInstant } from "../lib/instant.ts";
import { defineCollection } from "./collection.ts";
import { derivedId } from "./ids.ts";
import { Instant, resourceFields } from "./schema.ts";
import type { RunTx, Tx } from "./tx.ts";

/**
 * The clock of a store's test data: while it exists, requests with a test key and engine jobs on that data go by it, and
 * it does not move until it is advanced. It is stored among the test data itself and is read in each transaction, so no
 * decision rests on a time that was changed meanwhile. Without one, test data live in real time.
 */
export const TestClock = z.strictObject({
  ...resourceFields,
  now: Instant.meta({ description: "Current time of the test data" }),
});
export type TestClock = z.output<typeof TestClock>;

export const testClocks = defineCollection({ name: "kernel.test_clocks", schema: TestClock });

/** True for the partition of a store's test data. */
export const isTestPart = (part: string): boolean => part.endsWith("_test");

/** A store has one test clock: its id follows from the partition. */
export const testClockId = (part: string): string => derivedId("clk", new Uint8Array(), ["test clock", part]);

/** Epoch milliseconds of the partition's own clock; null where real time holds. */
export async function readTestClock(tx: Tx): Promise<number | null> {
  if (!isTestPart(tx.part)) return null;
  const clock = await tx.get(testClocks, testClockId(tx.part));
  return clock === null ? null : fromInstant(clock.value.now);
}

/** Sets the clock of test data; it does not go back. Throws 404 where it was deleted meanwhile. */
export const setTestClock = (runTx: RunTx, part: string, now: number): Promise<TestClock> =>
  runTx(part, async (tx) => {
    const clock = await tx.require(testClocks, testClockId(part));
    if (fromInstant(clock.value.now) >= now) return clock.value;
    const nowAt = toInstant(now);
    return tx.put(testClocks, clock, { ...clock.value, now: nowAt, updated_at: nowAt }).value;
  });

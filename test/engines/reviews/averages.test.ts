import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  tuple,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";

import { flagReview, voteOnReview } from "../../../server/engines/reviews/services/ballots.ts";
import type { ReviewWork } from "../../../server/engines/reviews/services/work.ts";
import { moveReview } from "../../../server/engines/reviews/services/moderate.ts";
import { recount, tallyOf } from "../../../server/engines/reviews/services/recount.ts";
import { saveReview } from "../../../server/engines/reviews/services/save-review.ts";
import type { Content } from "../../../server/engines/reviews/services/submit.ts";
import { submitReview } from "../../../server/engines/reviews/services/submit.ts";
import {
  aggregates,
  reviews,
  statsId,
  TOTALS_ID,
  totalsDocs,
} from "../../../server/engines/reviews/repository.ts";
import { sameStats } from "../../../server/engines/reviews/rules/aggregate.ts";
import { eraseWords } from "../../../server/engines/reviews/rules/erase.ts";
import { UNVERIFIED, verifyInvitation } from "../../../server/engines/reviews/rules/verification.ts";
import { createCursorCodec } from "../../../server/core/cursor.ts";
import { Problem } from "../../../server/lib/errors.ts";
import { createNewId, createSystemRandom } from "../../../server/core/ids.ts";
import { createRunTx } from "../../../server/core/run-tx.ts";
import type { RunTx, Tx } from "../../../server/core/tx.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../../harness.ts";
import { seeded } from "../../seeded.ts";
import { Died, dyingDriver } from "../subscriptions/dying.ts";
import { makeReview } from "./make.ts";

// Random histories of everything that can happen to reviews, in processes that die at any of their calls on the store. After every
// step all sums are what a count of the reviews gives, by the recount itself and by the plain rules.

const PART = "sto_averages";
const random = createSystemRandom();

type Step =
  | {
      readonly do: "submit";
      readonly author: number;
      readonly target: number;
      readonly rating: number;
      readonly isTrusted: boolean;
    }
  | { readonly do: "approve" | "reject" | "spam" | "unspam" | "withdraw" | "erase"; readonly pick: number }
  | { readonly do: "vote" | "flag"; readonly pick: number; readonly visitor: number }
  | { readonly do: "reword" | "forget"; readonly pick: number };

const pick = integer({ min: 0, max: 20 });
const step: Arbitrary<Step> = oneof(
  {
    weight: 4,
    arbitrary: record({
      do: constant("submit" as const),
      author: integer({ min: 0, max: 3 }),
      target: integer({ min: 0, max: 1 }),
      rating: integer({ min: 1, max: 5 }),
      isTrusted: boolean(),
    }),
  },
  { weight: 5, arbitrary: record({ do: constant("approve" as const), pick }) },
  {
    weight: 4,
    arbitrary: record({
      do: constantFrom(
        "reject" as const,
        "spam" as const,
        "unspam" as const,
        "withdraw" as const,
        "erase" as const,
      ),
      pick,
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      do: constantFrom("vote" as const, "flag" as const),
      pick,
      visitor: integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: record({ do: constantFrom("reword" as const, "forget" as const), pick }) },
);

interface World {
  readonly store: StoreDriver;
  readonly clock: ReturnType<typeof createTestClock>;
}

const runTxOver = (store: StoreDriver): RunTx =>
  createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });

const workOf = ({ clock }: World): ReviewWork => ({
  now: clock.now(),
  nowAt: new Date(clock.now()).toISOString(),
  part: PART,
  newId: createNewId(clock, random),
  ports: closedPorts,
  by: "key_test",
});

function contentOf({ author, target, rating }: Extract<Step, { do: "submit" }>): Content {
  const { id: _, ...content } = makeReview({
    target: { type: "product", id: `target-${target}` },
    rating,
    body: rating === 3 ? "" : `Words of the author ${author} about ${target}, ${rating} of five.`,
    attributes: rating > 3 ? { crumb: rating, crust: rating === 4 ? "soft" : "crisp" } : {},
    recommends: rating === 2 ? null : rating > 2,
    email: author === 3 ? null : `author${author}@x.example`,
    incentive: { type: rating === 5 ? "points" : "none", note: "" },
  });
  return content;
}

async function take(tx: Tx, world: World, one: Step): Promise<void> {
  const env = workOf(world);
  if (one.do === "submit") {
    await submitReview(tx, env, contentOf(one), {
      verification: one.rating === 4 ? verifyInvitation(`order-${one.author}`, env.nowAt) : UNVERIFIED,
      invitation_id: null,
      is_trusted: one.isTrusted,
      address: one.isTrusted ? null : `address-${one.author}`,
      form: one.isTrusted ? null : "ok",
      submitted_at: null,
    });
    return;
  }
  const { items } = await tx.peekPage(reviews, { limit: 50 });
  const found = items[one.pick % Math.max(1, items.length)];
  const stored = found === undefined ? null : await tx.get(reviews, found.id);
  if (stored === null) return;
  if (one.do === "vote")
    await voteOnReview(tx, env, stored, {
      isNamed: true,
      visitor: `visitor-${one.visitor}`,
      helpful: one.pick % 2 === 0,
    });
  else if (one.do === "flag")
    await flagReview(tx, env, stored, { visitor: `visitor-${one.visitor}`, isNamed: one.visitor > 0 });
  else if (one.do === "reword")
    await saveReview(tx, stored, { ...stored.value, body: stored.value.body === "" ? "now" : "" });
  // What the privacy service does: it knows nothing of averages, and changes none.
  else if (one.do === "forget") tx.put(reviews, stored, eraseWords(stored.value));
  else await moveReview(tx, env, stored, { action: one.do, reason: "off_topic" });
}

/** Every sum is what the reviews say, told in two ways; and no author has two published reviews of one target and order. */
async function check(world: World): Promise<void> {
  const runTx = runTxOver(world.store);
  await runTx(PART, async (tx) => {
    expect((await recount(tx)).differences).toEqual([]);
    const all = (await tx.peekAll(reviews)).map(({ value }) => value);
    const truth = tallyOf(all);
    for (const target of truth.targets) {
      const stored = await tx.get(aggregates, statsId(target.target));
      expect(stored !== null && sameStats(stored.value, target), target.id).toBe(true);
    }
    const totals = await tx.get(totalsDocs, TOTALS_ID);
    expect(totals?.value.stats ?? truth.totals.stats).toEqual(truth.totals.stats);
    const published = all.filter(({ status, email }) => status === "published" && email !== null);
    const keys = published.map(
      ({ target, email, verification }) => `${target.id} ${email} ${verification.order_id}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    for (const { value } of await tx.peekAll(reviews))
      expect(value.helpful.up + value.helpful.down).toBeLessThanOrEqual(4);
  });
}

describe("averages over random histories", () => {
  it("are at all times what a count gives, wherever a process dies", async () => {
    let died = 0;
    let refused = 0;
    await assert(
      asyncProperty(
        array(
          tuple(
            step,
            option(tuple(integer({ min: 1, max: 40 }), constantFrom("before" as const, "after" as const)), {
              freq: 3,
            }),
          ),
          { minLength: 5, maxLength: 25 },
        ),
        async (history) => {
          const clock = createTestClock();
          const world: World = { store: createMemoryDriver({ clock }), clock };
          for (const [one, death] of history) {
            clock.advance(3_600_000);
            const store = death === null ? world.store : dyingDriver(world.store, ...death).driver;
            try {
              await runTxOver(store)(PART, (tx) => take(tx, world, one));
            } catch (error) {
              // A refusal is an answer; dying is what the test is about; all else is a fault.
              if (error instanceof Died) died += 1;
              else if (error instanceof Problem) refused += 1;
              else throw error;
            }
            await check(world);
          }
        },
      ),
      seeded(40),
    );
    expect(died).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  }, 120_000);

  it("are found wrong and repaired when a document was changed behind their back (negative control)", async () => {
    const clock = createTestClock();
    const world: World = { store: createMemoryDriver({ clock }), clock };
    const runTx = runTxOver(world.store);
    const { stored } = await runTx(PART, (tx) =>
      submitReview(
        tx,
        workOf(world),
        contentOf({ do: "submit", author: 0, target: 0, rating: 5, isTrusted: true }),
        {
          verification: UNVERIFIED,
          invitation_id: null,
          is_trusted: true,
          address: null,
          form: null,
          submitted_at: null,
        },
      ),
    );
    await runTx(PART, async (tx) =>
      moveReview(tx, workOf(world), await tx.require(reviews, stored.id), { action: "approve" }),
    );
    // A write that goes around `saveReview`.
    await runTx(PART, async (tx) => {
      const one = await tx.require(reviews, stored.id);
      tx.put(reviews, one, { ...one.value, rating: 1 });
    });
    const found = await runTx(PART, recount);
    expect(found.differences).toHaveLength(3);
    expect(found.repaired).toBe(3);
    expect((await runTx(PART, recount)).differences).toEqual([]);
  });

  it("count every one of many at once", async () => {
    const clock = createTestClock();
    const world: World = { store: createMemoryDriver({ clock }), clock };
    const runTx = runTxOver(world.store);
    const made = Array.from({ length: 12 }, (_, at) =>
      makeReview({
        id: `rev_01JD8Z5T9QK3M4N5P6R7S8T9${String(at).padStart(2, "0")}`,
        status: "pending",
        rating: 1 + (at % 5),
      }),
    );
    for (const review of made) await runTx(PART, (tx) => saveReview(tx, null, review));
    await Promise.all(
      made.map(({ id }) =>
        runTx(PART, async (tx) =>
          moveReview(tx, workOf(world), await tx.require(reviews, id), { action: "approve" }),
        ),
      ),
    );
    const { value } = await runTx(PART, (tx) => tx.require(aggregates, statsId(made[0]!.target)));
    expect(value.stats.rating_count).toBe(12);
    await check(world);
  });
});

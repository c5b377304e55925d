import { readShop } from "../core/shop.ts";
import { z } from "zod";

import { conflict, conflictWhen, fail, invalidField } from "../lib/errors.ts";
import { fromInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";
import { created, empty, item, ok, values } from "../core/reply.ts";
import { quotaExceeded, toQuota } from "../core/quota.ts";
import { Id, Instant, ListQuery, withVersion } from "../core/schema.ts";
import { storeMails } from "../core/store-mail.ts";
import type { StoreMail } from "../core/store-mail.ts";
import { isTestPart, TestClock, testClockId, testClocks } from "../core/test-clock.ts";
import { composeStoreMail } from "../mail/forward.ts";
import { defineOperationsRoute } from "./context.ts";
import type { OperationsCtx } from "./context.ts";
import { newResource } from "../lib/new-resource.ts";

const ClockView = withVersion(TestClock);

const LAST_DAY = "2999-12-31";
const RUNS_SHOWN = 500;

const notTest = conflictWhen(
  "not_test_mode",
  "The key is not a test key (plat_test_…): live data always use real time",
);
const noClock = { type: "not_found", when: "The test data use real time" } as const;

function requireTest({ tx }: OperationsCtx): void {
  if (isTestPart(tx.part)) return;
  throw conflict("not_test_mode", "This is for test data only. Use a test key (plat_test_…).");
}

function checkInstant(member: string, instant: string): void {
  if (instant >= "1970" && instant.slice(0, 10) <= LAST_DAY) return;
  throw invalidField([member], `Must be an instant from 1970 to ${LAST_DAY}.`);
}

const requireClock = ({ tx }: OperationsCtx) => tx.require(testClocks, testClockId(tx.part));

const createClock = defineOperationsRoute({
  id: "account.test-clock.create",
  method: "POST",
  path: "/test-clock",
  status: 201,
  scope: "manage",
  summary: "Create the test clock of the store",
  description:
    "From then on all requests with a test key, and the work of all engines on test data, use its time. It does not move until it is advanced. A " +
    "store has one; DELETE returns to real time.",
  body: z.strictObject({ now: Instant }),
  data: ClockView,
  errors: [notTest, conflictWhen("clock_exists", "The store already has a test clock")],
  example: { body: { now: "2026-01-31T10:00:00.000Z" } },
  async handle({ body: { now } }, ctx) {
    requireTest(ctx);
    // The clock is due work for the jobs of every engine.
    await ctx.deps.loadEngines();
    checkInstant("now", now);
    const id = testClockId(ctx.tx.part);
    if ((await ctx.tx.get(testClocks, id)) !== null) {
      throw conflict("clock_exists", "The store already has a test clock. Advance or delete it.");
    }
    return created(ctx.tx.create(testClocks, { ...newResource(id, now), now }), "/test-clock");
  },
});

const getClock = defineOperationsRoute({
  id: "account.test-clock.get",
  method: "GET",
  path: "/test-clock",
  summary: "Retrieve the test clock of the store",
  data: ClockView,
  errors: [noClock],
  example: {},
  handle: async (_, ctx) => item(await requireClock(ctx)),
});

const removeClock = defineOperationsRoute({
  id: "account.test-clock.remove",
  method: "DELETE",
  path: "/test-clock",
  scope: "manage",
  summary: "Delete the test clock: test data use real time again",
  data: z.null(),
  errors: [noClock],
  example: {},
  async handle(_, ctx) {
    await ctx.deps.loadEngines();
    ctx.tx.remove(testClocks, await requireClock(ctx));
    return empty();
  },
});

const advanceClock = defineOperationsRoute({
  id: "account.test-clock.advance",
  method: "POST",
  path: "/test-clock/advance",
  scope: "manage",
  cost: 10,
  isRealTime: true,
  summary: "Advance the test clock and run everything that falls due",
  description:
    "It stops at each moment at which something is due in any engine (charges, reminders, quotes that expire, invitations, levels that end), has it done by " +
    "the jobs that do it for live data, and goes on. Work without a due time, such as retention, is done every six hours and at the end. If there is more to " +
    "do than one call can, `reached` is false: repeat the call.",
  body: z.strictObject({ to: Instant }),
  data: z.object({
    clock: TestClock,
    reached: z.boolean(),
    failed: z.int().meta({ description: "Pieces of work that failed; the clock stops there" }),
    runs: z
      .array(z.object({ at: Instant, job: z.string(), counts: z.record(z.string(), z.number()) }))
      .meta({ description: `What was done, in order of time: the last ${RUNS_SHOWN} runs of jobs` }),
  }),
  errors: [noClock],
  example: { body: { to: "2026-06-01T09:00:00.000Z" } },
  async handle({ body }, ctx) {
    const { part } = ctx.tx;
    // In a transaction of its own: this request's own commit must not depend on the clock that it moves.
    const { value } = await ctx.runTx(part, (tx) => tx.require(testClocks, testClockId(part)));
    const [from, to] = [fromInstant(value.now), fromInstant(body.to)];
    if (to < from) throw invalidField(["to"], "A test clock cannot be set back.");
    checkInstant("to", body.to);
    await requireRoom(ctx, part);
    const { runs, ...rest } = await ctx.deps.jobs.advance({ part, from, to, signal: ctx.signal() });
    return ok({ ...rest, runs: runs.slice(-RUNS_SHOWN) });
  },
});

/** No quota refuses what jobs store, and these are run as often as they are asked for: a store that is full goes no further. */
async function requireRoom({ deps, principal }: OperationsCtx, part: string): Promise<void> {
  if (principal === null) return;
  const quota = toQuota(principal.payer.storage);
  const usage = await deps.store.usage(part);
  if (usage.documents >= quota.documents || usage.bytes >= quota.bytes) throw quotaExceeded(usage, quota);
}

const mailFields = {
  id: Id,
  to: z.string(),
  template: z.string(),
  subject: z.string().nullable(),
  text: z.string().nullable(),
  link: z.string().nullable().meta({ description: "The link that the mail is about" }),
  error: z.string().nullable().meta({ description: "Why it could not be composed" }),
  created_at: Instant.meta({ description: "By the test clock, where there is one" }),
};
const TestMail = z.object(mailFields);
const TestMailWhole = z.object({ ...mailFields, html: z.string().nullable() });

const mailExample: z.output<typeof TestMail> = {
  id: "ltr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  to: "ada@shop.example",
  template: "subscription-cancelled",
  subject: "Your subscription is cancelled",
  text: "Hello Ada, …",
  link: null,
  error: null,
  created_at: "2026-06-01T09:00:00.000Z",
};

const listMail = defineOperationsRoute({
  id: "account.test-mail.list",
  method: "GET",
  path: "/test-mail",
  cost: 10,
  summary: "List mails of test data, newest first",
  description: "Mails of test data are not sent. The newest 500 are kept as they would be sent.",
  query: ListQuery,
  data: z.array(TestMail),
  example: { data: [mailExample] },
  async handle({ query }, ctx) {
    // Of live data it lists nothing.
    const value = isTestPart(ctx.tx.part) ? "" : "none";
    const page = await ctx.tx.peekPage(storeMails, { ...query, index: "time", value });
    const mails: z.output<typeof TestMail>[] = [];
    for (const stored of page.items) {
      // Parsing and composing a large one takes milliseconds.
      await giveWay(ctx.tx.part);
      mails.push((await compose(ctx, stored.value)).mail);
    }
    return values(mails, page);
  },
});

const getMail = defineOperationsRoute({
  id: "account.test-mail.get",
  method: "GET",
  path: "/test-mail/:id",
  summary: "Retrieve a mail of test data, with its HTML",
  data: TestMailWhole,
  errors: [{ type: "not_found", when: "No mail with this id, or the key is not a test key" }],
  example: { params: { id: mailExample.id }, data: { ...mailExample, html: "<!doctype html>…" } },
  async handle({ params }, ctx) {
    if (!isTestPart(ctx.tx.part))
      throw fail("not_found", "Live data have no test mail. Use a test key (plat_test_…).");
    const { mail, html } = await compose(ctx, (await ctx.tx.require(storeMails, params.id)).value);
    return ok({ ...mail, html });
  },
});

/** Composed when it is read, so that it is there as soon as it was written. */
async function compose(
  { deps, store, tx }: OperationsCtx,
  { id, to, template, created_at, ...content }: StoreMail,
): Promise<{ readonly mail: z.output<typeof TestMail>; readonly html: string | null }> {
  const known = { id, to, template, created_at };
  try {
    const about = { id, part: tx.part, store: store.identifier, shop: await readShop(tx) };
    const { link, message } = await composeStoreMail(deps, about, { ...known, ...content });
    const { html, subject, text } = message;
    return { mail: { ...known, subject, text, link: link ?? linkIn(text), error: null }, html };
  } catch (err) {
    const error = err instanceof Error ? err.message : String(err);
    return { mail: { ...known, subject: null, text: null, link: null, error }, html: null };
  }
}

/** The first button of a mail, whose address is alone on a line of its text. */
const linkIn = (text: string): string | null => /^https?:\/\/\S+$/m.exec(text)?.[0] ?? null;

export const testModeRoutes = [createClock, getClock, advanceClock, removeClock, listMail, getMail];

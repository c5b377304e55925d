import { toInstant, fromInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Stored } from "../../../core/tx.ts";
import {
  accounts,
  nextNumber,
  orders,
  readPolicy,
  recurringOrders,
  countBooks,
  headcountSources,
  rsvps,
} from "../repository.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { isoWeekdayOf, localAt, localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import { acceptedSchedule } from "../rules/deposit-schedule.ts";
import { fillDraft, overCapacity } from "../rules/draft-quote.ts";
import { takeAnswersTurn } from "./late-answers.ts";
import { claimOf, isSecured, newOrder } from "../rules/new-order.ts";
import {
  dueOccurrences,
  heldOccurrences,
  linesFor,
  nextLook,
  pruned,
  upcomingSteps,
  withStates,
} from "../rules/recurring-agenda.ts";
import { resolveHeadcount } from "../rules/resolve-headcount.ts";
import type { Account } from "../schema/account.ts";
import type { Order } from "../schema/order.ts";
import type { Occurrence, Progress, RecurringOrder, Resolved } from "../schema/recurring.ts";
import { claimFault, saveOrder } from "./save-order.ts";
import { emit } from "./work.ts";
import type { CateringWork } from "./work.ts";
import type { SourceAnswer } from "../rules/resolve-headcount.ts";
import { tallyRsvps } from "../rules/tally-rsvps.ts";
import type { HeadcountSource, Rsvp } from "../schema/headcount.ts";

export const agendaWorld = (work: CateringWork, { timezone }: Pick<RecurringOrder, "timezone">) => ({
  now: work.now,
  today: localDateAt(work.now, timezone),
  holidays: work.holidays,
});

/**
 * Writes a recurring order with what follows from it: when it is looked at next, without old occurrences. `upcoming`: its
 * occurrences, where they are known.
 */
export async function saveRecurring(
  work: CateringWork,
  before: Stored<RecurringOrder> | null,
  draft: RecurringOrder,
  upcoming?: readonly Occurrence[],
): Promise<Stored<RecurringOrder>> {
  const agenda = agendaWorld(work, draft);
  const order = pruned(draft, agenda.today);
  const occurrences = upcoming ?? (await runInSlices(upcomingSteps(order, agenda), work.part));
  const next = nextLook(order, occurrences, agenda);
  const value = {
    ...order,
    next_action_at: next === null ? null : toInstant(next),
    updated_at: work.nowAt,
  };
  return work.tx.save(recurringOrders, before, value);
}

/** Operations of an occurrence that is counted and ordered, with an event for each of its sources that is silent: 40 at most. */
const OPS_PER_OCCURRENCE = 48;

export interface Worked {
  readonly counted: number;
  readonly ordered: number;
}

/**
 * Counts the occurrences whose deadline has come, and orders those that need no approval. An order's id follows from
 * its occurrence (C8), so that a run that is repeated makes nothing twice.
 */
export async function workOnRecurring(work: CateringWork, stored: Stored<RecurringOrder>): Promise<Worked> {
  const agenda = agendaWorld(work, stored.value);
  const upcoming = await runInSlices(upcomingSteps(stored.value, agenda), work.part);
  const due = dueOccurrences(upcoming, work.now);
  const held = stored.value.approval_mode === "auto" ? heldOccurrences(upcoming) : [];
  let order = stored.value;
  let [counted, ordered] = [0, 0];
  // What does not fit into the commit is due at the next run.
  const isFull = (): boolean => work.tx.room() < OPS_PER_OCCURRENCE;
  for (const occurrence of due) {
    if (isFull()) break;
    counted += 1;
    const headcount = await countOccurrence(work, order, occurrence);
    emit(work, "occurrence.counted", order.id, {
      date: occurrence.date,
      count: headcount.count,
      size: headcount.size,
      origin: headcount.origin,
    });
    const progress = await next(work, order, occurrence, headcount);
    if (progress.state === "ordered") ordered += 1;
    order = withProgress(order, progress);
  }
  for (const occurrence of held) {
    if (isFull()) break;
    // Guests have answered since.
    const progress = await next(work, order, occurrence, await countOccurrence(work, order, occurrence));
    if (progress.state === "ordered") ordered += 1;
    order = withProgress(order, progress);
  }
  await saveRecurring(work, stored, order, withStates(upcoming, order));
  return { counted, ordered };
}

export const withProgress = (order: RecurringOrder, progress: Progress): RecurringOrder => ({
  ...order,
  progress: [
    ...order.progress.filter(({ original_start: at }) => at !== progress.original_start),
    progress,
  ].slice(-200),
  weekday_counts:
    progress.state === "ordered" && progress.headcount !== null && isUsual(progress.headcount)
      ? {
          ...order.weekday_counts,
          [String(isoWeekdayOf(progress.original_start.slice(0, 10)))]: progress.headcount.size,
        }
      : order.weekday_counts,
});

/** A number that was written for one date, or that is an estimate, says nothing of the dates after it. */
const isUsual = ({ confidence, source_id: source }: Resolved): boolean =>
  source !== null && confidence !== "low";

export async function countOccurrence(
  work: CateringWork,
  order: RecurringOrder,
  { date, original_start: original, state }: Occurrence,
): Promise<Resolved> {
  const edit = order.edits.find(({ original_start: at }) => at === original);
  const day = original.slice(0, 10);
  const previous = order.weekday_counts[String(isoWeekdayOf(day))] ?? null;
  const { dietary_defaults: standing } = (await work.tx.require(accounts, order.account_id)).value;
  const resolved = resolveHeadcount({
    override: edit?.headcount ?? null,
    answers: await answersFor(work, order, {
      dates: [date, day],
      usual: previous ?? order.default_heads,
      isFirst: state !== "counted",
    }),
    previous,
    fallback: order.default_heads,
    dietary: order.dietary.length === 0 ? standing : order.dietary,
  });
  const { headcount_source_ids: sourceIds } = order;
  return sourceIds.length === 0 ? resolved : { ...resolved, source_ids: sourceIds };
}

/** What becomes of a counted occurrence: no guests, an approval is needed, or it is ordered. */
function next(
  work: CateringWork,
  order: RecurringOrder,
  occurrence: Occurrence,
  headcount: Resolved,
): Promise<Progress> | Progress {
  const base = { original_start: occurrence.original_start, order_id: null, headcount, blocked: null };
  if (headcount.size === 0) return { ...base, state: "cancelled" };
  const edit = order.edits.find(({ original_start: at }) => at === occurrence.original_start);
  if (order.approval_mode === "confirm_each" && edit?.confirmed !== true)
    return { ...base, state: "counted" };
  return orderOccurrence(work, order, occurrence, headcount);
}

/** Makes the order of an occurrence; where the kitchen or the account does not bear it, says why and leaves it counted. */
export async function orderOccurrence(
  work: CateringWork,
  order: RecurringOrder,
  occurrence: Occurrence,
  headcount: Resolved,
): Promise<Progress> {
  const { tx } = work;
  const base = { original_start: occurrence.original_start, headcount };
  const account = await tx.require(accounts, order.account_id);
  const draft = await draftOrder(work, { order, occurrence, headcount }, account.value);
  if ((await tx.get(orders, draft.id)) !== null) {
    return { ...base, state: "ordered", order_id: draft.id, blocked: null };
  }
  const claim = claimOf(draft);
  const fault =
    overCapacity(draft.policy, headcount.size) ??
    (claim === null ? null : claimFault(account.value, null, claim, false));
  if (fault !== null) {
    if (occurrence.blocked === null)
      emit(work, "account.over_limit", account.id, { recurring_order_id: order.id, reason: fault.code });
    return { ...base, state: "counted", order_id: null, blocked: fault.code };
  }
  await saveOrder(work, null, { ...draft, number: await nextNumber(tx, "orders") }, { check: false });
  if (draft.status === "confirmed")
    emit(work, "order.confirmed", draft.id, { total: draft.total, currency: draft.currency });
  return { ...base, state: "ordered", order_id: draft.id, blocked: null };
}

interface ToOrder {
  readonly order: RecurringOrder;
  readonly occurrence: Occurrence;
  readonly headcount: Resolved;
}

async function draftOrder(
  work: CateringWork,
  { headcount, occurrence, order }: ToOrder,
  account: Account,
): Promise<Order> {
  const { date, note, original_start: original, start } = occurrence;
  const { lines, title } = linesFor(order, original);
  const { timezone } = order;
  const endsAt = toEpochMs(date, start, timezone) + order.duration_minutes * 60_000;
  const event = {
    date,
    start,
    end: localAt(endsAt, timezone).slice(11),
    timezone,
    service: order.service,
    site: order.site,
  };
  const heads = headcount.size;
  const policy = await readPolicy(work.tx, order.policy_id);
  const tax_included = work.settings.tax_included;
  const filled = fillDraft({
    lines,
    event,
    headcount: { estimate: heads, min: heads, max: heads },
    tax_included,
    policy,
    deposits: null,
    account,
  });
  const [first] = account.billing_contacts;
  const today = localDateAt(work.now, timezone);
  const made = newOrder(
    {
      id: derivedId("cor", new Uint8Array(), [order.id, original]),
      number: 1,
      account_id: account.id,
      contact: {
        name: first?.name ?? account.legal_name,
        email: first?.email ?? "",
        company: account.legal_name,
      },
      recurring_order_id: order.id,
      occurrence: original,
      title,
      currency: account.currency,
      tax_included,
      lines,
      deposit_schedule: acceptedSchedule(filled.deposit_schedule, today),
      policy,
      payment_terms: account.terms,
      event,
      // A guest can have several needs: the kitchen gets all of them, also where they are more than heads.
      dietary: headcount.dietary,
      po_number: order.po_number,
      cost_centre: order.cost_centre,
      notes: note,
      heads,
    },
    work,
  );
  return { ...made, status: isSecured(made, today) ? "confirmed" : "tentative" };
}

const HOUR_MS = 3_600_000;

interface DayAsked {
  /** Of the event, and where it was moved, of which guests may have been asked before. */
  readonly dates: readonly [string, string];
  /** Heads where no source says anything. */
  readonly usual: number;
  /** Sources that are silent are reported once. */
  readonly isFirst: boolean;
}

/** What the sources of a recurring order say of a day. One that was silent for too long is reported. */
async function answersFor(
  work: CateringWork,
  { headcount_source_ids: sourceIds }: Pick<RecurringOrder, "headcount_source_ids">,
  asked: DayAsked,
): Promise<SourceAnswer[]> {
  const answers: SourceAnswer[] = [];
  for (const id of sourceIds) {
    const source = await work.tx.get(headcountSources, id);
    if (source === null || source.value.status === "archived") continue;
    const answer = await answerOf(work, source.value, asked);
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

async function answerOf(
  work: CateringWork,
  source: HeadcountSource,
  { dates, isFirst, usual }: DayAsked,
): Promise<SourceAnswer | null> {
  const sizing = {
    buffer_bps: source.buffer_bps,
    min: source.min,
    max: source.max,
    pack_size: source.pack_size,
  };
  const base = { source_id: source.id, kind: source.kind, sizing };
  if (source.kind === "rsvp") {
    await takeAnswersTurn(work, source.id);
    const tally = tallyRsvps(await answersTo(work, source.id, dates));
    if (tally.answered === 0) return null;
    if (tally.count > 0) return { ...base, fresh: true, ...tally };
    // While all who answered decline, the others can still come; what is usual has its buffer already.
    const count = Math.max(0, usual - tally.answered);
    const unbuffered = { ...sizing, buffer_bps: 0 };
    return { ...base, fresh: true, ...tally, count, is_estimate: true, sizing: unbuffered };
  }
  const [date] = dates;
  const fresh = isFresh(source, work.now);
  if (!fresh && isFirst) emit(work, "headcount.stale", source.id, { date, last_ok_at: source.last_ok_at });
  const book = await work.tx.get(countBooks, source.id);
  const day = book?.value.days.find((known) => known.date === date);
  // A calendar in which no one has answered, or whose title has no number, says nothing of the heads.
  const isSilent = day?.count === 0 && !day.cancelled && source.kind.startsWith("calendar_");
  if (day === undefined || isSilent) return null;
  return { ...base, fresh, count: day.count, evidence: day.evidence, dietary: day.dietary };
}

/** What guests answered for a day, and for the one that it was moved from, unless they answered for the new one as well. */
async function answersTo(
  { tx }: CateringWork,
  sourceId: string,
  [date, day]: DayAsked["dates"],
): Promise<readonly Rsvp[]> {
  const read = async (on: string): Promise<Rsvp[]> =>
    (await tx.peekAll(rsvps, { index: "day", value: `${sourceId}.${on}` })).map(({ value }) => value);
  const now = await read(date);
  if (date === day) return now;
  const guest = ({ email, name }: Rsvp): string => (email ?? name).toLowerCase();
  const known = new Set(now.filter(({ answer }) => answer !== "none").map(guest));
  return [...now, ...(await read(day)).filter((rsvp) => !known.has(guest(rsvp)))];
}

/** Only a calendar can be out of date: a number that was given for a day is valid until it is replaced. */
const isFresh = ({ kind, last_ok_at: at, stale_after_h: hours }: HeadcountSource, now: number): boolean =>
  kind !== "calendar_feed" || (at !== null && fromInstant(at) + hours * HOUR_MS > now);

import { z } from "zod";

import type { Observation } from "../../http/principal.ts";
import { Problem } from "../../lib/errors.ts";
import { toInstant } from "../../lib/instant.ts";
import { defineCollection, newestFirst } from "../../core/collection.ts";
import type { Log } from "../../core/log.ts";
import { Instant, LocalDate } from "../../core/schema.ts";
import type { RunTx, Tx } from "../../core/tx.ts";
import { instantOrder } from "../collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { createDelayedWrite } from "../../core/delayed-write.ts";

const Count = z.int().nonnegative();

/** Requests by outcome; `rejected` is every 4xx but 429, `failed` every 5xx. */
const counts = { requests: Count, succeeded: Count, rejected: Count, rate_limited: Count, failed: Count };

/** What one key did on one day (UTC). */
export const UsageDay = z.strictObject({
  /** `<key id>.<day>`. */
  id: z.string(),
  key_id: z.string(),
  customer_id: z.string(),
  day: LocalDate,
  last_used_at: Instant,
  ...counts,
  /** Requests refused with 429, by hour (UTC). */
  refused_by_hour: z.array(Count).length(24),
  /** By route id; null for requests that reached no route (404, 405). */
  routes: z.array(z.strictObject({ route: z.string().nullable(), ...counts })),
});
export type UsageDay = z.output<typeof UsageDay>;
type Counts = UsageDay["routes"][number];

const noHours = (): number[] => Array.from({ length: 24 }, () => 0);

const byDay = ({ day }: UsageDay): string => newestFirst(`${day}T00:00:00.000Z`);

export const usageDays = defineCollection({
  name: "platform.usage",
  schema: UsageDay,
  schemaVersion: 2,
  upgrade: (old) => ({ refused_by_hour: noHours(), ...old }),
  indexes: {
    new: { values: () => [""], order: byDay },
    key: { values: (usage) => [usage.key_id], order: byDay },
    customer: { values: (usage) => [usage.customer_id], order: byDay },
    day: { values: (usage) => [usage.day] },
    /** Keys that exceeded their limit on a day, the most refused first. */
    refused: {
      values: (usage) => (usage.rate_limited === 0 ? [] : [usage.day]),
      order: ({ rate_limited }) => String(999_999_999_999 - rate_limited),
    },
    oldest: { values: () => [""], order: ({ day }) => instantOrder(`${day}T00:00:00.000Z`) },
  },
});

/** When a key was last used, found with one look-up. */
export const keyUses = defineCollection({
  name: "platform.key_uses",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), last_used_at: Instant }),
});

export interface Usage {
  /** Counts one finished request; only adds in memory. */
  observe(observation: Observation): void;
  /** Writes what was counted; on failure it stays counted and is tried with the next flush. */
  flush(): Promise<void>;
  /** Instant of the key's latest request, requests not yet written included; null when it was never used. */
  lastUsedAt(tx: Tx, keyId: string): Promise<string | null>;
  /** Writes the rest and counts no more. */
  close(): Promise<void>;
}

/** How long a count may wait in memory: what a process that is killed can lose. */
const FLUSH_AFTER_MS = 3_000;
/** Keys per commit; each is two documents and, the first time, six index entries. */
const KEYS_PER_COMMIT = 20;
/** Each write stores the whole day of a key: one with more routes than these, 100 bytes each, is written less often. */
const ROUTES_MAX = 50;
const LARGE_FLUSH_AFTER_MS = 60_000;

/** Counts the use of keys, per key, day and route, in memory; every few seconds the counts join the stored ones. */
export function createUsage({ runTx, log }: { readonly runTx: RunTx; readonly log: Log }): Usage {
  /** Ids of the days that are stored with many routes. */
  const large = new Set<string>();

  async function write(days: readonly UsageDay[]): Promise<void> {
    const stored = await runTx(PLATFORM_PART, (tx) => writeDays(tx, days));
    for (const { day, id, routes } of stored) {
      if (routes.length <= ROUTES_MAX || large.has(id)) continue;
      for (const known of large) if (!known.endsWith(day)) large.delete(known);
      large.add(id);
    }
  }

  const soon = createCounts({ write, delayMs: FLUSH_AFTER_MS, log });
  const later = createCounts({ write, delayMs: LARGE_FLUSH_AFTER_MS, log });

  async function flush(): Promise<void> {
    await soon.flush();
    await later.flush();
  }

  return {
    observe({ principal, now, routeId, status }) {
      if (principal === null) return;
      const seenAt = toInstant(now);
      const counts = large.has(dayId(principal.keyId, seenAt)) ? later : soon;
      const day = counts.open(principal, seenAt);
      count(day, routeId, status, Number(seenAt.slice(11, 13)));
      if (seenAt > day.last_used_at) day.last_used_at = seenAt;
    },
    flush,
    async lastUsedAt(tx, keyId) {
      const unwritten = [...soon.unwritten(), ...later.unwritten()].filter((day) => day.key_id === keyId);
      const stored = await tx.get(keyUses, keyId);
      const seen = unwritten.map((day) => day.last_used_at).concat(stored?.value.last_used_at ?? []);
      return seen.reduce<string | null>((last, at) => (last === null || at > last ? at : last), null);
    },
    async close() {
      await flush();
      soon.stop();
      later.stop();
    },
  };
}

/** Counts in memory, which are written some time after the first of them. */
function createCounts({
  write,
  delayMs,
  log,
}: {
  readonly write: (days: readonly UsageDay[]) => Promise<void>;
  readonly delayMs: number;
  readonly log: Log;
}) {
  let pending = new Map<string, UsageDay>();
  /** Days that are being written: neither pending any more nor stored yet. */
  let inFlight: readonly UsageDay[] = [];

  async function writeAll(): Promise<void> {
    const days = [...pending.values()];
    pending = new Map();
    let most = KEYS_PER_COMMIT;
    while (days.length > 0) {
      inFlight = days;
      const batch = days.slice(0, most);
      try {
        await write(batch);
      } catch (error) {
        if (batch.length > 1 && isTooLarge(error)) {
          most = Math.ceil(batch.length / 2);
          continue;
        }
        for (const day of days) pending.set(day.id, join(day, pending.get(day.id)));
        inFlight = [];
        throw error;
      }
      days.splice(0, batch.length);
    }
    inFlight = [];
  }

  const { arm, flush, stop } = createDelayedWrite({
    write: writeAll,
    delayMs,
    log,
    failure: "failed to write usage counts, retrying later",
  });

  return {
    /** The pending counts of a key and the day of this instant. */
    open(principal: KeyOwner, seenAt: string): UsageDay {
      const id = dayId(principal.keyId, seenAt);
      let day = pending.get(id);
      if (day === undefined) {
        day = emptyDay(principal, seenAt);
        pending.set(id, day);
        arm();
      }
      return day;
    },
    unwritten: () => [...pending.values(), ...inFlight],
    flush,
    stop,
  };
}

/** Days of keys that used most routes have 70 KB each: so many may not fit into one commit. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Problem && error.type === "content_too_large";

const dayId = (keyId: string, seenAt: string): string => `${keyId}.${seenAt.slice(0, 10)}`;

/** Adds days to the stored ones; returns what is stored then. */
async function writeDays(tx: Tx, days: readonly UsageDay[]): Promise<UsageDay[]> {
  const stored: UsageDay[] = [];
  for (const day of days) {
    const before = await tx.get(usageDays, day.id);
    const after = before === null ? { ...day, routes: byName(day.routes) } : join(before.value, day);
    tx.save(usageDays, before, after);
    stored.push(after);
    const use = await tx.get(keyUses, day.key_id);
    if (use === null) tx.create(keyUses, { id: day.key_id, last_used_at: day.last_used_at });
    else if (use.value.last_used_at < day.last_used_at)
      tx.put(keyUses, use, { id: day.key_id, last_used_at: day.last_used_at });
  }
  return stored;
}

const ZERO = { requests: 0, succeeded: 0, rejected: 0, rate_limited: 0, failed: 0 } as const;

interface KeyOwner {
  readonly keyId: string;
  readonly customerId: string;
}

function emptyDay(principal: KeyOwner, seenAt: string): UsageDay {
  const day = seenAt.slice(0, 10);
  return {
    id: dayId(principal.keyId, seenAt),
    key_id: principal.keyId,
    customer_id: principal.customerId,
    day,
    last_used_at: seenAt,
    ...ZERO,
    refused_by_hour: noHours(),
    routes: [],
  };
}

function count(day: UsageDay, routeId: string | null, status: number, hour: number): void {
  let route = day.routes.find((counted) => counted.route === routeId);
  if (route === undefined) {
    route = { route: routeId, ...ZERO };
    day.routes.push(route);
  }
  const outcome = outcomeOf(status);
  day.requests += 1;
  day[outcome] += 1;
  route.requests += 1;
  route[outcome] += 1;
  if (outcome === "rate_limited") day.refused_by_hour[hour] = (day.refused_by_hour[hour] ?? 0) + 1;
}

function outcomeOf(status: number): "succeeded" | "rejected" | "rate_limited" | "failed" {
  if (status < 400) return "succeeded";
  if (status === 429) return "rate_limited";
  return status < 500 ? "rejected" : "failed";
}

/** The sum of two counts of the same key and day, routes by name. */
function join(one: UsageDay, other: UsageDay | undefined): UsageDay {
  if (other === undefined) return one;
  const routes = new Map(one.routes.map((route) => [route.route, route]));
  for (const route of other.routes) {
    const known = routes.get(route.route);
    routes.set(route.route, known === undefined ? route : { ...known, ...sum(known, route) });
  }
  const last_used_at = one.last_used_at > other.last_used_at ? one.last_used_at : other.last_used_at;
  const refused_by_hour = one.refused_by_hour.map(
    (count, hour) => count + (other.refused_by_hour[hour] ?? 0),
  );
  return { ...one, ...sum(one, other), last_used_at, refused_by_hour, routes: byName([...routes.values()]) };
}

const byName = (routes: readonly Counts[]): Counts[] =>
  [...routes].sort((a, b) => ((a.route ?? "") < (b.route ?? "") ? -1 : 1));

type Sums = Omit<Counts, "route">;

const sum = (one: Sums, other: Sums): Sums => ({
  requests: one.requests + other.requests,
  succeeded: one.succeeded + other.succeeded,
  rejected: one.rejected + other.rejected,
  rate_limited: one.rate_limited + other.rate_limited,
  failed: one.failed + other.failed,
});

import { createNewId } from "../../server/core/ids.ts";
import type { Random } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { createOutbox } from "../../server/mail/outbox.ts";
import type { Outbox, OutboxDeps } from "../../server/mail/outbox.ts";
import { mailOps } from "../../server/mail/record.ts";
import type { MailRecord } from "../../server/mail/record.ts";
import type { MailTransport } from "../../server/mail/transport.ts";
import { createSmtpTransport } from "../../server/mail/transports/smtp.ts";
import type { SmtpTimeouts } from "../../server/mail/transports/smtp.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const START_MS = Date.UTC(2026, 10, 21, 12);

/** A small deterministic generator (mulberry32): a failing run is repeated by its seed. */
export function createSeededRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

export interface Rig {
  readonly store: StoreDriver;
  readonly clock: { now(): number };
  advance(ms: number): void;
  /** Another worker or node on the same store; a new one after a restart. */
  outbox(transport: MailTransport, changes?: Partial<OutboxDeps>): Outbox;
  /** Stores a verification mail and resolves to its id. */
  post(outbox: Outbox, to?: string): Promise<string>;
  get(id: string): Promise<MailRecord>;
}

export function createRig(wrapStore: (store: StoreDriver) => StoreDriver = (store) => store): Rig {
  let nowMs = START_MS;
  const clock = { now: () => nowMs };
  const store = wrapStore(createMemoryDriver({ clock }));
  const random = createSeededRandom(1);
  const newId = createNewId(clock, random);
  const outbox = (transport: MailTransport, changes: Partial<OutboxDeps> = {}): Outbox =>
    createOutbox({
      store,
      transport,
      clock,
      newId,
      random,
      log: silentLog,
      from: "Shop API <no-reply@shop.example>",
      baseUrl: "https://api.shop.example",
      ...changes,
    });
  const reader = outbox({ name: "dev", send: () => Promise.reject(new Error("only reads")) });
  return {
    store,
    clock,
    advance: (ms) => {
      nowMs += ms;
    },
    outbox,
    async post(outbox, to = "ada@example.test") {
      const expires_at = new Date(nowMs + DAY).toISOString();
      const link = `https://api.shop.example/api/platform/verify?token=${newId("t")}`;
      const mail = await outbox.compose({
        to,
        template: "verify",
        data: { link, expires_at },
      });
      await store.commit("platform", mailOps(mail));
      return mail.id;
    },
    async get(id) {
      const mail = await reader.get(id);
      if (mail === null) throw new Error(`no mail ${id}`);
      return mail;
    },
  };
}

/** SMTP to a port of this machine, with waits short enough for a test. */
export const smtpTo = (port: number, timeouts: Partial<SmtpTimeouts> = {}): MailTransport =>
  createSmtpTransport({ host: "127.0.0.1", port, secure: false }, timeouts);

/** Waits until a condition holds; the test's own time limit ends a wait that never will. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

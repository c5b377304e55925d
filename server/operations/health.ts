import { z } from "zod";

import { fail } from "../lib/errors.ts";
import { ok } from "../core/reply.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import { StoreError } from "../storage/contract.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { defineOperationsRoute } from "./context.ts";

/** A store that does not answer a ping by then counts as one that cannot serve. */
const PING_TIMEOUT_MS = 2_000;

/** The process is up. It also reports what an operator would ask next; a failing part does not change the status. */
export const healthzRoute = defineOperationsRoute({
  id: "pages.healthz",
  method: "GET",
  path: "/healthz",
  summary: "Liveness, with the status of storage and mail",
  hidden: true,
  data: z.strictObject({
    status: z.enum(["ok", "draining"]),
    uptime_seconds: z.int(),
    storage: z.strictObject({ state: z.enum(["ok", "failing"]) }),
    mail: z.strictObject({
      /** Mails that wait to be sent; null while storage does not answer. */
      waiting: z.int().nullable(),
      oldest_created_at: z.string().nullable(),
    }),
  }),
  example: {},
  async handle(_input, { deps, now }) {
    const { store, mail, lifecycle } = deps;
    const reason = await pingWithin(store);
    const backlog = reason === null ? await backlogOnce(mail) : null;
    return ok({
      status: lifecycle.draining ? ("draining" as const) : ("ok" as const),
      uptime_seconds: Math.max(0, Math.floor((now - lifecycle.startedAtMs) / 1000)),
      storage: { state: reason === null ? ("ok" as const) : ("failing" as const) },
      mail: {
        waiting: backlog?.waiting ?? null,
        oldest_created_at: backlog?.oldest_created_at ?? null,
      },
    });
  },
});

/** Whether to send requests here: 503 while draining, and while storage cannot write. */
export const readyzRoute = defineOperationsRoute({
  id: "pages.readyz",
  method: "GET",
  path: "/readyz",
  summary: "Readiness to accept requests",
  hidden: true,
  data: z.strictObject({ status: z.literal("ready") }),
  errors: [
    {
      type: "service_unavailable",
      when: "The server is shutting down, or the storage is full or not writable",
    },
  ],
  example: {},
  async handle(_input, { deps }) {
    if (deps.lifecycle.draining) throw notReady("The server is shutting down.");
    const reason = await pingWithin(deps.store);
    if (reason instanceof StoreError && reason.code === "REPLACED") throw reason;
    const isFull = reason instanceof StoreError && reason.code === "FULL";
    if (isFull) throw notReady("The storage is full or almost full. Reads continue.", reason);
    if (reason !== null) throw notReady("The storage is not writable.", reason);
    return ok({ status: "ready" as const });
  },
});

const notReady = (detail: string, cause?: unknown): Error =>
  fail("service_unavailable", detail, {
    headers: { "Retry-After": "5" },
    ...(cause === undefined ? {} : { cause }),
  });

/** Time for which one answer is given to all who ask: anybody may, and each one reads files, mails or asks servers. */
const FRESH_MS = 1_000;

/** Asks a source once in that time. A failure is shared until it is known. */
function createFresh<S extends object, T>(ask: (source: S) => Promise<T>): (source: S) => Promise<T> {
  const known = new WeakMap<S, { readonly sinceMs: number; readonly answer: Promise<T> }>();
  return (source) => {
    const last = known.get(source);
    if (last !== undefined && performance.now() - last.sinceMs < FRESH_MS) return last.answer;
    const answer = ask(source);
    known.set(source, { sinceMs: performance.now(), answer });
    answer.catch(() => known.delete(source));
    return answer;
  };
}

const pingOnce = createFresh((store: Pick<StoreDriver, "ping">) => store.ping());
const backlogOnce = createFresh((mail: Pick<Mailbox, "backlog">) => mail.backlog());

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Why the store cannot write; null when it can, or could within the last second. */
export async function pingWithin(
  store: Pick<StoreDriver, "ping">,
  timeoutMs = PING_TIMEOUT_MS,
): Promise<Error | null> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<Error>((resolve) => {
    const late = (): void => resolve(new StoreError("UNAVAILABLE", `timed out after ${timeoutMs} ms`));
    timer = setTimeout(late, timeoutMs);
  });
  try {
    return await Promise.race([pingOnce(store).then(() => null, toError), patience]);
  } finally {
    clearTimeout(timer);
  }
}

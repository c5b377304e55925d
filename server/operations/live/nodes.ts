import { hostname } from "node:os";

import { z } from "zod";

import { RequestEntry, toEntry } from "../../observability/request-entry.ts";
import type { RequestLog } from "../../observability/request-log.ts";
import { nodeName } from "../../storage/nodes.ts";
import { LiveEvent, SeenKey } from "./live.ts";
import type { Live } from "./live.ts";
import { createPeers } from "./peers.ts";
import type { Answers, PeersDeps, Question } from "./peers.ts";
import { createTail } from "./tail.ts";
import type { Tail } from "./tail.ts";

/** What all processes that serve a store have seen: each keeps in memory what it served itself. */
export interface Nodes {
  /** Name of this process. */
  readonly self: string;
  readonly limits: Tail<LiveEvent>;
  readonly requests: Tail<RequestEntry>;
  /** Keys with open windows that other nodes served. */
  keysElsewhere(wanted: z.input<typeof KeysWanted>): Promise<Answers<{ readonly keys: readonly SeenKey[] }>>;
  /** Requests in the memory of other nodes, newest first. */
  requestsElsewhere(
    wanted: z.output<typeof RequestsWanted>,
  ): Promise<Answers<{ readonly entries: readonly RequestEntry[] }>>;
  start(): Promise<void>;
  endTails(): void;
  close(): Promise<void>;
}

const KeysWanted = z.object({ keyId: z.string().optional(), customerId: z.string().optional() });
const keysQuestion: Question<z.output<typeof KeysWanted>, { keys: SeenKey[] }> = {
  what: "keys",
  asked: KeysWanted,
  answered: z.object({ keys: z.array(SeenKey) }),
};

export const RequestFilter = z.object({
  key_id: z.string().optional(),
  status: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)$/, { error: "Expected a status such as 404 or a class such as 4xx." })
    .optional()
    .meta({ description: "A status (404) or a class (4xx)" }),
  route: z.string().optional().meta({ description: "Route id, or the name of an engine for all its routes" }),
});
export type RequestFilter = z.output<typeof RequestFilter>;

const RequestsWanted = z.object({
  filter: RequestFilter,
  /** RFC 3339; empty for all. */
  since: z.string(),
  limit: z.int().positive(),
});
const requestsQuestion: Question<z.output<typeof RequestsWanted>, { entries: RequestEntry[] }> = {
  what: "requests",
  asked: RequestsWanted,
  answered: z.object({ entries: z.array(RequestEntry) }),
};

/** Keys and requests of one answer. */
const KEYS_MAX = 2_000;
export const REQUESTS_MAX = 1_000;

export function createNodes(
  deps: Omit<PeersDeps, "self"> & {
    readonly live: Live;
    readonly requestLog: RequestLog;
    readonly id: string;
  },
): Nodes {
  const { live, requestLog, newId } = deps;
  const name = nodeName({ host: hostname(), pid: process.pid });
  const peers = createPeers({ ...deps, self: { id: deps.id, name } });
  const shared = { peers, newId, elapsed: () => performance.now() };
  const limits = createTail({
    ...shared,
    topic: "limits",
    source: live.feed,
    schema: LiveEvent,
    toEvent: (event) => event,
    orderOf: ({ atMs }) => atMs,
  });
  const requests = createTail({
    ...shared,
    topic: "requests",
    source: requestLog.feed,
    schema: RequestEntry,
    toEvent: toEntry,
    orderOf: ({ at, duration_ms }) => Date.parse(at) + duration_ms,
  });
  peers.answer(keysQuestion, ({ keyId, customerId }) => ({
    keys: live
      .keys((key) => (keyId ?? key.keyId) === key.keyId && (customerId ?? key.customerId) === key.customerId)
      .slice(0, KEYS_MAX),
  }));
  peers.answer(requestsQuestion, ({ filter, since, limit }) => ({
    entries: recentRequests(requestLog, filter, since).slice(0, Math.min(limit, REQUESTS_MAX)),
  }));
  const endTails = (): void => {
    limits.close();
    requests.close();
  };
  return {
    self: name,
    limits,
    requests,
    keysElsewhere: (wanted) => peers.ask(keysQuestion, wanted),
    requestsElsewhere: (wanted) => peers.ask(requestsQuestion, wanted),
    start: () => peers.start(),
    endTails,
    async close() {
      endTails();
      await peers.close();
    },
  };
}

/** Requests in the memory of this process, newest first. */
export const recentRequests = (log: RequestLog, filter: RequestFilter, since: string): RequestEntry[] =>
  log.recent().filter((entry) => entry.at >= since && wants(filter)(entry));

export function wants({ key_id, status, route }: RequestFilter): (entry: RequestEntry) => boolean {
  const isStatus = statusTest(status);
  return (entry) =>
    (key_id === undefined || entry.key_id === key_id) &&
    isStatus(entry.status) &&
    (route === undefined || entry.route === route || entry.route?.startsWith(`${route}.`) === true);
}

function statusTest(wanted: string | undefined): (status: number) => boolean {
  if (wanted === undefined) return () => true;
  if (!wanted.endsWith("xx")) return (status) => status === Number(wanted);
  return (status) => Math.floor(status / 100) === Number(wanted.charAt(0));
}

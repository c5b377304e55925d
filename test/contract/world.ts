import { z } from "zod";

import { mountRoutes } from "../../server/http/namespace.ts";
import type { Endpoint } from "../../server/http/namespace.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { defineCollection } from "../../server/core/collection.ts";
import { toJsonSchema } from "../../server/openapi/schemas.ts";
import {
  deliveries,
  endpoints as webhookEndpoints,
  endpointSecrets,
  replays,
} from "../../server/operations/webhooks/collections.ts";
import type {
  Delivery,
  Endpoint as WebhookEndpoint,
  Replay,
} from "../../server/operations/webhooks/collections.ts";
import {
  EXAMPLE_DELIVERY,
  EXAMPLE_ENDPOINT,
  EXAMPLE_REPLAY,
} from "../../server/operations/webhooks/views.ts";
import { engines, namespaces } from "../../server/registry.ts";
import type { Doc, Key } from "../../server/storage/contract.ts";
import { createHarness } from "../harness.ts";
import type { Answer, CallOptions, Harness, TestKey } from "../harness.ts";

// The contract tests loop over the registry: a new route is under test without an edit here.

export const endpoints: readonly Endpoint[] = mountRoutes(namespaces).endpoints;
export const keyEndpoints = endpoints.filter(({ namespace }) => namespace.auth === "key");
export const adminEndpoints = endpoints.filter(({ namespace }) => namespace.auth === "admin");
export const openEndpoints = endpoints.filter(({ namespace }) => namespace.auth === "none");
/** Answers that end: an event stream is tested where it is made. */
export const isStream = ({ route }: Endpoint): boolean => route.rawType === "text/event-stream";
export const isWrite = ({ route }: Endpoint): boolean => route.method !== "GET";
export const isPaged = ({ route }: Endpoint): boolean =>
  route.isList && route.query !== null && "cursor" in route.query.shape;

export const titleOf = ({ route, path }: Endpoint): string => `${route.id} (${route.method} ${path})`;

const STORED_ID = /^([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}$/;

/** What a store holds, as far as its own lists tell: documents by list path. */
export interface World {
  readonly key: TestKey;
  readonly lists: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;
  /** Live ids for each prefix (`zon` → `zon_…`), in the order of their lists. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
}

/** The path of a route with the parameters of its example, or with live ones where the world has them. */
export function pathOf(endpoint: Endpoint, world?: World): string {
  const { route, path } = endpoint;
  const listPath = path.slice(0, Math.max(0, path.indexOf("/:")));
  const first = world?.lists.get(listPath)?.[0];
  let isFirst = true;
  return path.replaceAll(/:([A-Za-z_]\w*)/g, (_, name: string) => {
    const example = route.example.params?.[name];
    // A parameter without an example cannot be called by anybody who reads the reference.
    if (example === undefined) throw new Error(`${route.id}: example.params lacks ${name}`);
    const live = isFirst
      ? (first?.[name] ?? (/^id$|_id$/.test(name) ? first?.["id"] : undefined))
      : undefined;
    isFirst = false;
    return encodeURIComponent(String(relink(live ?? example, world)));
  });
}

export const queryOf = ({ route }: Endpoint, world?: World): string => {
  const pairs = Object.entries(Object(relink(route.example.query ?? {}, world))).map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
};

/** The example of a route, sent for real; ids in it are replaced by live ones of the same kind. */
export function callExample(
  harness: Harness,
  endpoint: Endpoint,
  more: CallOptions & { world?: World; path?: string } = {},
): Promise<Answer> {
  const { world, path, ...options } = more;
  const request = requestOf(endpoint, world);
  return harness.call(request.method, path ?? request.path, {
    ...(world ? { key: world.key } : {}),
    ...("body" in request ? { body: request.body } : {}),
    ...options,
  });
}

/** What `callExample` sends. */
export function requestOf(endpoint: Endpoint, world?: World) {
  const { route } = endpoint;
  const target = { method: route.method, path: pathOf(endpoint, world) + queryOf(endpoint, world) };
  return route.body === null ? target : { ...target, body: relink(route.example.body ?? {}, world) };
}

/** Replaces the ids of an example by live ones of the same prefix, at any depth: those of a list by different ones. */
function relink(value: unknown, world: World | undefined, index = 0): unknown {
  if (world === undefined) return value;
  if (typeof value === "string") {
    const live = world.ids.get(STORED_ID.exec(value)?.[1] ?? "") ?? [];
    return live[index] ?? live[0] ?? value;
  }
  if (Array.isArray(value)) return value.map((item, at) => relink(item, world, at));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, relink(member, world)]));
}

type Filled = Omit<World, "key">;

/** Engines that ask each other by their ports: of a store, a route reads what is of its own group. */
const GROUPS = [
  ["allergens", "cart", "delivery", "menus", "tiers"],
  ["answeros", "content"],
  ["catering", "forms", "subscriptions"],
  ["reviews"],
];

/** Documents for the routes of a namespace, without those of engines that these do not ask: about a quarter of all. */
function docsFor(docs: readonly Doc[], namespace: string | undefined): readonly Doc[] {
  const group = GROUPS.find((names) => names.some((name) => name === namespace));
  if (group === undefined) return docs;
  const unread = GROUPS.flatMap((names) => (names === group ? [] : names));
  return docs.filter(({ key }) => !unread.includes(/^[^:]+:(?:ix\.)?(\w+)/.exec(key)?.[1] ?? ""));
}

/** A filled store as it was made once, to be copied: filling one takes twenty times as long. */
let model: Promise<Filled & { readonly docs: readonly Doc[] }> | null = null;

/**
 * A key whose store is filled: by each engine's own demo documents, else by the examples of its lists. With a namespace, by what its
 * routes read.
 */
export async function createWorld(
  harness: Harness,
  options: Parameters<Harness["key"]>[0] = {},
  namespace?: string,
): Promise<World> {
  const key = await harness.key(options);
  // A second key of the same store, so that a route that ends a key has another one than its caller's.
  harness.clock.advance(1);
  const other = await harness.key({ customer_id: key.customerId, store_id: key.storeId });
  const part = storePartition(key.storeId, "live");
  model ??= makeModel();
  const { docs, lists, ids } = await model;
  const copies = docsFor(docs, namespace).map((doc): Doc => ({
    ...doc,
    key: `${part}${doc.key.slice(doc.key.indexOf(":"))}` as Key,
  }));
  await harness.store.load(part, copies);
  const own = [
    ["key", [other.id]],
    ["cus", [key.customerId]],
    ["sto", [key.storeId]],
  ] as const;
  return {
    key,
    lists: new Map([...lists].filter(([path]) => path !== "/v1/account/keys")),
    ids: new Map([...ids, ...own]),
  };
}

async function makeModel(): Promise<Filled & { readonly docs: readonly Doc[] }> {
  const harness = await createHarness();
  const key = await harness.key();
  const part = storePartition(key.storeId, "live");
  await fill(harness, part);
  const filled = await readLists(harness, key);
  const docs: Doc[] = [];
  for await (const doc of harness.store.snapshot(part)) docs.push(doc);
  await harness.close();
  return { ...filled, docs };
}

async function fill(harness: Harness, part: string): Promise<void> {
  await fillWebhooks(harness, part);
  for (const engine of engines) {
    const sets = engine.seed(harness.clock.now());
    const filled =
      sets.length > 0
        ? sets
        : engine.routes.filter(({ isList }) => isList).map((route) => exampleSet(harness, route));
    for (const { collection, values } of filled) {
      for (let start = 0; start < values.length; start += 5) {
        await harness.services.runTx(part, async (tx) => {
          for (const value of values.slice(start, start + 5)) tx.create(collection, value);
        });
      }
    }
  }
}

const CREATED = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };
const ENDPOINT: WebhookEndpoint = {
  id: EXAMPLE_ENDPOINT,
  ...CREATED,
  url: "https://orders.shop.example/webhooks",
  description: "Order desk",
  types: ["catering.*"],
  status: "enabled",
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
};
const DELIVERY: Delivery = {
  id: EXAMPLE_DELIVERY,
  ...CREATED,
  endpoint_id: EXAMPLE_ENDPOINT,
  event_id: "evt_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  type: "webhook.test",
  status: "delivered",
  attempts: 1,
  next_at: null,
  delivered_at: "2026-06-01T09:00:00.420Z",
  history: [{ at: "2026-06-01T09:00:00.100Z", status: 204, duration_ms: 320, error: null }],
  body: `{"type":"webhook.test","timestamp":"2026-06-01T09:00:00.000Z","data":{"endpoint_id":"${EXAMPLE_ENDPOINT}"},"store_id":"sto_01JD8Z5T9QK3M4N5P6R7S8T9V1","mode":"live"}`,
};
const REPLAY: Replay = {
  id: EXAMPLE_REPLAY,
  ...CREATED,
  endpoint_id: EXAMPLE_ENDPOINT,
  since: "2026-05-31T00:00:00.000Z",
  until: "2026-06-01T09:00:00.000Z",
  only: "undelivered",
  status: "done",
  resent: 3,
  cursor: null,
};
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** An endpoint that nothing happened to yet, with what was sent to it. */
async function fillWebhooks(harness: Harness, part: string): Promise<void> {
  await harness.services.runTx(part, async (tx) => {
    tx.create(webhookEndpoints, ENDPOINT);
    tx.create(endpointSecrets, { id: ENDPOINT.id, secrets: [{ secret: SECRET, expires_at: null }] });
    for (let made = 0; made < EXAMPLE_COPIES; made += 1) {
      const [id, event_id] = [harness.services.newId("dlv"), harness.services.newId("evt")];
      tx.create(deliveries, { ...DELIVERY, id, event_id });
    }
    tx.create(replays, REPLAY);
  });
}

const EXAMPLE_COPIES = 3;
const Example = z.array(z.looseObject({ id: z.string() }));

/** A route id names the collection that it lists: `reviews.reviews.list` reads `reviews.reviews`. */
function exampleSet(harness: Harness, route: Endpoint["route"]) {
  const collection = defineCollection({
    name: route.id.split(".").slice(0, 2).join("."),
    schema: z.looseObject({ id: z.string() }),
  });
  const [first] = Example.catch([]).parse(route.example.data);
  if (first === undefined) return { collection, values: [] };
  const { version: _, ...document } = first;
  const nowAt = toInstant(harness.clock.now());
  const values = Array.from({ length: EXAMPLE_COPIES }, () => ({
    ...document,
    id: harness.services.newId(document.id.split("_")[0] ?? "doc"),
    created_at: nowAt,
    updated_at: nowAt,
  }));
  return { collection, values };
}

const depthOf = ({ path }: Endpoint): number => path.split("/:").length;

async function readLists(harness: Harness, key: TestKey): Promise<Filled> {
  const lists = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
  const ids = new Map<string, string[]>();
  // Lists of what belongs to one document come after those of the documents, whose ids their paths contain.
  const paged = keyEndpoints.filter(isPaged).toSorted((a, b) => depthOf(a) - depthOf(b));
  for (const endpoint of paged) {
    const path = pathOf(endpoint, { key, lists, ids }) + queryOf(endpoint);
    const answer = await harness.call("GET", path, { key });
    if (answer.status !== 200) continue;
    lists.set(endpoint.path, answer.json.data);
    for (const { id } of answer.json.data) {
      const prefix = STORED_ID.exec(String(id))?.[1];
      if (prefix !== undefined) ids.set(prefix, [...new Set([...(ids.get(prefix) ?? []), String(id)])]);
    }
  }
  return { lists, ids };
}

export const isStoredId = (text: string): boolean => STORED_ID.test(text);

/** Paths of required members that the example has, at any depth; unions are left out, since a branch may not need it. */
export function requiredPlaces(endpoint: Endpoint): string[][] {
  if (endpoint.route.body === null) return [];
  return requiredIn(toJsonSchema(endpoint.route.body, "input"), endpoint.route.example.body);
}

function requiredIn(schema: unknown, value: unknown): string[][] {
  const { required = [], properties = {} } = Shape.catch({}).parse(schema);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(required.includes(name) ? [[name]] : []),
    ...requiredIn(properties[name], member).map((place) => [name, ...place]),
  ]);
}

const Shape = z.object({
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});

/** True when the body takes no members beyond those it names. */
export const isStrictBody = ({ route }: Endpoint): boolean =>
  route.body !== null && toJsonSchema(route.body, "input")["additionalProperties"] === false;

export function without(value: unknown, [name = "", ...rest]: readonly string[]): unknown {
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    rest.length === 0
      ? entries.filter(([key]) => key !== name)
      : entries.map(([key, member]) => [key, key === name ? without(member, rest) : member]),
  );
}

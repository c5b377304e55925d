import { z } from "zod";

import { createApp } from "./app.ts";
import { ConfigSchema } from "./config/schema.ts";
import { silentLog } from "./core/log.ts";
import { OutgoingError } from "./core/ports.ts";
import type { Example } from "./core/route.ts";
import { mountRoutes } from "./http/namespace.ts";
import type { Endpoint } from "./http/namespace.ts";
import { createDevTransport } from "./mail/transports/dev.ts";
import type { Examples } from "./openapi/examples.ts";
import { documented } from "./registry.ts";
import { createServices } from "./services.ts";
import { createMemoryDriver } from "./storage/memory.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const BASE_URL = "https://api.shop.example";
const ADMIN = "/api/platform/admin";
const ADMIN_TOKEN = "plat_admin_demo";
/** Namespaces of the platform itself, recorded after the engines. */
const PLATFORM = ["signup", "account", "admin"];
const ID = /\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b/g;

/**
 * Sends the example of each route that a key or the operator can call to the demo store, in memory at a fixed time and with fixed random
 * numbers, and returns what was sent and `data` of the response by route id. An id that is not in the demo data is
 * replaced by the first one of its kind. One that is refused after what the others did is sent again at the
 * end; what still has no `data` needs what no demo data have.
 */
export async function recordExamples(): Promise<Examples> {
  const clock = { now: () => NOW };
  // Keys and tokens that the platform's own routes issue differ.
  let round = 0;
  const services = await createServices({
    // What is written in the background, whenever that is, would take an id between those of the answers.
    config: { ...ConfigSchema.parse({ requestLog: { store: "none" } }), baseUrl: BASE_URL },
    store: createMemoryDriver({ clock }),
    clock,
    random: { next: () => 0.25, bytes: (count) => new Uint8Array(count).fill(count + round) },
    log: silentLog,
    adminTokens: [ADMIN_TOKEN],
    transport: createDevTransport(() => undefined),
    post: refuse,
    fetch: refuse,
  });
  const app = createApp(services);
  const send = async (token: string, method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await app.fetch(new Request(`${BASE_URL}${path}`, init));
    return { ok: response.ok, text: await response.text() };
  };
  const seeded = Seeded.parse(JSON.parse((await send(ADMIN_TOKEN, "POST", `${ADMIN}/seed`, {})).text)).data;
  const issueKey = async (mode: "live" | "test"): Promise<string> => {
    const order = { customer_id: seeded.customer_id, store: seeded.store, preset: "full", mode };
    const { text } = await send(ADMIN_TOKEN, "POST", `${ADMIN}/keys`, order);
    return Issued.parse(JSON.parse(text)).data.api_key;
  };
  const liveKey = await issueKey("live");

  const examples: Record<string, Example> = {};
  const ids = new Map<string, string>();
  const record = async (endpoint: Endpoint, token: string): Promise<void> => {
    const { route, path, namespace } = endpoint;
    if (examples[route.id]?.data !== undefined) return;
    const known = (id: string, prefix: string) => ids.get(id) ?? ids.get(`${namespace.name} ${prefix}`) ?? id;
    const example: Example = JSON.parse(JSON.stringify(route.example).replaceAll(ID, known));
    const { ok, text } = await send(token, route.method, addressOf(path, example), example.body);
    if (ok)
      for (const [id, prefix = ""] of text.matchAll(ID)) {
        ids.set(id, id);
        const first = `${namespace.name} ${prefix}`;
        if (!ids.has(first)) ids.set(first, id);
      }
    const data = ok && text !== "" ? readData(namespace, text) : undefined;
    examples[route.id] = { ...example, ...(data === undefined ? {} : { data: shorten(data) }) };
  };
  const recorded = mountRoutes(documented).endpoints.filter(isRecorded).toSorted(byOrder);
  const ofEngines = recorded.filter(({ namespace: { name } }) => !PLATFORM.includes(name));
  for (const endpoint of [...ofEngines, ...ofEngines]) await record(endpoint, liveKey);
  // After those of the engines, since they change what those are sent with: keys, and the customer itself.
  round += 1;
  const testKey = await issueKey("test");
  const ofPlatform = PLATFORM.flatMap((name) => recorded.filter(({ namespace }) => namespace.name === name));
  for (const endpoint of [...ofPlatform, ...ofPlatform]) {
    round += 1;
    // Counts that are written some time later would be in some recordings only.
    await services.usage.flush();
    const key = endpoint.route.id.startsWith("account.test-") ? testKey : liveKey;
    await record(endpoint, endpoint.namespace.auth === "admin" ? ADMIN_TOKEN : key);
  }
  await services.close();
  return examples;
}

const Seeded = z.object({ data: z.object({ customer_id: z.string(), store: z.string() }) });
const Issued = z.object({ data: z.object({ api_key: z.string() }) });

/** `data` of a response. Of the platform's own routes an empty list shows nothing, and versions count what is written in the background. */
function readData({ envelope, name, part }: Endpoint["namespace"], text: string): unknown {
  const answer: unknown = JSON.parse(text, (member, value: unknown) =>
    member === "version" && part === "platform" ? 1 : value,
  );
  const data: unknown = envelope ? Object(answer).data : answer;
  return PLATFORM.includes(name) && Array.isArray(data) && data.length === 0 ? undefined : data;
}

const refuse = async ({ url }: { readonly url: string }): Promise<never> => {
  throw new OutgoingError("refused", `${url} is not called.`);
};

const isRecorded = ({ namespace: { auth, name }, route }: Endpoint): boolean =>
  (auth === "key" || PLATFORM.includes(name)) &&
  !route.hidden &&
  route.rawType === null &&
  route.example.data === undefined;

/** What is created is read after, what visitors send comes before what others change, and what ends something comes last. */
const byOrder = (one: Endpoint, other: Endpoint): number => rankOf(one) - rankOf(other);
function rankOf({ namespace: { name }, route: { id, method, open }, path }: Endpoint): number {
  if (method === "DELETE") return 99;
  const isOfPlatform = PLATFORM.includes(name);
  if (isOfPlatform && ENDS.test(id)) return 98;
  // The platform has little that is not created by these requests.
  const ofGet = isOfPlatform ? 3 : 0;
  return path.split("/:").length * 3 + (method === "GET" ? ofGet : open === null ? 2 : 1);
}
const ENDS = /\.(?:clear|disable|reject|revoke|suspend)$/;

function addressOf(path: string, { params, query }: Example): string {
  const pairs = Object.entries(Object(query)).map(([name, value]) => [name, String(value)]);
  const at = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ""));
  return pairs.length === 0 ? at : `${at}?${new URLSearchParams(pairs).toString()}`;
}

const TEXT_MAX = 80;

/** Lists are shown by their first member, unless they are of numbers, and long texts by their beginning. */
function shorten(value: unknown): unknown {
  if (typeof value === "string" && value.length > TEXT_MAX && value.includes(" "))
    return `${value.slice(0, TEXT_MAX)}…`;
  if (Array.isArray(value))
    return value.every((one) => typeof one === "number") ? value : value.slice(0, 1).map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
}

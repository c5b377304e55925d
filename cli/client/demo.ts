import type { LoadedConfig } from "../../server/config/load.ts";
import type { RunningServer } from "../../server/serve.ts";
import type { Cli } from "../command/command.ts";
import { createApi, wireTo } from "./connect.ts";
import type { Api } from "../command/api.ts";
import { CliError } from "../terminal/exit.ts";
import { isObject, member, objectsOf, textOf } from "../terminal/json.ts";
import { exchange, operatorPath, queryText } from "./operator.ts";
import { findLocalProfile, LOCAL_PROFILE, writeLocalProfile } from "./profiles.ts";

export interface Demo {
  readonly key: string;
  /** Contents of the demo store, as text. */
  readonly what: string;
}

const KEY_NAME = "Demo key";

/**
 * Creates demo data and a key for it through the operator's API. The existing key is reused while it works, so that a
 * copied key survives a restart.
 */
export async function prepareDemo(cli: Cli, { loaded, server }: Served): Promise<Demo | null> {
  const saved = findLocalProfile(loaded.dir);
  const before = saved?.dir === loaded.dir ? saved.profile.key : "";
  const api = await openApi(cli, { loaded, server }, before);
  try {
    const seeded = await seed(api);
    const key = (await works(api, before)) ? before : await issueKey(api, seeded);
    writeLocalProfile(loaded.dir, { name: LOCAL_PROFILE, url: server.url, store: "", key, token: "" });
    return { key, what: describe(seeded) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    cli.out.warn(`No demo data: ${error.failure.detail}`);
    return null;
  }
}

/** A login link for the console; null if the console is disabled. */
export async function createConsoleLink(cli: Cli, at: Served): Promise<string | null> {
  if (!at.loaded.config.admin.ui) return null;
  const api = await openApi(cli, at, "");
  return textOf(member(await postJson(api, "/console/links", {}), "data"), "url");
}

interface Served {
  readonly loaded: LoadedConfig;
  readonly server: RunningServer;
}

/** The operator's API of the server that was just started. */
async function openApi(cli: Cli, { loaded, server }: Served, key: string): Promise<Api> {
  const link = { url: server.url, label: server.url, store: "", wire: await wireTo(server.url, loaded) };
  const secrets = { token: server.adminToken, key: key === "" ? null : key, keySource: "" };
  return createApi(cli, { ...link, secrets });
}

const seed = async (api: Api): Promise<unknown> => member(await postJson(api, "/seed", {}), "data");

async function works(api: Api, key: string): Promise<boolean> {
  if (key === "") return false;
  const response = await api.send({ method: "GET", path: "/v1/account", as: "key" });
  for await (const _ of response.chunks) continue;
  return response.status === 200;
}

/** Revokes earlier demo keys, whose secrets are not stored, and issues a new one. */
async function issueKey(api: Api, seeded: unknown): Promise<string> {
  const customer_id = textOf(seeded, "customer_id");
  const list = operatorPath(`/keys${queryText({ customer_id, limit: "100" })}`);
  const keys = objectsOf(member(await exchange(api, { method: "GET", path: list, as: "operator" }), "data"));
  for (const key of keys.filter(({ name, status }) => name === KEY_NAME && status === "ACTIVE")) {
    await postJson(api, `/keys/${textOf(key, "id")}/revoke`, { reason: "replaced by another demo key" });
  }
  const wanted = { customer_id, store: textOf(seeded, "store"), preset: "full", name: KEY_NAME };
  return textOf(member(await postJson(api, "/keys", wanted), "data"), "api_key");
}

const postJson = (api: Api, path: string, body: object): Promise<unknown> =>
  exchange(api, {
    method: "POST",
    path: operatorPath(path),
    as: "operator",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** `store demo-bakery: 71 documents of allergens, 24 of delivery` from the counts by collection. */
function describe(seeded: unknown): string {
  const counts = member(seeded, "counts");
  const byEngine = new Map<string, number>();
  for (const [name, count] of Object.entries(isObject(counts) ? counts : {})) {
    const engine = name.split(".")[0] ?? name;
    byEngine.set(engine, (byEngine.get(engine) ?? 0) + Number(count));
  }
  const parts = Array.from(byEngine)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([engine, count], index) =>
        `${count}${index === 0 ? (count === 1 ? " document" : " documents") : ""} of ${engine}`,
    );
  return [`store ${textOf(seeded, "store")}`, ...(parts.length === 0 ? [] : [parts.join(", ")])].join(": ");
}

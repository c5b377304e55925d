import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { customerOf, keyOf } from "./accounts.mjs";
import { bundleOf, CAPACITY, PAGE, RECORDS, WINDOWS } from "./dataset.mjs";
import { stop } from "./processes.mjs";

const dist = new URL("../../dist/", import.meta.url).href;
/** A module of `modules.mjs`, compiled. */
export const load = (file) => import(`${dist}bench/server/${file}.js`);

/**
 * The platform as an operator runs it: `platform serve` on a prepared store (fs unless told), `nodes` processes of it.
 * `urls` has one address a node and `pids` its process, `url` is the first.
 */
export async function startOurs(scratch, { storage = { driver: "fs", base: "./data" }, nodes = 1 } = {}) {
  const folder = `${scratch}/platform-${storage.driver}`;
  mkdirSync(folder);
  const budgets = { megabytesPerStore: 10_000, documentsPerStore: 1_000_000, cpuSecondsPerHour: 3_600 };
  const plans = [
    { id: "free", requestsPerMinute: 1, ...budgets },
    { id: "bench", requestsPerMinute: 1_000_000, ...budgets },
  ];
  const config = {
    baseUrl: "http://127.0.0.1",
    storage,
    server: { port: 0 },
    mail: { transport: "console" },
    log: { level: "warn" },
    plans,
  };
  const prepared = await prepare(
    storage.driver === "fs" ? { driver: "fs", base: `${folder}/data` } : storage,
  );
  const started = [];
  for (let node = 0; node < nodes; node += 1) {
    const own = nodes === 1 ? folder : `${folder}/${node}`;
    mkdirSync(own, { recursive: true });
    writeFileSync(`${own}/platform.config.json`, JSON.stringify(config));
    started.push(await startNode(own, storage.driver === "fs" ? "data/run.json" : ".platform/run.json"));
  }
  const urls = started.map((node) => node.url);
  const pids = started.map(({ child }) => child.pid);
  const [url] = urls;
  const slots = await openSlots(url, prepared.token);
  const path = `/v1/cart/bundles?limit=${PAGE}`;
  const stopAll = () => Promise.all(started.map(({ child }) => stop(child)));
  return { ...prepared, ...slots, url, urls, pids, path, holds: "/v1/delivery/holds", stop: stopAll };
}

export async function startNode(folder, runFile) {
  const child = spawn(process.execPath, [new URL("bin/platform.js", dist).pathname, "serve", "--port", "0"], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { child, url: await waitForUrl(resolve(folder, runFile), child) };
}

/** A zone and its slot windows, made through the API as a shop would. */
async function openSlots(url, token) {
  const send = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const zone = await send("POST", "/v1/delivery/zones", {
    name: "Westminster",
    patterns: ["SW1", "WC2"],
    excludes: ["SW1X"],
    minimum_order: 1500,
    fee_tiers: [
      { from: 0, fee: 499 },
      { from: 3000, fee: 299 },
      { from: 5000, fee: 0 },
    ],
  });
  for (let index = 0; index < WINDOWS; index += 1) {
    const start = `${String(8 + Math.floor(index / 8)).padStart(2, "0")}:${String((index % 8) * 7).padStart(2, "0")}`;
    await send("POST", "/v1/delivery/slot-windows", {
      name: `Window ${index}`,
      zone_ids: [zone.data.id],
      days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      start,
      end: "20:00",
      capacity: CAPACITY,
    });
  }
  const day = (ahead) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const slots = [];
  let cursor = "";
  do {
    const query = `zone_id=${zone.data.id}&from=${day(2)}&to=${day(11)}&limit=100${cursor}`;
    const { data, meta } = await send("GET", `/v1/delivery/slots?${query}`);
    slots.push(...data.filter((slot) => slot.status === "open").map((slot) => slot.id));
    cursor = meta.pagination.next_cursor === null ? "" : `&cursor=${meta.pagination.next_cursor}`;
  } while (cursor !== "");
  return { one: `/v1/delivery/zones/${zone.data.id}`, slots };
}

async function prepare(storage) {
  const [
    { openStore },
    { createServices },
    { ConfigSchema },
    ids,
    { silentLog },
    collections,
    keyFormat,
    registry,
    repository,
  ] = await Promise.all(
    [
      "storage/open",
      "services",
      "config/schema",
      "core/ids",
      "core/log",
      "accounts/collections",
      "core/key-format",
      "registry",
      "engines/cart/repository",
    ].map(load),
  );
  const clock = { now: () => Date.now() };
  const random = ids.createSystemRandom();
  const store = await openStore(storage, { clock });
  const config = { ...ConfigSchema.parse({}), baseUrl: "http://127.0.0.1" };
  const services = await createServices({ config, store, clock, random, log: silentLog, adminTokens: [] });
  const at = new Date().toISOString();
  const times = { created_at: at, updated_at: at };
  const storeId = services.newId("sto");
  const customerId = services.newId("cus");
  const shop = {
    id: storeId,
    ...times,
    customer_id: customerId,
    identifier: "bench",
    primary: true,
  };
  const createKey = async (plan) => {
    const plaintext = keyFormat.makeKey("live", random);
    const id = services.newId("key");
    const scopes = [...registry.scopes];
    await services.runTx("platform", async (tx) => {
      tx.create(collections.keyHashes, { id: ids.sha256Hex(plaintext), key_id: id });
      tx.create(
        collections.keys,
        keyOf(id, plaintext, { store: shop, scopes, times, tier: plan, name: plan }),
      );
    });
    return plaintext;
  };
  await services.runTx("platform", async (tx) => {
    tx.create(collections.customers, customerOf(customerId, "bench@shop.example", times));
    tx.create(collections.stores, shop);
  });
  const token = await createKey("bench");
  for (let start = 0; start < RECORDS; start += 25) {
    await services.runTx(storeId.toLowerCase(), async (tx) => {
      for (let index = start; index < start + 25; index += 1) {
        tx.create(repository.bundles, bundleOf(index, services.newId("bdl")));
      }
    });
  }
  await services.close();
  return { token };
}

async function waitForUrl(file, child) {
  for (let turn = 0; turn < 2_400; turn += 1) {
    if (child.exitCode !== null) throw new Error("`platform serve` ended before it was ready.");
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).url;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("`platform serve` was not ready within 2 minutes.");
}

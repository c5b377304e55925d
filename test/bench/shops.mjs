import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { customerOf, keyOf } from "./accounts.mjs";
import { bundleOf, PAGE } from "./dataset.mjs";
import { load, startNode } from "./ours.mjs";
import { stop } from "./processes.mjs";
import { hasRedis, startRedis } from "./redis.mjs";
import { spread } from "./report.mjs";

const STORES = 500;
const KEYS = 100;
const BUNDLES = 5;
const AT_ONCE = 16;
/** Documents of one commit of the filling: a key has seven operations, with its hash and index entries. */
const PER_COMMIT = 12;
const IDLE_MS = 30_000;
const REQUESTS = 2_000;
/** Clock ticks of Linux in `/proc`, a second. */
const TICKS = 100;

/** Many stores of one installation: time and memory to open them, idle CPU time, and what a request costs for the first and the last. */
export async function benchShops({ rounds, size: stores = STORES, idleMs = IDLE_MS }) {
  const scratch = mkdtempSync(`${tmpdir()}/platform-shops-`);
  const redis = hasRedis() ? await startRedis(`${scratch}/redis`) : null;
  try {
    const results = {
      fs: await timeShops(scratch, { driver: "fs", base: `${scratch}/data` }, { stores, rounds, idleMs }),
    };
    if (redis !== null) {
      const storage = { driver: "redis", url: redis.url, allowVolatile: true };
      results.Redis = await timeShops(scratch, storage, { stores, rounds, idleMs });
      const { used } = await redis.memory();
      results.Redis.stored = [used / 1024 / stores];
    }
    return sectionsOf(results, stores);
  } finally {
    await redis?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function timeShops(scratch, storage, { stores, rounds, idleMs }) {
  const tokens = await fillShops(storage, stores);
  const result = { jobs: [await timeJobs(storage)], open: [], opened: [] };
  if (storage.driver === "fs") {
    const child = new URL("servers/open.mjs", import.meta.url).pathname;
    const args = ["--expose-gc", "--max-old-space-size=12000", child, storage.base];
    const told = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    result.open.push(told.milliseconds);
    result.opened.push((told.megabytes * 1024) / stores);
  }
  const folder = `${scratch}/node-${storage.driver}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/platform.config.json`, JSON.stringify(configOf(storage)));
  const started = performance.now();
  const runFile = storage.driver === "fs" ? `${storage.base}/run.json` : `${folder}/.platform/run.json`;
  const { child, url } = await startNode(folder, runFile);
  try {
    result.ready = [performance.now() - started];
    // The engines load first.
    await sleep(idleMs / 4);
    const before = cpuOf(child.pid);
    await sleep(idleMs);
    result.idle = [((cpuOf(child.pid) - before) / idleMs) * 100];
    result.resident = [residentOf(child.pid) / 1024];
    for (const name of ["first", "last"]) result[name] = [];
    for (let round = 0; round < rounds + 1; round += 1) {
      for (const name of ["first", "last"]) {
        const microseconds = await timeRequests(child.pid, url, tokens[name]);
        if (round > 0) result[name].push(microseconds);
      }
    }
  } finally {
    await stop(child);
  }
  return result;
}

const configOf = (storage) => ({
  baseUrl: "http://127.0.0.1",
  storage,
  server: { port: 0 },
  mail: { transport: "console" },
  log: { level: "warn" },
  plans: [{ id: "free", requestsPerMinute: 1_000_000, cpuSecondsPerHour: null, documentsPerStore: null }],
});

/** Stores with a customer, keys and a few products each; returns keys of the first and the last. */
async function fillShops(storage, stores) {
  const { openStore } = await load("storage/open");
  const { createNewId, createSystemRandom, sha256Hex } = await load("core/ids");
  const { makeKey } = await load("core/key-format");
  const { indexEntries, toText } = await load("core/collection");
  const { scopes } = await load("registry");
  const { bundles } = await load("engines/cart/repository");
  const collections = await load("accounts/collections");
  const clock = { now: () => Date.now() };
  const random = createSystemRandom();
  const newId = createNewId(clock, random);
  const store = await openStore(storage, { clock });
  const write = async (part, documents) => {
    const ops = documents.flatMap(([collection, value]) => [
      { put: `${part}:${collection.name}:${value.id}`, value: toText(collection, value) },
      ...indexEntries(collection, value).map(([coll, id]) => ({ put: `${part}:${coll}:${id}`, value: "1" })),
    ]);
    const done = await store.commit(part, ops);
    if (!done.ok) throw new Error("The store refused a commit of new documents.");
  };
  const at = new Date().toISOString();
  const times = { created_at: at, updated_at: at };
  const tokens = {};
  const addShop = async (index) => {
    const customer = customerOf(newId("cus"), `owner-${index}@shop.example`, times);
    const shop = {
      id: newId("sto"),
      ...times,
      customer_id: customer.id,
      identifier: `shop-${index}`,
      primary: true,
    };
    await write("platform", [
      [collections.customers, customer],
      [collections.stores, shop],
    ]);
    const documents = [];
    for (let count = 0; count < KEYS; count += 1) {
      const plaintext = makeKey("live", random);
      if (count === 0 && index === 0) tokens.first = plaintext;
      if (count === KEYS - 1 && index === stores - 1) tokens.last = plaintext;
      const key = keyOf(newId("key"), plaintext, { store: shop, scopes: [...scopes], times });
      documents.push(
        [collections.keys, key],
        [collections.keyHashes, { id: sha256Hex(plaintext), key_id: key.id }],
      );
    }
    for (let start = 0; start < documents.length; start += 2 * PER_COMMIT)
      await write("platform", documents.slice(start, start + 2 * PER_COMMIT));
    const shelf = Array.from({ length: BUNDLES }, (_, count) => [
      bundles,
      bundles.schema.parse(bundleOf(count, newId("bdl"))),
    ]);
    await write(shop.id.toLowerCase(), shelf);
  };
  let next = 0;
  const worker = async () => {
    while (next < stores) await addShop(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await store.close();
  return tokens;
}

/** CPU time, in ms, of one run of every job that looks through all stores, with nothing to do. */
async function timeJobs(storage) {
  const { openStore } = await load("storage/open");
  const { createServices } = await load("services");
  const { ConfigSchema } = await load("config/schema");
  const { createSystemRandom } = await load("core/ids");
  const { silentLog } = await load("core/log");
  const { engines } = await load("registry");
  const clock = { now: () => Date.now() };
  const store = await openStore(storage, { clock });
  const config = ConfigSchema.parse({ baseUrl: "http://127.0.0.1" });
  const random = createSystemRandom();
  const services = await createServices({ config, store, clock, random, log: silentLog, adminTokens: [] });
  const found = engines.flatMap(({ jobs }) => jobs).filter(({ watches }) => watches === undefined);
  const cpu = process.cpuUsage();
  for (const id of [
    ...found.map(({ id }) => id),
    "http.sweep-idempotency",
    "kernel.sweep-form-nonces",
    "jobs.find-work",
  ])
    await services.jobs.run(id);
  const { user, system } = process.cpuUsage(cpu);
  await services.close();
  return (user + system) / 1_000;
}

/** CPU time of the process in ms, and its resident memory in KB. */
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
};
const residentOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

/** Microseconds of the server's CPU time per request. */
async function timeRequests(pid, url, token) {
  const headers = { authorization: `Bearer ${token}` };
  let left = REQUESTS;
  const before = cpuOf(pid);
  const worker = async () => {
    while (left-- > 0) {
      const response = await fetch(`${url}/v1/cart/bundles?limit=${PAGE}`, { headers });
      const { data } = await response.json();
      if (data?.length !== BUNDLES) throw new Error(`The page was answered with ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ((cpuOf(pid) - before) * 1_000) / REQUESTS;
}

function sectionsOf(results, stores) {
  const names = Object.keys(results);
  const what = `${stores.toLocaleString("en-GB")} stores with ${KEYS} keys each`;
  const section = (title, unit, member, notes = []) => ({
    title: `${what}: ${title}`,
    unit,
    rows: names
      .filter((name) => results[name][member]?.length > 0)
      .map((name) => ({ name, values: results[name][member] })),
    notes,
  });
  const requests = names.flatMap((name) => {
    const { first, last } = results[name];
    return [
      { name: `${name}, first store`, values: first },
      {
        name: `${name}, last store`,
        values: last,
        ratios: { first: spread(last).median / spread(first).median },
      },
    ];
  });
  return [
    section("opening the store", "ms", "open"),
    section("memory of the open store", "KiB per store", "opened"),
    section("memory of the Redis server", "KiB per store", "stored"),
    section("start of a server until it is ready", "ms", "ready"),
    section("resident memory of the server", "MiB", "resident"),
    section("CPU of an idle server, over half a minute", "%", "idle", ["Of one core."]),
    section("CPU of one run of the jobs that look through all stores", "ms", "jobs", [
      "Most run once an hour or a day.",
    ]),
    { title: `${what}: CPU of a request for a page`, unit: "µs", rows: requests, notes: [] },
  ].filter(({ rows }) => rows.length > 0);
}

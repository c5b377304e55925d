import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { tasks } from "./jobs-tasks.mjs";
import { load } from "./ours.mjs";

const SIZE = 1_000;
const RUNS_MAX = 1_000;
/** Operations of one commit of the filling. */
const OPS_MAX = 100;
const PLAN = {
  id: "bench",
  requestsPerMinute: 1_000_000,
  mailsPerDay: null,
  newRecipientsPerDay: null,
  outgoingPerHour: null,
  documentsPerStore: null,
  megabytesPerStore: null,
};

/** Documents per second, and CPU time per document, of each scheduled job that walks many documents, on the fs driver. */
export async function benchJobs({ size = SIZE }) {
  const results = [];
  for (const task of tasks) results.push({ name: task.name, ...(await timeTask(task, size)) });
  const count = size.toLocaleString("en-GB");
  const section = (title, unit, member) => ({
    title: `${title}: ${count} documents each, fs driver`,
    unit,
    rows: results.map((result) => ({ name: result.name, values: [result[member]] })),
    notes: ["One run of each, in a new store with demo data. Mail servers and receivers answer at once."],
  });
  return [
    section("Jobs", "docs/s", "perSecond"),
    section("CPU time of jobs per document", "µs", "microseconds"),
  ];
}

/** Stores copies of a demo document that are due, and runs the job until all are done. */
async function timeTask({ job, collection, model: toModel, change, at, counter }, size) {
  const base = mkdtempSync(`${tmpdir()}/platform-jobs-`);
  const nowMs = Date.now();
  const { services, part, collections } = await openStore(base, nowMs);
  try {
    const { collection: coll, values } = collections.get(collection);
    const model = toModel(values, nowMs);
    const prefix = model.id.slice(0, model.id.indexOf("_") + 1);
    const documents = Array.from({ length: size }, (_, index) => {
      const id = `${prefix}${String(index).padStart(26, "0")}`;
      return { ...model, id, ...change?.(index, nowMs) };
    });
    await fill(services.store, part, coll, documents);
    const cpu = process.cpuUsage();
    const started = process.hrtime.bigint();
    let done = 0;
    for (let run = 0; run < RUNS_MAX && done < size; run += 1) {
      const { counts, error } = await services.jobs.run(job, { nowMs: at?.(model) ?? nowMs });
      if (error !== null || !(counts[counter] > 0))
        throw new Error(`${job} did ${done} of ${size}: ${JSON.stringify(counts)} ${error ?? ""}`);
      done += counts[counter];
    }
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const { user, system } = process.cpuUsage(cpu);
    return { perSecond: done / seconds, microseconds: (user + system) / done };
  } finally {
    await services.close();
    rmSync(base, { recursive: true, force: true });
  }
}

/** A demo store on the fs driver, with the collections of its documents by their names. */
async function openStore(base, nowMs) {
  const { openFsDriver } = await load("storage/fs");
  const { createServices } = await load("services");
  const { ConfigSchema } = await load("config/schema");
  const { createSystemRandom } = await load("core/ids");
  const { silentLog } = await load("core/log");
  const { seedStore } = await load("operations/seed");
  const { engines } = await load("registry");
  const { storeMails } = await load("core/store-mail");
  const { idempotencyRecords } = await load("http/idempotency");
  const { deliveries, endpoints } = await load("operations/webhooks/collections");
  const clock = { now: () => Date.now() };
  const store = await openFsDriver({ base, clock });
  const config = ConfigSchema.parse({
    baseUrl: "https://shop.example",
    plans: [{ id: "free", requestsPerMinute: 60 }, PLAN],
  });
  const services = await createServices({
    config,
    store,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    adminTokens: [],
    transport: { name: "none", send: async () => ({}) },
    post: async () => ({ status: 200, headers: {}, body: "" }),
  });
  const { store_id: storeId } = await seedStore(services, { now: nowMs, store: null, engines: null });
  const seeded = engines.flatMap((engine) => engine.seed(nowMs));
  const own = [storeMails, idempotencyRecords, deliveries, endpoints];
  const sets = [...seeded, ...own.map((collection) => ({ collection, values: [] }))];
  const collections = new Map(sets.map((set) => [set.collection.name, set]));
  return { services, part: storeId.toLowerCase(), collections };
}

async function fill(store, part, collection, documents) {
  const { indexEntries, toText } = await load("core/collection");
  let ops = [];
  const flush = async () => {
    const done = await store.commit(part, ops);
    if (!done.ok) throw new Error("The store refused a commit of new documents.");
    ops = [];
  };
  for (const value of documents) {
    const entries = indexEntries(collection, value);
    if (ops.length + 1 + entries.length > OPS_MAX) await flush();
    ops.push({ put: `${part}:${collection.name}:${value.id}`, value: toText(collection, value) });
    for (const [coll, id] of entries) ops.push({ put: `${part}:${coll}:${id}`, value: "1" });
  }
  await flush();
}

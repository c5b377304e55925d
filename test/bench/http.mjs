import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

import { PAGE } from "./dataset.mjs";
import { hasWrk } from "./generator.mjs";
import { startOurs } from "./ours.mjs";
import { startServer } from "./processes.mjs";
import { spread } from "./report.mjs";

const here = (name) => new URL(name, import.meta.url).pathname;
const run = promisify(execFile);
const CONNECTIONS = 64;

/** Requests per second of the same job on every contestant, in turns. */
export async function benchHttp({ rounds, seconds, peers }) {
  const scratch = mkdtempSync(`${tmpdir()}/platform-bench-`);
  const systems =
    peers === "all"
      ? {
          "Directus + SQLite": await startServer(here("peers/directus/server.mjs"), [`${scratch}/directus`]),
          "Strapi + SQLite": await startServer(here("peers/strapi/server.cjs"), [`${scratch}/strapi`]),
        }
      : {};
  const ours = await startOurs(scratch);
  const [raw, h3, fastify, express] = await Promise.all([
    startServer(here("servers/raw.mjs")),
    startServer(here("servers/h3.mjs")),
    startServer(here("peers/fastify.mjs"), [`${scratch}/fastify.db`]),
    startServer(here("peers/express.mjs"), [`${scratch}/express.db`]),
  ]);
  const get = (server) => ({ url: server.url + server.path, headers: bearer(server.token) });
  const post = (server, path, body) => ({
    url: server.url + path,
    method: "POST",
    headers: { ...bearer(server.token), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  // Every request names another slot, as buyers do.
  const hold = (server) => ({
    ...post(server, server.holds, {}),
    requests: server.slots.map((slot_id) => ({ body: JSON.stringify({ slot_id }) })),
  });
  const cases = {
    "node:http, stringify": { target: get(raw) },
    "bare h3, stringify": { target: get(h3) },
    [`platform, GET page of ${PAGE}`]: { target: get(ours) },
    "Fastify + SQLite, same job": { target: get(fastify) },
    "Express + SQLite, same job": { target: get(express) },
    ...Object.fromEntries(
      Object.entries(systems).map(([name, server]) => [`${name}, same job`, { target: get(server) }]),
    ),
    "platform, GET one": { target: { ...get(ours), url: ours.url + ours.one } },
    "platform, POST validate": {
      target: post(ours, "/v1/delivery/validate", { postcode: "SW1A 1AA", basketTotal: 2500 }),
    },
    "platform, 401": { target: { url: ours.url + ours.path }, isRefusal: true },
    "platform, durable hold": { target: hold(ours) },
    "Fastify + SQLite, durable hold": { target: hold(fastify) },
    "Express + SQLite, durable hold": { target: hold(express) },
  };
  const measured = new Map(Object.keys(cases).map((name) => [name, []]));
  try {
    for (let round = 0; round < rounds + 1; round += 1) {
      for (const [name, { target, isRefusal = false }] of Object.entries(cases)) {
        const { perSecond, ok, others } = await burst(target, round === 0 ? 1 : seconds);
        const wrong = isRefusal ? ok > 0 : others > 0;
        if (wrong) throw new Error(`${name}: ${ok} answers of 2xx, ${others} others`);
        if (round > 0) measured.get(name).push(perSecond);
      }
    }
  } finally {
    await Promise.all(
      [ours, raw, h3, fastify, express, ...Object.values(systems)].map((server) => server.stop()),
    );
    rmSync(scratch, { recursive: true, force: true });
  }
  return [toSection(measured)];
}

const bearer = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

async function burst(target, seconds) {
  const job = { ...target, connections: CONNECTIONS, seconds };
  const { stdout } = await run(process.execPath, [here("load.mjs"), JSON.stringify(job)]);
  return JSON.parse(stdout);
}

function toSection(measured) {
  const median = (name) => spread(measured.get(name)).median;
  const page = `platform, GET page of ${PAGE}`;
  const against = {
    [page]: [...measured.keys()].filter(
      (name) => name === "bare h3, stringify" || name.endsWith(", same job"),
    ),
    "platform, durable hold": ["Fastify + SQLite, durable hold", "Express + SQLite, durable hold"],
    "bare h3, stringify": ["node:http, stringify"],
  };
  const rows = [...measured].map(([name, values]) => ({
    name,
    values,
    ratios: Object.fromEntries((against[name] ?? []).map((other) => [other, median(name) / median(other)])),
  }));
  return {
    title: `Requests per second, ${CONNECTIONS} connections, page of ${PAGE} out of 10,000 records`,
    unit: "req/s",
    rows,
    notes: [
      "The platform's page is authenticated, limited, enveloped and read from the fs store.",
      `Load by ${hasWrk() ? "wrk" : "autocannon (install wrk for a lighter generator)"}.`,
    ],
  };
}

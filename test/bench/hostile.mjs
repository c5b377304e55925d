import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

import { startNode } from "./ours.mjs";
import { stop } from "./processes.mjs";

const TEXTS = 60;
const TOKEN = "bench-operator-token-0123456789";
/** What a client may send that is slow to read: many short paragraphs, many list items, words without structure. */
const SHAPES = ["x\n\n", "- x\n", "a. b. c "];
const BODY_CHARS = 100_000;
/** Pause between two requests of the client that measures. */
const PAUSE_MS = 20;

/** What other clients notice while one sends texts that are slow to process. */
export async function benchHostile() {
  const folder = mkdtempSync(`${tmpdir()}/platform-hostile-`);
  mkdirSync(`${folder}/data`);
  const config = {
    baseUrl: "http://127.0.0.1",
    storage: { driver: "fs", base: "./data" },
    server: { port: 0 },
    mail: { transport: "console" },
    log: { level: "error" },
    admin: { token: TOKEN },
    plans: [{ id: "free", requestsPerMinute: 1_000_000, cpuSecondsPerHour: null }],
  };
  writeFileSync(`${folder}/platform.config.json`, JSON.stringify(config));
  const { child, url } = await startNode(folder, "data/run.json");
  try {
    const [hostile, quiet] = [await customer(url, "hostile"), await customer(url, "quiet")];
    const watched = {
      "GET /healthz": () => fetch(`${url}/healthz`),
      "another store, GET": () => send(url, quiet, "/v1/delivery/zones"),
      "another store, POST of a text of 10 KB": () =>
        analyse(url, quiet, "Our bread is baked daily. ", 10_000),
    };
    const alone = await watchDuring(watched, () => new Promise((resolve) => setTimeout(resolve, 3_000)));
    const refused = [];
    const beside = await watchDuring(watched, async () => {
      const started = performance.now();
      const texts = Array.from({ length: TEXTS }, (_, index) => SHAPES[index % SHAPES.length]);
      const answers = await Promise.all(texts.map((unit) => analyse(url, hostile, unit, BODY_CHARS)));
      refused.push(answers.filter(({ status }) => status !== 200).length);
      return performance.now() - started;
    });
    const rows = Object.keys(watched).flatMap((name) => [
      { name: `${name}, alone, p99`, values: [p99(alone.times[name])] },
      { name: `${name}, beside it, p99`, values: [p99(beside.times[name])] },
    ]);
    return [
      {
        title: `Requests beside a client that posts ${TEXTS} texts of ${BODY_CHARS / 1000} KB at once`,
        unit: "ms",
        rows,
        notes: [
          `the texts took ${(beside.result / 1000).toFixed(1)} s; ${refused[0]} of them were refused; ` +
            `GET /healthz was answered ${beside.times["GET /healthz"].length} times (budget for its p99: 50 ms)`,
        ],
      },
    ];
  } finally {
    await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

const p99 = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)];

/** Sends each request over and over while `work` runs. */
async function watchDuring(requests, work) {
  const times = Object.fromEntries(Object.keys(requests).map((name) => [name, []]));
  const over = new AbortController();
  const watches = Object.entries(requests).map(async ([name, request]) => {
    while (!over.signal.aborted) {
      const started = performance.now();
      const response = await request();
      if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      times[name].push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  const result = await work();
  over.abort();
  await Promise.all(watches);
  return { result, times };
}

function send(url, token, path, body) {
  return fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const analyse = (url, token, unit, chars) =>
  send(url, token, "/v1/content/analyses", { body: unit.repeat(Math.ceil(chars / unit.length)) });

/** A customer of its own with a key. */
async function customer(url, name) {
  const admin = async (path, body) => {
    const answer = await (await send(url, TOKEN, `/api/platform/admin${path}`, body)).json();
    if (answer.data === undefined) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const email = `${name}@shop.example`;
  const { customer_id: id } = await admin("/customers", { email, storeIdentifier: name, mail: false });
  const issued = await admin(`/customers/${id}/verify`, {});
  return issued.api_key;
}

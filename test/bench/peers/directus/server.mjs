// Directus on SQLite: the same records in a collection of its own, read with the token of a user, under its limit of requests.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { bundleOf, PAGE, RECORDS } from "../../dataset.mjs";

const PER_REQUEST = 500;
const START_MS = 60_000;
const cli = new URL("node_modules/directus/cli.js", import.meta.url).pathname;
const token = "bench-token-of-a-user";
const scratch = process.argv[2];
mkdirSync(scratch);
const port = await freePort();
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  NODE_ENV: "production",
  HOST: "127.0.0.1",
  PORT: String(port),
  DB_CLIENT: "sqlite3",
  DB_FILENAME: join(scratch, "directus.db"),
  SECRET: "s".repeat(32),
  ADMIN_EMAIL: "admin@example.com",
  ADMIN_PASSWORD: "password-of-the-bench",
  ADMIN_TOKEN: token,
  LOG_LEVEL: "error",
  TELEMETRY: "false",
  SERVE_APP: "false",
  STORAGE_LOCATIONS: "local",
  STORAGE_LOCAL_ROOT: join(scratch, "uploads"),
  EXTENSIONS_PATH: join(scratch, "extensions"),
  RATE_LIMITER_ENABLED: "true",
  RATE_LIMITER_POINTS: "1000000000",
  RATE_LIMITER_DURATION: "60",
  RATE_LIMITER_STORE: "memory",
};
execFileSync(process.execPath, [cli, "bootstrap"], { cwd: scratch, env, stdio: ["ignore", "ignore", "inherit"] });
const child = spawn(process.execPath, [cli, "start"], {
  cwd: scratch,
  env,
  stdio: ["ignore", "ignore", "inherit"],
});
process.on("SIGTERM", () => {
  child.once("exit", () => process.exit(0));
  child.kill("SIGTERM");
});
const url = `http://127.0.0.1:${port}`;
await ready();
await post("/collections", { collection: "bundles", schema: {}, meta: {}, fields: fields() });
for (let start = 0; start < RECORDS; start += PER_REQUEST) {
  const indexes = Array.from({ length: PER_REQUEST }, (_, offset) => start + offset);
  await post(
    "/items/bundles",
    indexes.map((index) => bundleOf(index, `bdl_${String(index).padStart(6, "0")}`)),
  );
}
console.log(JSON.stringify({ ready: true, url, path: `/items/bundles?limit=${PAGE}&sort=-id`, token }));

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port: free } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return free;
}

async function ready() {
  for (let waited = 0; waited < START_MS; waited += 200) {
    const isUp = await fetch(`${url}/server/ping`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("Directus is not ready.");
}

async function post(path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

function fields() {
  const types = {
    created_at: "timestamp",
    updated_at: "timestamp",
    title: "string",
    type: "string",
    components: "json",
    pricing: "json",
    auto_apply: "boolean",
    subscribable: "boolean",
    starts_at: "timestamp",
    ends_at: "timestamp",
    status: "string",
  };
  return [
    { field: "id", type: "string", schema: { is_primary_key: true }, meta: {} },
    ...Object.entries(types).map(([field, type]) => ({ field, type, schema: {}, meta: {} })),
  ];
}

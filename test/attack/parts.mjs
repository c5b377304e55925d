// What the drill stands on: real processes of the platform, a real redis-server, a mail server and a slow web server, all on loopback.
import { fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer as createHttpServer, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

const COMMAND = new URL("../../dist/bin/platform.js", import.meta.url).pathname;
const START_MS = 60_000;
/** Addresses of both customers, which a declared proxy would name. Who names none is this machine, which no limit of addresses counts. */
export const ADDRESSES = { honest: "93.184.216.10", hostile: "93.184.216.20" };

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Keeps every mail that it takes: `{ to, text }`. */
async function startMailServer() {
  const mails = [];
  const child = fork(new URL("mail.mjs", import.meta.url).pathname);
  const { port } = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`The mail server ended with ${code}.`)));
  });
  child.on("message", (mail) => mails.push(mail));
  return { port, mails, stop: () => end(child) };
}

/** Pages: `/fast` at once, everything else after `slowMs`. */
async function startWebServer(slowMs) {
  const page =
    "<!doctype html><title>Bread</title><main><h1>Bread</h1><p>We bake bread every day.</p></main>";
  const server = createHttpServer((req, res) => {
    const isFast = req.url.startsWith("/fast") || req.headers.host.startsWith("localhost");
    setTimeout(() => res.writeHead(200, { "content-type": "text/html" }).end(page), isFast ? 0 : slowMs);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    fast: `http://localhost:${port}`,
    slow: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startRedis(folder) {
  const port = await freePort();
  mkdirSync(folder);
  const settings = [
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--logfile",
    join(folder, "log"),
  ];
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, ...settings];
  const child = spawn("redis-server", args, { stdio: "ignore" });
  return { url: `redis://127.0.0.1:${port}`, stop: () => end(child) };
}

function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref();
  });
}

async function startNode(folder, config) {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const own = {
    ...config,
    baseUrl: `http://127.0.0.1:${port}`,
    server: { port, trustedProxies: ["127.0.0.1"] },
  };
  writeFileSync(join(folder, "platform.config.json"), JSON.stringify(own));
  const log = [];
  const child = spawn(process.execPath, [COMMAND, "serve"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => log.push(String(chunk)));
  const file = join(folder, config.storage.driver === "fs" ? "data/run.json" : ".platform/run.json");
  for (let waited = 0; waited < START_MS; waited += 50) {
    if (child.exitCode !== null) break;
    try {
      const { url, token } = JSON.parse(readFileSync(file, "utf8"));
      return { url, token, isUp: () => child.exitCode === null, log, stop: () => end(child) };
    } catch {
      await pause(50);
    }
  }
  await end(child);
  throw new Error(`platform serve is not ready:\n${log.join("")}`);
}

/** `platform mcp --http` for a node: each request has its own key. */
async function startMcp(url, folder) {
  mkdirSync(folder, { recursive: true });
  const args = [COMMAND, "mcp", "--url", url, "--http", "127.0.0.1:0"];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const address = await waitFor(() => /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(log)?.[0]);
  return { url: address, stop: () => end(child) };
}

/** The platform on `driver` (fs: one node; redis: two), with what it needs around it. */
export async function startPlatform(driver, { plans, slowMs }) {
  const scratch = mkdtempSync(join(tmpdir(), "platform-attack-"));
  const stops = [() => rmSync(scratch, { recursive: true, force: true })];
  const opened = async (starting) => {
    const part = await starting;
    stops.push(part.stop);
    return part;
  };
  const stop = async () => {
    for (const step of stops.splice(0).toReversed()) await step();
  };
  try {
    const mail = await opened(startMailServer());
    const web = await opened(startWebServer(slowMs));
    const redis = driver === "redis" ? await opened(startRedis(join(scratch, "redis"))) : null;
    const config = {
      storage: redis === null ? { driver: "fs", base: "./data" } : { driver: "redis", url: redis.url },
      mail: {
        transport: "smtp",
        from: "api@platform.example",
        smtp: { host: "127.0.0.1", port: mail.port, secure: false },
      },
      outgoing: { allow: ["127.0.0.1", "localhost"] },
      log: { level: "error" },
      plans,
    };
    const nodes = [];
    for (let node = 0; node < (redis === null ? 1 : 2); node += 1) {
      nodes.push(await opened(startNode(join(scratch, `node-${node}`), config)));
    }
    const mcp = await opened(startMcp(nodes[0].url, join(scratch, "mcp")));
    return { driver, nodes, mail, mcp, web, urls: nodes.map(({ url }) => url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends a request over `agent`, as from the IP address `from`; rejects where no response comes. */
export function send(agent, { url, method = "GET", key, body, from, accept = "*/*", timeoutMs = 60_000 }) {
  return new Promise((resolve, reject) => {
    const isReady = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const text = isReady ? body : JSON.stringify(body);
    const headers = {
      accept,
      ...(from === undefined ? {} : { "x-forwarded-for": from }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    const outgoing = request(url, { method, headers, agent, signal: AbortSignal.timeout(timeoutMs) });
    outgoing.once("error", reject);
    outgoing.once("response", (answer) => {
      readText(answer).then((read) => resolve({ status: answer.statusCode, text: read }), reject);
    });
    outgoing.end(text);
  });
}

const agent = new Agent({ keepAlive: false });

/** The same for preparations, of which none may fail. */
export async function must(request) {
  const { status, text } = await send(agent, request);
  if (status >= 300)
    throw new Error(`${request.method ?? "GET"} ${request.url}: ${status} ${text.slice(0, 500)}`);
  return text === "" ? null : JSON.parse(text);
}

/** Signs a customer up as anybody does: by mail and link. `operator` may set the plan. */
export async function signUp(platform, name) {
  const [{ url, token }] = platform.nodes;
  const email = `${name}@customers.example`;
  await must({ url: `${url}/api/platform/signup`, method: "POST", body: { email, storeIdentifier: name } });
  const link = await waitFor(() => {
    const mail = platform.mail.mails.find(({ to }) => to.includes(email));
    return /https?:\/\/\S+verify\?token=[\w-]+/.exec(mail?.text ?? "")?.[0];
  });
  const { api_key: key } = await must({ url: link });
  const account = await must({ url: `${url}/v1/account`, key });
  const { customer, key: record } = account.data;
  const admin = `${url}/api/platform/admin`;
  const path = `${admin}/customers/${customer.id}`;
  /** With a window that begins anew. */
  const setPlan = async (plan) => {
    await must({ url: `${path}/plan`, method: "POST", key: token, body: { plan } });
    await must({ url: `${admin}/limits/${record.id}/reset`, method: "POST", key: token });
  };
  const budgets = async () => (await must({ url: `${path}/budgets`, key: token })).data;
  return { id: customer.id, key, email, setPlan, budgets };
}

export async function waitFor(look, limitMs = 60_000) {
  for (let waited = 0; waited < limitMs; waited += 50) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    await pause(50);
  }
  throw new Error(`Nothing came within ${limitMs / 1000} s.`);
}

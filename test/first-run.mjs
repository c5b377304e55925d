import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * Does what the README's first screen says, on a clean copy, and times it: install and serve, sign up, follow the link,
 * call with the key. `node test/first-run.mjs` prints the seconds; it ends with 1 where a step fails.
 */
const ROOT = new URL("..", import.meta.url).pathname;
const MINUTES = 5;

const folder = await mkdtemp(join(tmpdir(), "platform-first-run-"));
const copy = join(folder, "clone");
const steps = [];
let child = null;

async function step(name, work) {
  const started = performance.now();
  const result = await work();
  steps.push([name, (performance.now() - started) / 1000]);
  return result;
}

/** A clone holds what is committed and nothing else. */
const clone = () => run("git", ["clone", "--quiet", "--depth", "1", `file://${ROOT}`, copy], folder);

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const started = spawn(command, args, { cwd, stdio: "ignore" });
    started.on("error", reject);
    started.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(" ")}: exit ${code}`)),
    );
  });
}

/** `npm start` until it says where it serves; the address, and a key of the demo shop. */
function start() {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PLATFORM_PORT: "0", HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
    child = spawn("npm", ["start"], { cwd: copy, env, detached: true });
    let said = "";
    const timer = setTimeout(
      () => reject(new Error(`nothing served after ${MINUTES} minutes:\n${said}`)),
      MINUTES * 60_000,
    );
    const listen = (chunk) => {
      said += chunk;
      const url = /Docs +(http\S+)\/docs/.exec(said)?.[1];
      const key = /Key +(plat_live_\w+)/.exec(said)?.[1];
      if (url === undefined || key === undefined) return;
      clearTimeout(timer);
      resolve({ url, key });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("exit", (code) => reject(new Error(`npm start ended with ${code}:\n${said}`)));
  });
}

async function json(url, init) {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function signUp(url) {
  await json(`${url}/api/platform/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.test", storeIdentifier: "ada-shop" }),
  });
}

/** The link that lies in the inbox of development. */
async function findLink(url) {
  const inbox = await (await fetch(`${url}/_/inbox`)).text();
  const path = /href="(\/_\/inbox\/mail_\w+)"/.exec(inbox)?.[1];
  const mail = await (await fetch(url + path)).text();
  const link = /https?:\/\/\S+verify\?token=[\w-]+/.exec(mail)?.[0];
  if (link === undefined) throw new Error("no link in the inbox");
  return link;
}

try {
  await step("clone", clone);
  await step("npm ci", () => run("npm", ["ci", "--no-fund", "--no-audit"], copy));
  const { url, key: demoKey } = await step("npm start, until it serves with demo data", start);
  const get = (path, key) => json(url + path, { headers: { authorization: `Bearer ${key}` } });
  await step("first useful answer with the demo key", async () => {
    const { data } = await get("/v1/allergens/products", demoKey);
    if (data.length === 0) throw new Error("the demo shop has no products");
  });
  await step("sign up", () => signUp(url));
  const link = await step("find the link in the inbox", () => findLink(url));
  const { api_key: ownKey } = await step("follow it", () => json(link));
  await step("first 200 with the own key", () => get("/v1/account", ownKey));
  for (const [name, seconds] of steps) console.log(`${seconds.toFixed(2).padStart(8)} s  ${name}`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  if (child !== null) process.kill(-child.pid, "SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await rm(folder, { recursive: true, force: true });
}

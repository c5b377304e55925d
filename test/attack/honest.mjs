// The honest customer: reads, writes, has pages checked and sends mails at a steady pace, whatever becomes of the answers.
import { Agent } from "node:http";

import { ADDRESSES, must, pause, send, signUp, waitFor } from "./parts.mjs";

const PER_SECOND = 20;
const SLOW_EVERY_MS = 1_000;
const LIMIT_MS = 90_000;
const GUESTS = "guests.example";

export async function openShop(platform, name) {
  const customer = await signUp(platform, name);
  await customer.setPlan("growth");
  const [url] = platform.urls;
  const body = { kind: "rsvp", title: "Lunch" };
  const { data } = await must({
    ...customer,
    url: `${url}/v1/catering/headcount-sources`,
    method: "POST",
    body,
  });
  return { ...customer, source: data.id, count: 0, guests: [] };
}

/** What an agent of the customer sends, in place of the quick requests. */
const byAgent = ({ url }) => ({
  url: `${url}/mcp`,
  method: "POST",
  accept: "application/json, text/event-stream",
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "read_route", arguments: { id: "delivery.zones.list" } },
  },
});

/**
 * Works for so many seconds, with an agent in place of a server where `hasAgent`; resolves to what the customer noticed: latencies and waits in milliseconds, and what was lost; and how long
 * `/healthz` of a node took.
 */
export async function work(platform, shop, seconds, hasAgent = false) {
  const agent = new Agent({ keepAlive: true });
  const noticed = { latencies: [], waits: [], health: [], lost: [] };
  const note = (what, { status, text }) => {
    if (status >= 300) noticed.lost.push(`${what}: ${status} ${text.slice(0, 200)}`);
  };
  const call = async (what, request) => {
    const started = performance.now();
    try {
      const answer = await send(agent, { ...request, key: shop.key, from: ADDRESSES.honest });
      note(what, answer);
      return { ...answer, ms: performance.now() - started };
    } catch (error) {
      noticed.lost.push(`${what}: ${error.message}`);
      return null;
    }
  };
  const running = [];
  const endAt = performance.now() + seconds * 1_000;
  let nextSlow = performance.now();
  for (let next = performance.now(); next < endAt; next += 1_000 / PER_SECOND) {
    await pause(Math.max(0, next - performance.now()));
    shop.count += 1;
    const url = platform.urls[shop.count % platform.urls.length];
    running.push(
      call("health", { url: `${url}/healthz` }).then((answer) => answer && noticed.health.push(answer.ms)),
    );
    // A request that left late because this process was busy is late for no fault of the platform.
    running.push(
      call("request", hasAgent ? byAgent(platform.mcp) : quick(url, shop.count)).then(
        (answer) => answer && noticed.latencies.push(answer.ms),
      ),
    );
    if (performance.now() < nextSlow) continue;
    nextSlow += SLOW_EVERY_MS;
    running.push(
      checkPage(call, { url, page: `${platform.web.fast}/fast-${shop.count}` }).then((ms) =>
        noticed.waits.push(ms),
      ),
    );
    running.push(invite(call, { url, shop, email: `guest-${shop.count}@${GUESTS}` }));
  }
  await Promise.all(running);
  agent.destroy();
  return noticed;
}

/** Mails of the honest customer that have not arrived, after some time. */
export async function missingMails({ mail }, { guests }) {
  const missing = () => {
    const arrived = new Set(mail.mails.flatMap(({ to }) => to));
    return guests.filter((guest) => !arrived.has(guest));
  };
  await waitFor(() => missing().length === 0, LIMIT_MS).catch(() => undefined);
  return missing();
}

function quick(url, count) {
  if (count % 4 === 0) return { url: `${url}/v1/account` };
  if (count % 4 === 1) return { url: `${url}/v1/content/drafts?limit=10` };
  if (count % 4 === 2) return { url: `${url}/v1/delivery/zones` };
  return {
    url: `${url}/v1/content/drafts`,
    method: "POST",
    body: { title: `Bread ${count}`, body: "We bake every day." },
  };
}

/** Milliseconds until a job has checked a page. */
async function checkPage(call, { url, page }) {
  const started = performance.now();
  const body = { url: page, page_type: "product", entity: "Bread" };
  const made = await call("page", { url: `${url}/v1/answeros/pages`, method: "POST", body });
  if (made === null || made.status >= 300) return Infinity;
  const path = `${url}/v1/answeros/pages/${JSON.parse(made.text).data.id}`;
  while (performance.now() - started < LIMIT_MS) {
    const answer = await call("page", { url: path });
    const status = answer === null || answer.status >= 300 ? "queued" : JSON.parse(answer.text).data.status;
    if (status === "failed") throw new Error(`The page could not be fetched: ${answer.text}`);
    if (status !== "queued") return performance.now() - started;
    await pause(250);
  }
  return Infinity;
}

async function invite(call, { url, shop, email }) {
  const date = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const body = { date, people: [{ name: "Ben", email }] };
  const path = `${url}/v1/catering/headcount-sources/${shop.source}/invitations`;
  const answer = await call("invitation", { url: path, method: "POST", body });
  if (answer !== null && answer.status < 300) shop.guests.push(email);
}

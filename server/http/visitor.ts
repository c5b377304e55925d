import type { GatewayDeps } from "./deps.ts";
import { tooManyRequests } from "../lib/errors.ts";
import type { Visitor } from "../core/route.ts";
import { isClientAddress } from "../lib/addresses.ts";
import { toInstant } from "../lib/instant.ts";
import { addressBlock, addressNetwork, clientAddress } from "./client-address.ts";
import type { Exchange } from "./exchange.ts";
import type { Endpoint } from "./namespace.ts";
import type { Principal } from "./principal.ts";
import type { RateResult } from "../storage/contract.ts";
import { createWindows } from "./windows.ts";
import type { Windows } from "./windows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * What anybody may hand in (engines/common.md §0.3.5). `form` is what the path names: the form, the product, the link. That of the
 * visitor comes first: each path that somebody invents has counters of its own, and there are only so many a minute.
 */
const SUBMIT_LIMITS = [
  { of: "network", max: 60, windowMs: MINUTE_MS },
  { of: "visitor", max: 30, windowMs: MINUTE_MS },
  // The guests of one event, or a class, have one address: a quarter of what the form takes.
  { of: "visitor and form", max: 15, windowMs: MINUTE_MS },
  { of: "visitor and form", max: 100, windowMs: HOUR_MS },
  { of: "visitor and form", max: 200, windowMs: DAY_MS },
  // Of an IPv6 /48, which one person can have: without it twelve of its blocks use up the next one.
  { of: "network and form", max: 15, windowMs: MINUTE_MS },
  { of: "network and form", max: 800, windowMs: DAY_MS },
  // Without a key, whose own requests per minute are those of all visitors: a shop has one path for holds, and one for reviews.
  { of: "form", max: 60, windowMs: MINUTE_MS },
] as const;

/** Reading, and replacing what is one's own, costs less; and one visitor must not use up what the key has for all the others. */
const PUBLIC_LIMITS = [
  { of: "network", max: 480, windowMs: MINUTE_MS },
  { of: "visitor", max: 120, windowMs: MINUTE_MS },
] as const;

/** Pages behind links, and feeds of stores: nobody's key counts them. A company may open one link from one address. */
const LINK_LIMITS = [
  { of: "network", max: 1_200, windowMs: MINUTE_MS },
  { of: "visitor", max: 600, windowMs: MINUTE_MS },
  { of: "visitor and form", max: 120, windowMs: MINUTE_MS },
] as const;

/** Requests for pages that one address makes in a minute: a page with its scripts and pictures is some six of them. */
const PAGE_LIMITS = { max: 300, windowMs: MINUTE_MS, keysMax: 10_000 };

/**
 * Preflights that one address makes in a minute, and again probes and scripts for shops: all visitors of many shops can have one address,
 * and browsers remember answers.
 */
const OFTEN_LIMITS = { max: 3_000, windowMs: MINUTE_MS, keysMax: 10_000 };

/** Counts requests that need no key, in the memory of this process, which they protect: nothing in the answers is anybody's. */
export const createPageWindows = (): Windows => createWindows(PAGE_LIMITS);
export const createOftenWindows = (): Windows => createWindows(OFTEN_LIMITS);

/** Gate: pages, scripts and documents that everybody may read, and paths that nothing has or that cannot be decoded (429). */
export const limitPages = (deps: GatewayDeps, windows: Windows, exchange: Exchange): void =>
  limitAddress(
    deps,
    windows,
    exchange,
    `Too many requests for pages from this IP address: at most ${PAGE_LIMITS.max} per minute.`,
  );

/** Gate: OPTIONS, of any path; probes, scripts that all visitors of a shop load, and callbacks: providers repeat those that are refused (429). */
export const limitOften = (deps: GatewayDeps, windows: Windows, exchange: Exchange): void =>
  limitAddress(
    deps,
    windows,
    exchange,
    `Too many requests from this IP address: at most ${OFTEN_LIMITS.max} per minute.`,
  );

function limitAddress(deps: GatewayDeps, windows: Windows, { now, req }: Exchange, reason: string): void {
  const block = publicBlock(deps, req);
  const left = block === null ? null : windows.take(block, now);
  if (left !== null) throw tooManyRequests(reason, left);
}

/** Whether visitors without a key may call a route as often as its limits permit. */
export const isForVisitors = ({ namespace, route }: Endpoint): boolean =>
  route.open !== null || namespace.name === "public";

/** Gate: what a visitor of the shop may ask of an open route (429). A caller with a secret key is no visitor. */
export async function limitVisitor(deps: GatewayDeps, exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const { dryRun, open, id, method } = endpoint.route;
  const { principal, now } = exchange;
  if (principal?.isPublic === false) return;
  if (open === null && publicBlock(deps, exchange.req) === null) return;
  const address = addressOf(deps, exchange.req);
  const network = address === null ? null : addressNetwork(address);
  const names = new Map([
    // Where the address is not known, as in a call inside the process, all of them would be one visitor.
    ["visitor", address === null ? null : hashOf(deps, address, now)],
    ["network", network === null || network === address ? null : hashOf(deps, network, now)],
    ["form", pathName(deps, exchange)],
  ]);
  const isSubmit = open === "submit" && method === "POST" && !dryRun;
  const limits = isSubmit ? SUBMIT_LIMITS : open === null ? LINK_LIMITS : PUBLIC_LIMITS;
  for (const { of, max, windowMs } of limits) {
    if (of === "form" && principal !== null) continue;
    const parts = of.split(" and ").map((name) => names.get(name) ?? null);
    if (parts.includes(null)) continue;
    // The store is part of the path's meaning: two stores may have a form of the same name.
    const counter = ["open", id, principal?.store.id ?? "", String(windowMs), ...parts].join(".");
    const taken = await takeOfVisitor(deps, exchange, max, { counter, windowMs, amount: 1 });
    if (taken.allowed) continue;
    const size = `at most ${max} per ${SPANS.get(windowMs) ?? ""} ${WHOSE[of]}`;
    throw tooManyRequests(`Too many requests: ${size}.`, taken.resetAtMs - now);
  }
}

const SPANS: ReadonlyMap<number, string> = new Map([
  [MINUTE_MS, "minute"],
  [HOUR_MS, "hour"],
  [DAY_MS, "day"],
]);
const WHOSE = {
  visitor: "from one IP address to all paths of this route",
  "visitor and form": "from one IP address to this path",
  network: "from one IPv6 /48 to all paths of this route",
  "network and form": "from one IPv6 /48 to this path",
  form: "from all visitors to this path",
} as const;

/**
 * Bytes that one visitor may hand in by a route in a day, for each 60 requests per minute of the key: a store has room for 28 times as
 * many, and what visitors fill it with stays for weeks. A submission can have 26 MB of files.
 */
const HANDED_IN = { answers: 8_000_000, files: 32_000_000 };

/** Gate: how much a visitor of the shop hands in (429). */
export async function limitHandedIn(
  deps: GatewayDeps,
  exchange: Exchange,
  { route }: Endpoint,
): Promise<void> {
  const { bodyMemory = 0, now, principal } = exchange;
  if (route.open !== "submit" || route.dryRun || principal?.isPublic === false || bodyMemory === 0) return;
  const visitor = visitorName(deps, exchange);
  if (visitor === null) return;
  const counter = ["open", route.id, principal?.store.id ?? pathName(deps, exchange), "bytes", visitor];
  const size = HANDED_IN[route.form === "multipart" ? "files" : "answers"];
  const max = size * Math.max(1, (principal?.limitPerMinute ?? 0) / 60);
  const what = { counter: counter.join("."), windowMs: DAY_MS, amount: bodyMemory };
  const taken = await takeOfVisitor(deps, exchange, max, what);
  if (taken.allowed) return;
  throw tooManyRequests(
    `This IP address has sent too much to this store today: at most ${Math.floor(max / 1_000_000)} MB per day by this route.`,
    taken.resetAtMs - now,
  );
}

type Counted = NonNullable<Exchange["counted"]>[number];

async function takeOfVisitor(
  deps: GatewayDeps,
  exchange: Exchange,
  max: number,
  what: Counted,
): Promise<RateResult> {
  const { counter, windowMs, amount } = what;
  const taken = await deps.store.take(counter, max, windowMs, amount);
  if (taken.allowed && windowMs > MINUTE_MS) (exchange.counted ??= []).push(what);
  return taken;
}

/**
 * Gives back what was counted for longer than a minute, where nothing is at a path or no handler looked: windows of paths that strangers
 * invent would stay for a day. The response does not depend on it.
 */
export async function forgetUnfound(
  { store }: GatewayDeps,
  { counted, isHandled = false }: Exchange,
  status: number,
): Promise<void> {
  if (counted === undefined || (isHandled && status !== 404)) return;
  const giveBack = ({ counter, windowMs, amount }: Counted) =>
    store.take(counter, Infinity, windowMs, -amount);
  await Promise.all(counted.map(giveBack)).catch(() => undefined);
}

/** What one visitor may use of a publishable key's limit: everybody can read the key, and it must go on working for the others. */
const SHARE = { part: 0.25, min: 20 };

/**
 * Counts a request with a publishable key towards its visitor; the refusal where the visitor has used up its share.
 */
export async function takeShare(
  deps: GatewayDeps,
  { now, req }: Exchange,
  { keyId, limitPerMinute }: Principal,
  cost: number,
): Promise<Error | null> {
  const visitor = visitorName(deps, { now, req });
  if (visitor === null) return null;
  const counter = ["open", keyId, visitor].join(".");
  const share = Math.max(SHARE.min, Math.floor(limitPerMinute * SHARE.part));
  const taken = await deps.store.take(counter, share, MINUTE_MS, cost);
  if (taken.allowed) return null;
  return tooManyRequests(
    `Too many requests with this publishable key from this IP address: at most ${share} of the ${limitPerMinute} per minute of the key. Servers of a store use a secret key.`,
    taken.resetAtMs - now,
  );
}

/** A path however it is spelled: each spelling would have counters of its own. */
const pathName = ({ ports }: GatewayDeps, { path }: Exchange): string =>
  ports.sign("form", decodeURIComponent(path).toLowerCase());

/** What shares of a visitor are counted under; null where its address is none of the internet. */
export function visitorName(deps: GatewayDeps, { now, req }: Pick<Exchange, "now" | "req">): string | null {
  const block = publicBlock(deps, req);
  return block === null ? null : hashOf(deps, block, now);
}

/** Who visits the shop, without the address itself. */
export function visitorOf(deps: GatewayDeps, req: Exchange["req"], now: number): Visitor {
  const address = clientOf(deps, req);
  return {
    origin: req.header("origin") ?? null,
    address_hash: hashOf(deps, address === null ? "" : addressBlock(address), now),
    network_hash: hashOf(deps, address === null ? "" : addressNetwork(address), now),
    user_agent: req.header("user-agent") ?? null,
  };
}

/** Address, or for IPv6 the block of addresses, that counts as one visitor. */
export function addressOf(deps: GatewayDeps, req: Exchange["req"]): string | null {
  const address = clientOf(deps, req);
  return address === null ? null : addressBlock(address);
}

/**
 * The network by which the process and the shares of others are protected, null where it is none of the internet: an address of a private
 * network or of this machine is a proxy that is not declared, behind which all customers of all stores have one address, or the operator's
 * own network.
 */
export function publicBlock(deps: GatewayDeps, req: Exchange["req"]): string | null {
  const address = clientOf(deps, req);
  return address === null || !isClientAddress(address) ? null : addressNetwork(address);
}

/** The address that a request came from, proxies that the configuration trusts aside; null where it has none. */
const clientOf = ({ config }: GatewayDeps, req: Exchange["req"]): string | null =>
  clientAddress(req.peer, req.header("x-forwarded-for"), config.server.trustedProxies);

/** The day is part of what is signed: from tomorrow on, visits can no longer be linked to the same visitor. */
const hashOf = ({ ports }: GatewayDeps, address: string, now: number): string =>
  ports.sign("visitor", `${toInstant(now).slice(0, 10)} ${address}`);

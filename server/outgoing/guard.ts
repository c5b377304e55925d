import { lookup as resolveName } from "node:dns";
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { LookupFunction } from "node:net";

import { OutgoingError } from "../core/ports.ts";
import { isPublicAddress } from "../lib/addresses.ts";

/** Whom the service may talk to: the public internet, and what the operator lets through. */
export interface Guard {
  /** True for a host that the operator named: neither its addresses nor its port are looked at. */
  readonly trusts: (host: string) => boolean;
  /** True for an address that may be connected to. */
  readonly lets: (address: string) => boolean;
  /** For `http.request`: resolves once and fails unless every address may be connected to. */
  readonly lookup: LookupFunction;
}

/** All addresses of a name, as `node:dns` gives them; tests pass their own. */
export type Resolve = (
  host: string,
  family: number,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void | Promise<void>;

export interface GuardOptions {
  /** Lets everything through, for development on one machine. */
  readonly allowPrivate: boolean;
  /** Hosts (`intranet.example`, `*.intranet.example`), addresses and ranges (`10.0.0.0/8`) that are let through. */
  readonly allow?: readonly string[];
  readonly resolve?: Resolve;
  /** DNS servers, `host:port`; default: those of the system. */
  readonly servers?: readonly string[];
}

export function createGuard({ allowPrivate, allow = [], servers, ...options }: GuardOptions): Guard {
  const ranges = new BlockList();
  const names = new Set<string>();
  for (const entry of allow) {
    const [address = "", prefix] = entry.split("/");
    const version = isIP(address);
    if (version === 0) names.add(entry.toLowerCase());
    else {
      const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
      ranges.addSubnet(address, bits, version === 4 ? "ipv4" : "ipv6");
    }
  }
  const trusts = (host: string): boolean =>
    allowPrivate || names.has(host) || host.split(".").some((_, at, parts) => names.has(wildcard(parts, at)));
  const lets = (address: string): boolean =>
    allowPrivate || isPublicAddress(address) || ranges.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const resolveTrusted = options.resolve ?? resolveAll;
  const resolveOther = options.resolve ?? createDnsResolve(servers);
  const resolve: Resolve = (host, ...rest) => (trusts(host) ? resolveTrusted : resolveOther)(host, ...rest);
  return { trusts, lets, lookup: createLookup({ trusts, lets, resolve }) };
}

/** `*.` and what follows a part of the name: `*.shop.example` stands for `a.b.shop.example`, not for `shop.example`. */
const wildcard = (parts: readonly string[], at: number): string => `*.${parts.slice(at + 1).join(".")}`;

/** The name is resolved once and the connection goes to what was checked: a name cannot point elsewhere a moment later. */
const createLookup =
  ({
    trusts,
    lets,
    resolve,
  }: Pick<Guard, "trusts" | "lets"> & { readonly resolve: Resolve }): LookupFunction =>
  (host, options, done) => {
    void resolve(host, Number(options.family ?? 0), (error, addresses) => {
      if (error !== null) return done(unreachable(host, error), "");
      const bad = trusts(host) ? undefined : addresses.find(({ address }) => !lets(address));
      if (bad !== undefined) {
        // Without the address: what names mean inside the operator's network is not the shop's to know.
        return done(unreachable(host), "");
      }
      if (options.all === true) return done(null, [...addresses]);
      const [first] = addresses;
      return done(null, first?.address ?? "", first?.family);
    });
  };

/** One text for a name that does not exist and for one that only the operator's network knows. */
const unreachable = (host: string, cause?: unknown): OutgoingError =>
  new OutgoingError("refused", `${host} has no public address.`, { cause });

const resolveAll: Resolve = (host, family, done) => {
  resolveName(host, { all: true, family }, (error, addresses) => done(error, addresses ?? []));
};

/** Addresses of each family: as each that fails is followed by the next, one request would connect to thousands of a name. */
const ADDRESSES_MAX = 4;
/** One attempt; the second one waits twice as long. */
const DNS_WAIT = { timeout: 2_000, tries: 2 };

/**
 * Names that customers choose are looked up in DNS directly. `getaddrinfo` occupies a thread of the process until the servers of the
 * name answer, and two of them are for all lookups: a few names without an answer would delay those of everybody for minutes.
 */
const createDnsResolve =
  (servers: readonly string[] | undefined): Resolve =>
  async (host, family, done) => {
    const resolver = new Resolver(DNS_WAIT);
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([
      ...(family === 6 ? [] : [listAddresses(resolver.resolve4(host), 4)]),
      ...(family === 4 ? [] : [listAddresses(resolver.resolve6(host), 6)]),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [reason] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    const error = reason instanceof Error ? reason : new Error(`No address of ${host} was found.`);
    done(found.length > 0 ? null : error, found);
  };

const listAddresses = async (asked: Promise<string[]>, family: 4 | 6): Promise<LookupAddress[]> =>
  (await asked).slice(0, ADDRESSES_MAX).map((address) => ({ address, family }));

/** The URL of a request that may be sent. Throws `refused` for schemes, ports, credentials and addresses that may not. */
export function checkUrl(
  text: string,
  guard: Guard,
  rule: { readonly schemes: readonly string[]; readonly ports: readonly string[] },
): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const name = rule.schemes.at(-1) ?? "https:";
  if (url === null || url.username !== "" || url.password !== "") {
    throw new OutgoingError("refused", `${text} is not a valid ${name.slice(0, -1)} URL.`);
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isTrusted = guard.trusts(host) || (isIP(host) !== 0 && guard.lets(host) && !isPublicAddress(host));
  const schemes = isTrusted ? ["http:", "https:"] : rule.schemes;
  if (!schemes.includes(url.protocol)) {
    throw new OutgoingError("refused", `${text} is not a valid ${name.slice(0, -1)} URL.`);
  }
  if (!isTrusted && !rule.ports.includes(url.port)) {
    const named = rule.ports.filter((port) => port !== "").join(" and ");
    throw new OutgoingError("refused", `Port ${url.port} is not allowed. Use port ${named}.`);
  }
  // A literal address is never looked up.
  if (!isTrusted && isIP(host) !== 0 && !guard.lets(host)) {
    throw unreachable(host);
  }
  return url;
}

import type { PlatformConfig } from "../config/schema.ts";
import { RATE_WINDOW_MS } from "../http/principal.ts";
import type { Accounts, AuthResult, Principal } from "../http/principal.ts";
import { fromText } from "../core/collection.ts";
import type { Collection } from "../core/collection.ts";
import { equalSecrets, sha256Hex } from "../core/ids.ts";
import type { Doc, Key as DocKey, StoreDriver } from "../storage/contract.ts";
import { customers, keyHashes, keys, storeNameId, storeNames, stores } from "./collections.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import type { Customer, Key, Store } from "./collections.ts";
import { keyClass } from "../core/key-format.ts";
import { isAccepted, keyStatusAt } from "./keys/key-rules.ts";
import { endsAtMs } from "./collections.ts";
import { CONFIG_OPERATOR, operators, operatorTokens, PROCESS_OPERATOR } from "./operators.ts";
import { payerOf } from "./owner.ts";
import { findPlan, isMultiStore, standingOf } from "./plans/plans.ts";

/** Parsed documents kept by version: each request still asks the store, so nothing is ever served stale. */
const REMEMBERED = 10_000;

/**
 * Determines who a key speaks for. Every look-up reads the key and the customer from the store,
 * so a revocation or a change of plan holds from the next request on.
 * `adminTokens` are this process's own (run file, in-process CLI), in addition to those configured.
 */
export function createAccounts(deps: {
  store: StoreDriver;
  config: PlatformConfig;
  adminTokens: readonly string[];
}): Accounts {
  const read = createReader(deps.store);
  const keyIds = new Map<string, string>();
  const accepted = createAccepted(deps.store);
  const { plans } = deps.config;

  async function findKey(hash: string): Promise<Known<Key> | null> {
    let id = keyIds.get(hash);
    if (id === undefined) {
      id = (await read(keyHashes, hash))?.value.key_id;
      if (id === undefined) return null;
      remember(keyIds, hash, id);
    }
    return read(keys, id);
  }

  const authenticate: Accounts["authenticate"] = async (authorization, now, cost) => {
    if (authorization === undefined) return { ok: false, reason: "missing" };
    const token = bearerToken(authorization);
    if (token === null) return { ok: false, reason: "invalid" };
    const hash = sha256Hex(token);
    const known = await accepted.find(hash, now, cost);
    if (known !== null) return known;
    const kind = keyClass(token);
    if (kind === null || kind === "admin") return { ok: false, reason: "invalid" };
    return judge(hash, now);
  };

  async function judge(hash: string, now: number): Promise<AuthResult> {
    const key = await findKey(hash);
    if (key === null) return { ok: false, reason: "invalid" };
    const customer = await read(customers, key.value.customer_id);
    if (customer === null || !isAccepted(key.value, customer.value, now)) {
      return { ok: false, reason: keyStatusAt(key.value, now) === "expired" ? "expired" : "invalid" };
    }
    const store = await read(stores, key.value.store_id);
    if (store === null) return { ok: false, reason: "invalid" };
    const principal = toPrincipal(
      plans,
      { key: key.value, customer: customer.value, store: store.value },
      now,
    );
    const result = { ok: true, principal } as const;
    accepted.keep(hash, {
      result,
      docs: [key.doc, customer.doc, store.doc],
      fromMs: now,
      untilMs: nextTurn(key.value, customer.value, now),
    });
    return result;
  }

  async function resolveStore(
    principal: Principal,
    header: string,
    now: number,
  ): Promise<Principal["store"] | null> {
    const named = fromHeader(header);
    if (named === principal.store.identifier || named === principal.store.id) return principal.store;
    // A publishable key is bound to its store: everybody has it.
    if (principal.isPublic) return null;
    const customer = await read(customers, principal.customerId);
    if (customer === null || !isMultiStore(standingOf(customer.value, plans, now).plan)) return null;
    const name = await read(storeNames, storeNameId(principal.customerId, named));
    const store = /^sto_[0-9A-Za-z]{1,60}$/.test(named) ? await read(stores, named) : null;
    const found = store ?? (name === null ? null : await read(stores, name.value.store_id));
    if (found === null || found.value.customer_id !== principal.customerId) return null;
    return { id: found.value.id, identifier: found.value.identifier };
  }

  return {
    authenticate,
    resolveStore,
    async authenticateAdmin(authorization) {
      const token = authorization === undefined ? null : bearerToken(authorization);
      if (token === null) return null;
      const configured = deps.config.admin.token;
      if (configured !== undefined && equalSecrets(configured, token))
        return { actor: CONFIG_OPERATOR, role: "owner" };
      if (deps.adminTokens.some((known) => equalSecrets(known, token)))
        return { actor: PROCESS_OPERATOR, role: "owner" };
      if (keyClass(token) !== "admin") return null;
      const known = await read(operatorTokens, sha256Hex(token));
      const operator = known === null ? null : await read(operators, known.value.operator_id);
      return operator === null ? null : { actor: operator.value.name, role: operator.value.role };
    },
  };
}

function toPrincipal(
  plans: PlatformConfig["plans"],
  { key, customer, store }: { readonly key: Key; readonly customer: Customer; readonly store: Store },
  now: number,
): Principal {
  const standing = standingOf(customer, plans, now);
  const plan = (key.tier === null ? undefined : findPlan(plans, key.tier)) ?? standing.plan;
  return {
    kind: "key",
    keyId: key.id,
    customerId: customer.id,
    mode: key.mode,
    isPublic: key.kind === "publishable",
    tier: plan.id,
    limitPerMinute: plan.requestsPerMinute,
    payer: payerOf(customer, standing.plan),
    scopes: scopeSet(key),
    store: { id: store.id, identifier: store.identifier },
    expiresAt: key.replaced_by === null ? null : key.expires_at,
  };
}

/** A key that was accepted, and what that rests on. */
interface Accepted {
  readonly result: { readonly ok: true; readonly principal: Principal };
  /** The key, its customer and its store. */
  readonly docs: readonly Doc[];
  /** Epoch milliseconds between which time alone changes nothing. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Remembers by the hash of a key who it was accepted for. The store is asked on every request all the same: a change of
 * the key, its customer or its store shows in its version, and the key is then judged again.
 */
function createAccepted(store: StoreDriver) {
  const byHash = new Map<string, Accepted & { readonly docKeys: readonly DocKey[] }>();
  return {
    async find(hash: string, now: number, cost: number): Promise<AuthResult | null> {
      const known = byHash.get(hash);
      if (known === undefined || now < known.fromMs || now >= known.untilMs) return null;
      if (cost > 0 && store.takeIf !== undefined) {
        const { principal } = known.result;
        const { keyId, limitPerMinute } = principal;
        const rate = await store.takeIf(known.docs, keyId, limitPerMinute, RATE_WINDOW_MS, cost);
        return rate === null ? null : { ok: true, principal, rate };
      }
      const found = await store.getMany(known.docKeys);
      const holds = known.docs.every((doc, index) => found[index]?.version === doc.version);
      return holds ? known.result : null;
    },
    keep(hash: string, accepted: Accepted): void {
      remember(byHash, hash, { ...accepted, docKeys: accepted.docs.map((doc) => doc.key) });
    },
  };
}

/** The next instant at which a key or its customer's plan ends by itself; infinity for never. */
function nextTurn(key: Key, customer: Customer, now: number): number {
  const ends = [customer.trial_ends_at, customer.plan_ends_at].map((at) =>
    at === null ? 0 : Date.parse(at),
  );
  return Math.min(...[endsAtMs(key) ?? 0, ...ends].filter((at) => at > now), Number.POSITIVE_INFINITY);
}

/** More bytes than a store's name can have, however its 255 characters are composed. */
const NAME_BYTES_MAX = 2_040;

/**
 * A header arrives as bytes read as Latin-1; a name beyond ASCII was sent as UTF-8. One that is too long refers to no store
 * unchanged, and is not composed: that costs the square of the number of marks.
 */
function fromHeader(header: string): string {
  if (header.length > NAME_BYTES_MAX) return header;
  const text = Buffer.from(header, "latin1").toString("utf8");
  return text.includes("\u{FFFD}") ? header : text.normalize("NFC");
}

/** The token of `Bearer <token>`, scheme in any case; null for anything else, two values included. An operator can choose any characters. */
function bearerToken(authorization: string): string | null {
  return /^bearer +([\x21-\x7e]{1,200})$/i.exec(authorization.trim())?.[1] ?? null;
}

const scopeSets = new WeakMap<Key, ReadonlySet<string>>();

function scopeSet(key: Key): ReadonlySet<string> {
  const known = scopeSets.get(key);
  if (known !== undefined) return known;
  const made = new Set(key.scopes);
  scopeSets.set(key, made);
  return made;
}

interface Known<T> {
  readonly doc: Doc;
  readonly value: T;
}

function createReader(
  store: StoreDriver,
): <T extends { id: string }>(collection: Collection<T>, id: string) => Promise<Known<T> | null> {
  const parsed = new Map<DocKey, Known<unknown>>();
  return async (collection, id) => {
    const key: DocKey = `${PLATFORM_PART}:${collection.name}:${id}`;
    const doc = await store.get(key);
    if (doc === null) return null;
    const known = parsed.get(key);
    // Under one key there are only values of its own collection.
    if (known !== undefined && known.doc.version === doc.version) return known as never;
    const read = { doc, value: fromText(collection, doc.value) };
    remember(parsed, key, read);
    return read;
  };
}

function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= REMEMBERED) {
    const oldest = map.keys().next();
    if (oldest.done !== true) map.delete(oldest.value);
  }
  map.set(key, value);
}

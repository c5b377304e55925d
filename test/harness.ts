import type { H3 } from "h3";

import { createApp } from "../server/app.ts";
import { createServices } from "../server/services.ts";
import type { Services } from "../server/services.ts";
import type { PlatformConfig } from "../server/config/schema.ts";
import { ConfigSchema } from "../server/config/schema.ts";
import { toInstant } from "../server/lib/instant.ts";
import { createSystemRandom, sha256Hex } from "../server/core/ids.ts";
import { silentLog } from "../server/core/log.ts";
import { NO_ENGINE_PORTS, OutgoingError } from "../server/core/ports.ts";
import type { Ports } from "../server/core/ports.ts";
import type { Log } from "../server/core/log.ts";
import { createDevTransport } from "../server/mail/transports/dev.ts";
import type { MailTransport } from "../server/mail/transport.ts";
import {
  customers,
  keyHashes,
  keys,
  storeNameId,
  storeNames,
  stores,
} from "../server/accounts/collections.ts";
import { PLATFORM_PART } from "../server/core/partitions.ts";
import type { Key } from "../server/accounts/collections.ts";
import { makeKey } from "../server/core/key-format.ts";
import { engines, namespaces, scopes as allScopes } from "../server/registry.ts";
import type { StoreDriver } from "../server/storage/contract.ts";
import { createMemoryDriver } from "../server/storage/memory.ts";
import { createAnswerCheck } from "./contract/validator.ts";
import { watchStates } from "./support/state-changes.ts";

export interface TestClock {
  now(): number;
  set(instant: string): void;
  advance(ms: number): void;
}

export function createTestClock(start = "2026-06-01T09:00:00.000Z"): TestClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set(instant) {
      now = Date.parse(instant);
    },
    advance(ms) {
      now += ms;
    },
  };
}

/** Ports of a service that reaches nobody. */
export const closedPorts: Ports = {
  baseUrl: "http://platform.test",
  realNow: () => Date.parse("2026-06-01T09:00:00.000Z"),
  sign: (purpose, text) => sha256Hex(`${purpose}\0${text}`).slice(0, 43),
  post: async ({ url }) => {
    throw new OutgoingError("refused", `${url} is not reached from tests.`);
  },
  fetch: async ({ url }) => {
    throw new OutgoingError("refused", `${url} is not reached from tests.`);
  },
  ai: {
    providers: [],
    generate: () => Promise.reject(new Error("Nobody writes here.")),
    stream: () => Promise.reject(new Error("Nobody writes here.")),
  },
  engines: NO_ENGINE_PORTS,
};

export interface TestKey {
  readonly plaintext: string;
  readonly id: string;
  readonly customerId: string;
  readonly storeId: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined when there is none or it is not JSON. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface CallOptions {
  readonly key?: TestKey | string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Harness {
  readonly app: H3;
  readonly services: Services;
  readonly clock: TestClock;
  readonly store: StoreDriver;
  readonly adminToken: string;
  /** A live key of its own customer and store, with every scope unless told. */
  key(options?: Partial<Key> & { identifier?: string; plan?: string }): Promise<TestKey>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** A call with the operator's token. */
  admin(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

const BASE_URL = "http://platform.test";
const machines = engines.flatMap(({ states }) => states);
/** Holds each answer against the OpenAPI document; its schemas are compiled as they are met. */
export const checkAnswer = createAnswerCheck(namespaces, BASE_URL);

/** The whole service in memory: real pipeline, real memory driver, a clock that the test moves. */
export async function createHarness(
  options: {
    now?: string;
    config?: Partial<PlatformConfig>;
    store?: StoreDriver;
    log?: Log;
    /** Takes every mail unless told. */
    transport?: MailTransport;
    /** Answers what engines post to other servers; the guarded client unless told. */
    post?: Ports["post"];
    /** Answers what engines fetch; the guarded client unless told. */
    fetch?: Ports["fetch"];
  } = {},
): Promise<Harness> {
  const clock = createTestClock(options.now);
  const random = createSystemRandom();
  const store = options.store ?? createMemoryDriver({ clock });
  const adminToken = makeKey("admin", random);
  const config: PlatformConfig = {
    ...ConfigSchema.parse({}),
    baseUrl: BASE_URL,
    ...options.config,
  };
  const services = await createServices({
    config,
    // A test with a store of its own counts what reaches it.
    store: options.store === undefined ? watchStates(store, machines) : store,
    clock,
    random,
    log: options.log ?? silentLog,
    adminTokens: [adminToken],
    transport: options.transport ?? createDevTransport(() => undefined),
    ...(options.post === undefined ? {} : { post: options.post }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const app = createApp(services);
  let made = 0;

  async function call(
    method: string,
    path: string,
    { key, body, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const token = typeof key === "string" ? key : key?.plaintext;
    const init: RequestInit = {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.fetch(new Request(`${BASE_URL}${path}`, init));
    const text = await response.text();
    checkAnswer(method, path, { status: response.status, headers: response.headers, text });
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  return {
    app,
    services,
    clock,
    store,
    adminToken,
    call,
    admin: (method, path, more = {}) => call(method, path, { ...more, key: adminToken }),
    async key(given = {}) {
      made += 1;
      const { identifier = `shop-${made}`, plan = "enterprise", ...fields } = given;
      const nowAt = toInstant(clock.now());
      const times = { created_at: nowAt, updated_at: nowAt };
      const isPublic = fields.kind === "publishable";
      const plaintext = makeKey(isPublic ? "pub" : fields.mode === "test" ? "test" : "live", random);
      const customerId = fields.customer_id ?? services.newId("cus");
      const storeId = fields.store_id ?? services.newId("sto");
      const id = services.newId("key");
      await services.runTx(PLATFORM_PART, async (tx) => {
        if (fields.customer_id === undefined) {
          tx.create(customers, {
            id: customerId,
            ...times,
            email: `dev${made}@shop.test`,
            status: "active",
            plan,
            trial_plan: null,
            trial_started_at: null,
            trial_ends_at: null,
            trials_used: [],
            plan_ends_at: null,
            verified_at: nowAt,
            suspended_at: null,
            suspended_reason: null,
            closed_at: null,
            trusted_at: null,
          });
        }
        if (fields.store_id === undefined) {
          tx.create(stores, {
            id: storeId,
            ...times,
            customer_id: customerId,
            identifier,
            primary: fields.customer_id === undefined,
          });
          tx.create(storeNames, { id: storeNameId(customerId, identifier), store_id: storeId });
        }
        tx.create(keyHashes, { id: sha256Hex(plaintext), key_id: id });
        const key: Key = {
          ...times,
          prefix: plaintext.slice(0, 14),
          last4: plaintext.slice(-4),
          kind: "secret",
          public_key: null,
          mode: "live",
          status: "ACTIVE",
          tier: null,
          scopes: [...allScopes],
          name: `key ${made}`,
          activates_at: null,
          expires_at: null,
          revoked_at: null,
          revoked_reason: null,
          replaces: null,
          replaced_by: null,
          ...fields,
          id,
          customer_id: customerId,
          store_id: storeId,
        };
        tx.create(keys, key);
      });
      return { plaintext, id, customerId, storeId };
    },
    close: () => services.close(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

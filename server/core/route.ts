import { z } from "zod";

import type { Collection } from "./collection.ts";
import type { ErrorType } from "../lib/errors.ts";
import type { Log } from "./log.ts";
import type { NewId } from "./ids.ts";
import type { TaskOwner } from "../lib/worker-tasks.ts";
import type { OperatorRole } from "./operator-role.ts";
import type { Ports, Work } from "./ports.ts";

import { Id } from "./schema.ts";
import type { Reply } from "./reply.ts";
import type { RunTx, Stored, Tx } from "./tx.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type ScopeVerb = "read" | "write" | "manage";
/** What a publishable key can be allowed: to read what is published, or to hand something in. */
export type OpenVerb = "public" | "submit";

/** What a handler knows of its caller and its world. It never sees the request or the response. */
export interface Ctx {
  /** Epoch milliseconds, read once per request. */
  readonly now: number;
  /** The same instant in RFC 3339, for `created_at` and its kin. */
  readonly nowAt: string;
  readonly newId: NewId;
  readonly requestId: string;
  readonly log: Log;
  /** Aborted when the client goes away. */
  readonly signal: () => AbortSignal;
  /** Opens on the store's own partition; committed when the handler returns, together with the idempotency record. */
  readonly tx: Tx;
  /** The store the key speaks for (X-Service-Store considered). */
  readonly store: { readonly id: string; readonly identifier: string };
  /** Id of the key that calls; null where no key does. */
  readonly caller: string | null;
  /** `Accept-Language` as it was sent, for texts that are kept in several languages. */
  readonly acceptLanguage: string | undefined;
  readonly baseUrl: string;
  /** Scopes of the caller's key; none outside /v1. */
  readonly scopes: ReadonlySet<string>;
  /** A publishable key calls, out of a page that anybody may read: only what is public may be shown. */
  readonly isPublic: boolean;
  /** Who visits the shop, as far as the request shows. */
  readonly visitor: () => Visitor;
  readonly ports: Ports;
  /**
   * Transactions of the handler's own, for what must commit before something is done outside. They are not undone when
   * the handler fails, nor covered by its Idempotency-Key: what they do must bear repetition.
   */
  readonly runTx: RunTx;
  /** The body of a route that declares `stream`, piece by piece, once and of any size. */
  readonly bodyStream: () => AsyncIterable<Uint8Array>;
  /** The document a PATCH or DELETE is about: 404 when missing, 412 when `If-Match` names another version. */
  current<T extends { id: string }>(collection: Collection<T>, id: string): Promise<Stored<T>>;
  /** Throws 412 when `If-Match` names another version; 0 for what was never saved. */
  requireVersion(version: number): void;
}

/** The work of a request. */
export const workOf = ({ now, nowAt, tx, newId, ports }: Ctx): Work => ({
  now,
  nowAt,
  part: tx.part,
  newId,
  ports,
});

export interface Visitor {
  /** `Origin` as the browser sent it; a hint, not a proof. */
  readonly origin: string | null;
  /** HMAC of the address under a salt of the day: the same visitor on the same day, and nothing more. */
  readonly address_hash: string;
  /** The same of the network that one person can have: for what must not be done often, as an IPv6 /48 has 65,536 addresses. */
  readonly network_hash: string;
  readonly user_agent: string | null;
}

/** What the open routes of an engine see beyond (callbacks, signed links): who calls is for them to find out. */
export interface OpenCtx extends Ctx {
  readonly method: string;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /**
   * The ports of a store's work, for a store that a link or a path names: its outgoing requests come from the budget of its customer, and
   * those that visitors cause from half of it.
   */
  readonly portsOf: (part: string, by?: "visitors") => Ports;
  /** For tasks in threads that such a store needs: they take turns with those of the customer's other stores and keys. */
  readonly taskOwnerOf: (part: string) => Promise<TaskOwner>;
  /** The body as it came over the wire, for signatures; for routes that declare none. */
  readonly rawBody: () => Promise<Uint8Array>;
}

export type Fields = z.ZodObject;

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
  /** What it returns. Default: what the demo data return, recorded by the build. */
  readonly data?: unknown;
}

/** A route as the registry, the router, OpenAPI, the docs, the CLI and the contract tests see it. */
export interface Route {
  /** `<namespace>.<resource>.<verb>`: operationId, CLI words, log label, docs anchor. */
  readonly id: string;
  readonly method: Method;
  /** Below the namespace's mount, with `:name` parameters; "" is the mount itself. */
  readonly path: string;
  /** Scope verb. Default: read for GET, write for all else. */
  readonly verb: ScopeVerb;
  /** The scope verb with which a publishable key may call as well; null: none may. */
  readonly open: OpenVerb | null;
  /** Role that an operator needs, in the operator's API. Default: viewer for GET, owner for all else. */
  readonly role: OperatorRole;
  readonly summary: string;
  readonly description: string;
  readonly params: Fields | null;
  readonly query: Fields | null;
  readonly body: z.ZodType | null;
  readonly data: z.ZodType;
  /** Media type of an answer outside the envelope; null inside it. */
  readonly rawType: string | null;
  /** Media types in which it answers as well, where a parameter asks for one of them. */
  readonly otherTypes: readonly string[];
  readonly isList: boolean;
  /** Status of success. */
  readonly status: number;
  /** Error types beyond those every route of its namespace can give, with engine codes. */
  readonly errors: readonly { readonly type: ErrorType; readonly code?: string; readonly when: string }[];
  readonly example: Example;
  /** Requests it costs of the rate limit: 0 for looking at the limit itself, 1, up to 50 where its work is known to be more. */
  readonly cost: number;
  /**
   * Partition whose customer pays for what it computes out of its CPU budget, also where its body is written as it is read; null:
   * nobody does. Default: the customer of the key, where `cost` is more than 1.
   */
  readonly paidBy: ((input: Input, ctx: Pick<OpenCtx, "ports">) => string | null) | null;
  /** Its `now` is real time, also for test data with a clock: it moves that clock, or is about what is sent and received. */
  readonly isRealTime: boolean;
  /** It stores nothing: visitors may call it as often as they may read. */
  readonly dryRun: boolean;
  /** The answer holds a secret shown once: it is never kept for replay. */
  readonly sensitive: boolean;
  /** Pages and probes: left out of OpenAPI and the CLI. */
  readonly hidden: boolean;
  /**
   * Also takes the body of an HTML form (application/x-www-form-urlencoded), for pages without script. "multipart" takes
   * multipart/form-data too: a field of several values is a list, a file is `{ name, content }` (see `FileContent`).
   */
  readonly form: boolean | "multipart";
  /** Media type of a body that its handler reads as a stream; null: it has none, or the one of `body`. */
  readonly stream: string | null;
  /** Answers a browser (`Accept` names text/html) with a page instead. */
  readonly page: boolean;
  /** How its pages show a browser what the pipeline refuses or its handler throws; null: by problem+json, as everywhere. */
  readonly refusal: ((refused: Refused) => Reply<never>) | null;
  readonly handle: (input: Input, ctx: Ctx) => Promise<Reply<unknown>>;
}

export interface Input {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

type Out<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
/** The parameters of a path, as ids: those of `/orders/:id/lines/:line_id` are `id` and `line_id`. */
type IdsIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Record<Name, string> & IdsIn<`/${More}`>
    : Record<Rest, string>
  : unknown;
type In<S> = S extends z.ZodType ? z.input<S> : undefined;

export interface RouteDef<
  C extends Ctx,
  P extends Fields | undefined,
  Q extends Fields | undefined,
  B extends z.ZodType | undefined,
  D extends z.ZodType,
  Path extends `/${string}` | "" = `/${string}` | "",
> {
  readonly id: string;
  readonly method: Method;
  readonly path: Path;
  readonly scope?: ScopeVerb;
  readonly open?: OpenVerb;
  readonly role?: OperatorRole;
  readonly summary: string;
  readonly description?: string;
  /** Default: each parameter of the path is an id. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Schema of `data` as served. */
  readonly data: D;
  readonly rawType?: string;
  readonly otherTypes?: readonly string[];
  /** 201 for creating POSTs, 204 for DELETE, else 200. */
  readonly status?: 200 | 201 | 202 | 204 | 303;
  readonly errors?: Route["errors"];
  /** A request that succeeds on demo data. Default: one without parameters and body. */
  readonly example?: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: In<Q>;
    readonly body?: In<B>;
    readonly data?: z.input<D>;
  };
  readonly cost?: number;
  readonly paidBy?: (
    input: {
      params: P extends z.ZodType ? z.output<P> : IdsIn<Path>;
      query: Out<Q>;
      body: B extends z.ZodType ? z.output<B> : undefined;
    },
    ctx: Pick<C, "ports">,
  ) => string | null;
  readonly isRealTime?: boolean;
  readonly dryRun?: boolean;
  readonly sensitive?: boolean;
  readonly hidden?: boolean;
  readonly form?: boolean | "multipart";
  readonly stream?: string;
  readonly page?: boolean;
  readonly refusal?: (refused: Refused) => Reply<never>;
  readonly handle: (
    input: {
      params: P extends z.ZodType ? z.output<P> : IdsIn<Path>;
      query: Out<Q>;
      body: B extends z.ZodType ? z.output<B> : undefined;
    },
    ctx: C,
  ) => Promise<Reply<z.input<D>>>;
}

/** Declares a route for a context type; engines use `defineRoute`. */
export const routeDefiner =
  <C extends Ctx>() =>
  <
    P extends Fields | undefined = undefined,
    Q extends Fields | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    D extends z.ZodType = z.ZodType,
    Path extends `/${string}` | "" = `/${string}` | "",
  >(
    def: RouteDef<C, P, Q, B, D, Path>,
  ): Route => ({
    id: def.id,
    method: def.method,
    path: def.path,
    verb: def.scope ?? (def.method === "GET" ? "read" : "write"),
    open: def.open ?? null,
    role: def.role ?? (def.method === "GET" ? "viewer" : "owner"),
    summary: def.summary,
    description: def.description ?? "",
    params: def.params ?? idsIn(def.path),
    query: def.query ?? null,
    body: def.body ?? null,
    data: def.data,
    rawType: def.rawType ?? null,
    otherTypes: def.otherTypes ?? [],
    isList: def.data instanceof z.ZodArray && def.rawType === undefined,
    status: def.status ?? (def.method === "DELETE" ? 204 : 200),
    errors: def.errors ?? [],
    example: def.example ?? {},
    cost: def.cost ?? 1,
    paidBy: (def.paidBy ?? null) as unknown as Route["paidBy"],
    isRealTime: def.isRealTime ?? false,
    dryRun: def.dryRun ?? false,
    sensitive: def.sensitive ?? false,
    hidden: def.hidden ?? false,
    form: def.form ?? false,
    stream: def.stream ?? null,
    page: def.page ?? false,
    refusal: def.refusal ?? null,
    // The pipeline parses params, query and body with this route's own schemas before it calls the handler,
    // and the namespace fixes which context it passes: the one place where the types are forgotten.
    handle: def.handle as unknown as Route["handle"],
  });

function idsIn(path: string): Fields | null {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  return names.length === 0 ? null : z.object(Object.fromEntries(names.map((name) => [name, Id])));
}

const defineOwnRoute = routeDefiner<Ctx>();

/**
 * Declares a route of an engine. One whose path has parameters, without
 * `params`, is about a stored resource: a missing resource and, for PATCH, PUT and DELETE, another version than that of
 * `If-Match` are declared here, unless it declares them in words of its own.
 */
export const defineRoute: typeof defineOwnRoute = (def) => {
  const { errors = [] } = def;
  const isStored = def.params === undefined && def.path.includes("/:");
  const isBound = def.method === "PATCH" || def.method === "PUT" || def.method === "DELETE";
  const derived = [...(isStored ? [missing] : []), ...(isStored && isBound ? [stale] : [])].filter(
    ({ type }) => errors.every((error) => error.type !== type || error.code !== undefined),
  );
  return defineOwnRoute({ ...def, errors: [...derived, ...errors] });
};

export const missing = { type: "not_found", when: "No resource with this id" } as const;
/** For actions that read with `ctx.current`; PATCH, PUT and DELETE have it anyway. */
export const stale = {
  type: "precondition_failed",
  when: "If-Match does not match the current version",
} as const;

/** Declares an open route of an engine (`hooks`, `links`); its transactions are its own, by `ctx.runTx`. */
export const defineOpenRoute = routeDefiner<OpenCtx>();

/** A refusal as the page of a route shows it to a person. */
export interface Refused {
  readonly type: ErrorType;
  /** The `detail` of the problem: what is wrong and how to fix it. */
  readonly detail: string;
  /** Seconds of Retry-After; null where there is none. */
  readonly waitSeconds: number | null;
  readonly requestId: string;
  /** A form was sent, and the browser holds what was typed. */
  readonly isPost: boolean;
  /** Language of the person, by `Accept-Language`. */
  readonly locale: string;
}

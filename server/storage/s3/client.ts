import type { S3Answer } from "./transport.ts";
import { setTimeout as sleep } from "node:timers/promises";

import { AwsV4Signer } from "aws4fetch";

import type { Clock } from "../../core/clock.ts";
import { toInstant } from "../../lib/instant.ts";
import { createFairSlots } from "../../lib/fair-slots.ts";
import { sha256Hex } from "../../core/ids.ts";
import type { Random } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import { refusalOf } from "./refusal.ts";
import type { Transport } from "./transport.ts";

/** Where the bucket is and who may use it. */
export interface S3Account {
  /** `https://host[:port]`, without the bucket: buckets are addressed by path, which every server understands. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface ClientOptions extends S3Account {
  /** Time that requests are signed with; a server refuses it when it is a quarter of an hour off. */
  readonly wallClock: Clock;
  readonly random: Pick<Random, "next">;
  readonly transport: Transport;
  readonly timeoutMs: number;
}

export interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Key of the object; the bucket itself when absent. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly tries?: number;
  /** What it waits with: lines take turns. Default: one for all that have none. */
  readonly line?: string;
  /** No try is signed after this moment: see `apply.ts`. */
  readonly notAfterMs?: number;
}

export interface S3Client {
  /**
   * Resolves with a 2xx, 304, 404 or 412 of the server. Throws StoreError: UNKNOWN_OUTCOME when a write may have taken
   * effect without an answer, UNAVAILABLE when it surely has not, FULL when the server says so.
   */
  send(request: S3Request): Promise<S3Answer>;
  readonly state: { readonly requests: number; readonly retries: number };
}

export const TIMEOUT_MS = 3000;
const TRIES = 6;
/** Requests of one process under way at once. Lines take turns, and one leaves places to the others. */
export const IN_FLIGHT = 64;
const PLACES = { max: IN_FLIGHT, perKey: 48 };
const BACKOFF_BASE_MS = 25;
const BACKOFF_CAP_MS = 1000;
/** A long body has this much longer per byte: 256 KB a second. */
const BYTES_PER_MS = 256;
/** A request that has failed for so long is not tried again. */
const GIVE_UP_MS = 10_000;

/** One try: an answer to hand on, or why it must be tried again and whether it may have taken effect. */
type Try =
  | { readonly answer: S3Answer }
  | { readonly failure: string; readonly cause: unknown; readonly maybeDone: boolean };

/** Signed requests to one bucket, with a time-out each, tried again with full jitter, so many at once. */
export function createS3Client(options: ClientOptions): S3Client {
  const { wallClock, random } = options;
  const slots = createFairSlots(PLACES);
  const signingKeys = new Map<string, ArrayBuffer>();
  const state = { requests: 0, retries: 0 };

  async function once(request: S3Request): Promise<Try> {
    const { line = "" } = request;
    await slots.take(line);
    try {
      return await exchangeOnce(request);
    } finally {
      slots.release(line);
    }
  }

  async function exchangeOnce(request: S3Request): Promise<Try> {
    const nowMs = wallClock.now();
    if (request.notAfterMs !== undefined && nowMs > request.notAfterMs) {
      throw new StoreError("UNAVAILABLE", "this process was suspended for too long to finish a write");
    }
    state.requests++;
    const signed = await sign(options, request, { nowMs, signingKeys });
    try {
      return toTry(request, await exchange(options, request, signed));
    } catch (error) {
      return {
        failure: describeFailure(error),
        cause: error,
        maybeDone: request.method !== "GET" && !neverSent(error),
      };
    }
  }

  return {
    state,
    async send(request) {
      const { tries = TRIES } = request;
      const startMs = wallClock.now();
      let maybeDone = false;
      for (let i = 1; ; i++) {
        const tried = await once(request).catch((error: unknown) => {
          throw maybeDone ? unknown(options, request, String(error), error) : error;
        });
        if ("answer" in tried) return judge(options, request, tried.answer, maybeDone);
        maybeDone ||= tried.maybeDone;
        if (i >= tries || wallClock.now() - startMs > GIVE_UP_MS) {
          const detail = `${tried.failure} (${i} tries)`;
          if (maybeDone) throw unknown(options, request, detail, tried.cause);
          throw new StoreError("UNAVAILABLE", `${describe(options, request)}: ${detail}`, {
            cause: tried.cause,
          });
        }
        state.retries++;
        await sleep(random.next() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** i));
      }
    },
  };
}

/** Path of an object as it is signed and sent: every segment encoded, the slashes kept. */
const encodePath = (key: string): string => key.split("/").map(encodeURIComponent).join("/");

async function sign(
  account: S3Account,
  { method, key, query = {}, headers = {}, body = "" }: S3Request,
  { nowMs, signingKeys }: { readonly nowMs: number; readonly signingKeys: Map<string, ArrayBuffer> },
): Promise<Signed> {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken } = account;
  const search = new URLSearchParams(query).toString();
  const path = key === undefined ? bucket : `${bucket}/${encodePath(key)}`;
  const signed = await new AwsV4Signer({
    method,
    url: `${endpoint}/${path}${search === "" ? "" : `?${search}`}`,
    // The hash of the body is signed too, so a server notices a byte that was changed on the way.
    headers: { ...headers, "x-amz-content-sha256": sha256Hex(body) },
    service: "s3",
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    datetime: toInstant(nowMs).replace(/[:-]|\.\d{3}/g, ""),
    cache: signingKeys,
  }).sign();
  return { url: signed.url, headers: Object.fromEntries(signed.headers) };
}

interface Signed {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

async function exchange(
  { transport, timeoutMs }: ClientOptions,
  { method, body }: S3Request,
  { url, headers }: Signed,
): Promise<S3Answer> {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const type = {
    "content-type": typeof body === "string" ? "text/plain; charset=utf-8" : "application/octet-stream",
    "content-length": String(length),
  };
  const answer = await transport.exchange({
    method,
    url,
    headers: body === undefined ? headers : { ...headers, ...type },
    body,
    timeoutMs: timeoutMs + Math.ceil(length / BYTES_PER_MS),
  });
  return {
    status: answer.status,
    etag: bareEtag(answer.etag),
    dateMs: Date.parse(answer.date),
    body: answer.status === 206 ? "" : answer.body.toString(),
    bytes: answer.body,
  };
}

export const bareEtag = (etag: string): string => etag.replace(/^(?:W\/)?"(.*)"$/, "$1");

/** To be tried again, and without effect: a write that met another one (409), a body that came too slowly (408). */
const AGAIN = new Set([408, 409, 429]);
/** A 503 of S3 itself says that it did not begin; one of a proxy says nothing. */
const NOT_BEGUN = new Set(["SlowDown", "ServiceUnavailable"]);

function toTry({ method }: S3Request, answer: S3Answer): Try {
  const { status } = answer;
  if (status < 500 && !AGAIN.has(status)) return { answer };
  const { code } = refusalOf(answer);
  return {
    failure: `the server responded with ${status} ${code}`.trimEnd(),
    cause: undefined,
    maybeDone: method !== "GET" && status >= 500 && !NOT_BEGUN.has(code),
  };
}

const HANDED_ON = new Set([200, 204, 206, 304, 412]);

function judge(account: S3Account, request: S3Request, answer: S3Answer, maybeDone: boolean): S3Answer {
  if (HANDED_ON.has(answer.status)) return answer;
  const { code, error } = refusalOf(answer);
  // A bucket that is not there must never read as a document that is not there.
  if (answer.status === 404 && code === "NoSuchKey") return answer;
  if (maybeDone) throw unknown(account, request, error.message, error);
  throw new StoreError(error.code, `${describe(account, request)}: ${error.message}`, {
    cause: error,
    retryable: error.retryable,
  });
}

const describe = ({ endpoint, bucket }: S3Account, { method, key }: S3Request): string =>
  `S3 ${method} ${endpoint}/${bucket}${key === undefined ? "" : `/${key}`}`;

const unknown = (account: S3Account, request: S3Request, detail: string, cause: unknown): StoreError =>
  new StoreError("UNKNOWN_OUTCOME", `${describe(account, request)} may or may not have happened: ${detail}`, {
    cause,
  });

/** The system's own code of a failed connection; of several addresses that were tried, that of the first. */
function systemCode(error: unknown): string {
  if (error instanceof AggregateError) return systemCode(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

const neverSent = (error: unknown): boolean => NEVER_SENT.has(systemCode(error));

function describeFailure(error: unknown): string {
  const code = systemCode(error);
  return code === ""
    ? String(error instanceof Error ? error.message : error)
    : `the connection failed: ${code}`;
}

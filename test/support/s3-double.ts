import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { createBucket, toBytes } from "./s3-bucket.ts";
import type { Bucket } from "./s3-bucket.ts";
import { abortUpload, beginUpload, completeUpload, putPart } from "./s3-multipart.ts";
import { findSignatureFault } from "./s3-signature.ts";
import type { Signer } from "./s3-signature.ts";

/** A request as the log and the fault hook see it. */
export interface SeenRequest {
  readonly method: string;
  readonly bucket: string;
  /** "" for requests to the bucket itself. */
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What goes wrong with a request. `effect` tells whether it is carried out nevertheless. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly code: string; readonly effect: boolean }
  | { readonly kind: "drop"; readonly effect: boolean }
  /** Never answered; the connection stays open. */
  | { readonly kind: "hang"; readonly effect: boolean }
  /** Carried out and answered so much later. */
  | { readonly kind: "delay"; readonly ms: number };

export interface DoubleOptions extends Partial<Signer> {
  readonly port?: number;
  readonly bucket?: string;
  /** The server's clock. */
  readonly now?: () => number;
  /** Ceph before 17 takes an ETag in a condition without quotes only. */
  readonly etags?: "any" | "unquoted";
  /** Which promises it does not keep: a server that the driver must refuse. */
  readonly breaks?: "create-only" | "if-match" | "list-order" | "start-after" | "read-after-write";
}

export interface S3Double {
  readonly endpoint: string;
  readonly signer: Signer;
  /** Asked before each request; tests replace it. */
  fault: (request: SeenRequest) => Fault | null;
  /** Requests since the start or the last time that it was emptied. */
  readonly log: SeenRequest[];
  /** Its only bucket, until a client makes others. */
  readonly bucket: string;
  readonly contents: Bucket;
  close(): Promise<void>;
}

export const TEST_SIGNER: Signer = {
  accessKeyId: "TESTKEY",
  secretAccessKey: "TESTSECRET",
  region: "us-east-1",
};
const LIST_MAX = 1000;
const KEY_BYTES_MAX = 1024;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** An S3 server in this process, exact in what the driver rests on: signatures, ETags, conditions, listings. */
export async function startS3Double(options: DoubleOptions = {}): Promise<S3Double> {
  const signer: Signer = { ...TEST_SIGNER, ...options };
  const bucket = options.bucket ?? "test";
  const contents = createBucket();
  const buckets = new Map([[bucket, contents]]);
  const now = options.now ?? (() => Date.now());
  const log: SeenRequest[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks);
    const seen = toSeen(request, body);
    log.push(seen);
    const fault = double.fault(seen);
    const carryOut = (): Answer => {
      const wrong = findSignatureFault(request, body, { signer, nowMs: now() });
      if (wrong !== null) return errorAnswer(wrong.status, wrong.code, wrong.message, signer.region);
      return route(seen, { request, body, buckets, options, nowMs: now() });
    };
    if (fault === null) return send(response, carryOut(), request.method, now());
    if (fault.kind === "delay") {
      await sleep(fault.ms, undefined, { ref: false });
      return send(response, carryOut(), request.method, now());
    }
    if (fault.effect) carryOut();
    if (fault.kind === "drop") request.socket.destroy();
    if (fault.kind === "status")
      send(response, errorAnswer(fault.status, fault.code, "a fault of the test"), request.method, now());
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  const double: S3Double = {
    endpoint: `http://127.0.0.1:${port}`,
    signer,
    fault: () => null,
    log,
    bucket,
    contents,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return double;
}

function toSeen({ method = "", url = "/" }: IncomingMessage, body: Buffer): SeenRequest {
  const { pathname, searchParams } = new URL(url, "http://host");
  const [, bucket = "", ...key] = pathname.split("/").map(decodeURIComponent);
  return {
    method,
    bucket,
    key: key.join("/"),
    query: Object.fromEntries(searchParams),
    body: body.toString(),
  };
}

interface Context {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly buckets: Map<string, Bucket>;
  readonly options: DoubleOptions;
  readonly nowMs: number;
}

function route(seen: SeenRequest, context: Context): Answer {
  const { method, key, query } = seen;
  const bucket = context.buckets.get(seen.bucket);
  if (key === "" && method === "PUT") {
    if (bucket !== undefined) return errorAnswer(409, "BucketAlreadyOwnedByYou", "it is there already");
    context.buckets.set(seen.bucket, createBucket());
    return { status: 200 };
  }
  if (bucket === undefined) return errorAnswer(404, "NoSuchBucket", "the specified bucket does not exist");
  if (key === "" && method === "GET") return list(bucket, query, context);
  if (key === "" && method === "POST" && "delete" in query) return removeMany(bucket, context);
  if (key === "") return errorAnswer(405, "MethodNotAllowed", "not for a bucket");
  if (Buffer.byteLength(key) > KEY_BYTES_MAX)
    return errorAnswer(400, "KeyTooLongError", "your key is too long");
  if ("uploads" in query || "uploadId" in query) return multipart(bucket, seen, context);
  if (method === "PUT") return put(bucket, key, context);
  if (method === "GET" || method === "HEAD") return get(bucket, key, context);
  if (method === "DELETE") return remove(bucket, key, context);
  return errorAnswer(405, "MethodNotAllowed", "not for an object");
}

const failed = (): Answer =>
  errorAnswer(412, "PreconditionFailed", "at least one of the pre-conditions you specified did not hold");

/** Whether the condition of this header names the ETag. */
function names(header: string | undefined, etag: string, { options }: Context): boolean {
  if (header === undefined) return false;
  if (header === "*") return true;
  return options.etags === "unquoted" ? header === etag : header.replaceAll('"', "") === etag;
}

function put(bucket: Bucket, key: string, context: Context): Answer {
  const { request, options } = context;
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = request.headers;
  const there = bucket.get(key);
  if (ifNoneMatch !== undefined && there !== undefined && options.breaks !== "create-only") return failed();
  if (ifMatch !== undefined && options.breaks !== "if-match") {
    if (there === undefined) return errorAnswer(404, "NoSuchKey", "the specified key does not exist");
    if (!names(ifMatch, there.etag, context)) return failed();
  }
  const { etag } = bucket.put(key, context.body, context.nowMs);
  return { status: 200, headers: { etag: `"${etag}"` } };
}

function multipart(bucket: Bucket, { method, key, query }: SeenRequest, context: Context): Answer {
  const none = (): Answer => errorAnswer(404, "NoSuchUpload", "the specified upload does not exist");
  if (method === "POST" && "uploads" in query) {
    const id = beginUpload(bucket, key);
    return xml(
      200,
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  if (method === "PUT") {
    const etag = putPart(bucket, query, context.body);
    return etag === null ? none() : { status: 200, headers: { etag: `"${etag}"` } };
  }
  if (method === "DELETE") return abortUpload(bucket, query["uploadId"] ?? "") ? { status: 204 } : none();
  const list = context.body.toString();
  const joined = completeUpload(bucket, query, { list, nowMs: context.nowMs });
  if (joined === null) return errorAnswer(400, "InvalidPart", "a part could not be found");
  return xml(
    200,
    `<CompleteMultipartUploadResult><ETag>"${joined.etag}"</ETag></CompleteMultipartUploadResult>`,
  );
}

function get(bucket: Bucket, key: string, context: Context): Answer {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = context.request.headers;
  const object = bucket.get(key);
  if (object === undefined) return errorAnswer(404, "NoSuchKey", "the specified key does not exist");
  const headers = {
    etag: `"${object.etag}"`,
    "last-modified": new Date(object.modifiedMs).toUTCString(),
    "content-type": "text/plain; charset=utf-8",
  };
  if (ifMatch !== undefined && !names(ifMatch, object.etag, context)) return failed();
  if (names(ifNoneMatch, object.etag, context)) return { status: 304, headers };
  const stale = context.options.breaks === "read-after-write" ? Buffer.from("stale") : object.body;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(context.request.headers.range ?? "") ?? [];
  if (from !== undefined) return { status: 206, headers, body: stale.subarray(Number(from), Number(to) + 1) };
  return { status: 200, headers, body: stale };
}

function remove(bucket: Bucket, key: string, context: Context): Answer {
  const ifMatch = context.request.headers["if-match"];
  const there = bucket.get(key);
  if (ifMatch !== undefined && (there === undefined || !names(ifMatch, there.etag, context))) return failed();
  bucket.remove(key);
  return { status: 204 };
}

function removeMany(bucket: Bucket, { request, body }: Context): Answer {
  const md5 = createHash("md5").update(body).digest("base64");
  if (request.headers["content-md5"] === undefined)
    return errorAnswer(400, "InvalidRequest", "missing required header for this request: Content-MD5");
  if (request.headers["content-md5"] !== md5)
    return errorAnswer(400, "BadDigest", "the Content-MD5 is wrong");
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => unescape(key));
  if (keys.length === 0 || keys.length > LIST_MAX)
    return errorAnswer(400, "MalformedXML", "no keys, or too many");
  for (const key of keys) bucket.remove(key);
  const deleted = keys.map((key) => `<Deleted><Key>${escape(key)}</Key></Deleted>`).join("");
  return xml(200, `<DeleteResult>${deleted}</DeleteResult>`);
}

function list(bucket: Bucket, query: Readonly<Record<string, string>>, { options }: Context): Answer {
  const { prefix = "", delimiter = "", "continuation-token": token, "list-type": version, marker } = query;
  // Version 1 has no type: unstorage's driver asks for it.
  if (version !== "2" && version !== undefined)
    return errorAnswer(501, "NotImplemented", "versions 1 and 2 of listings only");
  const startAfter = options.breaks === "start-after" ? "" : (query["start-after"] ?? marker ?? "");
  const asked = Number(query["max-keys"] ?? LIST_MAX);
  const limit = Math.min(asked, LIST_MAX);
  const after = token === undefined ? toBytes(startAfter) : Buffer.from(token, "base64").toString("latin1");
  const { entries, prefixes, next } = bucket.list({ prefix, delimiter, after, limit });
  const ordered =
    options.breaks === "list-order" ? entries.toSorted((a, b) => a.key.localeCompare(b.key)) : entries;
  const name = query["encoding-type"] === "url" ? encodeKey : escape;
  const contents = ordered.map(
    ({ key, object }) =>
      `<Contents><Key>${name(key)}</Key><LastModified>${new Date(object.modifiedMs).toISOString()}</LastModified>` +
      `<ETag>&quot;${object.etag}&quot;</ETag><Size>${object.body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const folders = prefixes.map(
    (folder) => `<CommonPrefixes><Prefix>${name(folder)}</Prefix></CommonPrefixes>`,
  );
  return xml(
    200,
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Prefix>${name(prefix)}</Prefix>` +
      `<KeyCount>${entries.length + prefixes.length}</KeyCount><MaxKeys>${asked}</MaxKeys>` +
      `<IsTruncated>${next !== undefined}</IsTruncated>` +
      (query["encoding-type"] === "url" ? "<EncodingType>url</EncodingType>" : "") +
      (next === undefined
        ? ""
        : `<NextContinuationToken>${Buffer.from(next, "latin1").toString("base64")}</NextContinuationToken>`) +
      `${contents.join("")}${folders.join("")}</ListBucketResult>`,
  );
}

const encodeKey = (key: string): string => key.split("/").map(encodeURIComponent).join("/");
const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[char] ?? ""};`);
const unescape = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] ?? "",
  );

function xml(status: number, body: string): Answer {
  return {
    status,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
  };
}

function errorAnswer(status: number, code: string, message: string, region = ""): Answer {
  const told = region === "" || code !== "AuthorizationHeaderMalformed" ? "" : `<Region>${region}</Region>`;
  return xml(status, `<Error><Code>${code}</Code><Message>${escape(message)}</Message>${told}</Error>`);
}

function send(response: ServerResponse, answer: Answer, method: string | undefined, nowMs: number): void {
  const { status, headers = {}, body = "" } = answer;
  const bytes = Buffer.from(body);
  const bare = method === "HEAD" || status === 304 || status === 204;
  const length = status === 304 || status === 204 ? {} : { "content-length": String(bytes.length) };
  response.writeHead(status, { ...headers, ...length, date: new Date(nowMs).toUTCString() });
  response.end(bare ? undefined : bytes);
}

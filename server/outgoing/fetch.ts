import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import { OutgoingError } from "../core/ports.ts";
import type { FetchedAnswer, OutgoingGet, Ports } from "../core/ports.ts";
import { giveWay } from "../lib/slices.ts";
import { checkUrl, createGuard } from "./guard.ts";
import type { GuardOptions } from "./guard.ts";
import { createOpen } from "./open.ts";

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 2_000_000;
const RULE = { schemes: ["http:", "https:"], ports: ["", "80", "443", "8080", "8443"] };

/**
 * The client behind `ports.fetch`: a GET under the same guard as `ports.post`. Each redirect is the caller's to follow,
 * by another call, so that every hop is checked.
 */
export function createFetch(options: GuardOptions): Ports["fetch"] {
  const guard = createGuard(options);
  const open = createOpen(guard.lookup);
  return async (request) => {
    const url = checkUrl(request.url, guard, RULE);
    const timeout = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const answer = await send(url, request, { open, signal });
      return await toFetched(answer, url, request);
    } catch (cause) {
      throw toError(cause, request, timeout.aborted);
    }
  };
}

function send(
  url: URL,
  { method = "GET", headers }: OutgoingGet,
  { open, signal }: { readonly open: ReturnType<typeof createOpen>; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = open(url, {
      method,
      signal,
      headers: { "accept-encoding": "gzip, deflate, br", "user-agent": USER_AGENT, ...headers },
    });
    outgoing.on("error", reject);
    outgoing.on("response", resolve);
    outgoing.end();
  });
}

const USER_AGENT = "storefront-platform";

async function toFetched(
  answer: IncomingMessage,
  url: URL,
  { bytesMax = BYTES_MAX, part = "" }: OutgoingGet,
): Promise<FetchedAnswer> {
  const status = answer.statusCode ?? 0;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const { text, ...read } = await readBody(answer, headers, { bytesMax, part });
  return { status, headers, ...read, location: locationOf(status, headers.location, url), text: () => text };
}

/**
 * Reads and decodes at most so many bytes: what unpacks to more than it is worth is left unread. The text is decoded piece by piece, as
 * five megabytes of some encodings take 50 ms.
 */
async function readBody(
  answer: IncomingMessage,
  headers: FetchedAnswer["headers"],
  { bytesMax, part }: { readonly bytesMax: number; readonly part: string },
): Promise<Pick<FetchedAnswer, "body" | "isCut"> & { readonly text: string }> {
  const decoder = decoderFor(headers["content-encoding"]);
  const source: Readable = decoder === null ? answer : answer.pipe(decoder);
  if (decoder !== null) {
    answer.on("error", (error) => decoder.destroy(error));
    let received = 0;
    answer.on("data", ({ length }: Uint8Array) => {
      received += length;
      // Endless empty members unpack to nothing that would be counted.
      if (received > bytesMax + BYTES_MAX)
        answer.destroy(new Error("the response unpacks to less than it has"));
    });
  }
  const charset = textDecoderFor(headers["content-type"]);
  const chunks: Buffer[] = [];
  let text = "";
  let size = 0;
  for await (const chunk of source) {
    await giveWay(part);
    const bytes = Buffer.from(chunk);
    const kept = bytes.subarray(0, bytesMax - size);
    chunks.push(kept);
    text += charset.decode(kept, { stream: true });
    size += bytes.length;
    if (size > bytesMax) break;
  }
  answer.destroy();
  text += charset.decode();
  return { body: Uint8Array.from(Buffer.concat(chunks)), isCut: size > bytesMax, text };
}

function decoderFor(encoding = ""): ReturnType<typeof createGunzip> | null {
  const name = encoding.trim().toLowerCase();
  if (name === "gzip" || name === "x-gzip") return createGunzip();
  if (name === "deflate") return createInflate();
  return name === "br" ? createBrotliDecompress() : null;
}

function locationOf(status: number, location: string | undefined, url: URL): string | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null;
  return URL.canParse(location, url.href) ? new URL(location, url).href : null;
}

function textDecoderFor(contentType = ""): TextDecoder {
  const charset = /charset="?([\w:.-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** A GET changes nothing: whatever went wrong, it may be asked again. */
function toError(cause: unknown, { url, method = "GET" }: OutgoingGet, isLate: boolean): OutgoingError {
  if (cause instanceof OutgoingError) return cause;
  const reason = isLate ? "the request timed out" : cause instanceof Error ? cause.message : String(cause);
  return new OutgoingError("unknown", `${method} ${url}: ${reason}`, { cause });
}

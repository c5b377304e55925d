import { lookup as resolveName } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";

import { OutgoingError } from "../kernel/ports.ts";
import type { OutgoingAnswer, OutgoingPost, Ports } from "../kernel/ports.ts";
import { isPublicAddress } from "./addresses.ts";

const ANSWER_BYTES_MAX = 65_536;
const PORTS = new Set(["", "443", "8443"]);

/**
 * The client behind `ports.post`. The name is resolved once, every address it has must be public, and the connection
 * goes to the address that was checked, so that a name cannot point elsewhere a moment later. `allowPrivate` lifts this,
 * and the demand for https, for development on one machine.
 */
export function createPost({ allowPrivate }: { readonly allowPrivate: boolean }): Ports["post"] {
  const lookup = createLookup(allowPrivate);
  return (request) =>
    new Promise((resolve, reject) => {
      const url = parseUrl(request.url, allowPrivate);
      const send = url.protocol === "https:" ? secureRequest : plainRequest;
      const body = Buffer.from(request.body, "utf8");
      let isSent = false;
      const timer = setTimeout(() => outgoing.destroy(new Error("no answer in time")), request.timeoutMs);
      const outgoing: ClientRequest = send(url, {
        method: "POST",
        lookup,
        headers: { ...request.headers, "content-length": String(body.length) },
        // A connection of its own: a kept one may be closed by the other side just as the request goes out.
        agent: false,
      });
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        finish();
      };
      outgoing.on("socket", (socket) => {
        // The bytes leave when the connection stands: before that, the other side cannot have seen the request.
        const event = url.protocol === "https:" ? "secureConnect" : "connect";
        socket.once(event, () => {
          isSent = true;
        });
      });
      outgoing.on("error", (cause) => settle(() => reject(toError(cause, isSent, request))));
      outgoing.on("response", (answer) => {
        readAnswer(answer).then(
          (read) => settle(() => resolve(read)),
          (cause: unknown) => settle(() => reject(toError(cause, true, request))),
        );
      });
      outgoing.end(body);
    });
}

function parseUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.protocol === "http:" && allowPrivate;
  if (url === null || !(url.protocol === "https:" || isPlain) || url.username !== "" || url.password !== "") {
    throw new OutgoingError("refused", `${text} is not an https URL.`);
  }
  if (!allowPrivate && !PORTS.has(url.port)) throw new OutgoingError("refused", "Only ports 443 and 8443.");
  // A literal address is never looked up.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivate && /^[\d.]+$|:/.test(host) && !isPublicAddress(host)) {
    throw new OutgoingError("refused", `${host} is not a public address.`);
  }
  return url;
}

const createLookup =
  (allowPrivate: boolean): LookupFunction =>
  (host, options, done) => {
    resolveName(host, { all: true, family: options.family ?? 0 }, (error, addresses) => {
      if (error !== null) return done(error, "");
      const bad = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
      if (bad !== undefined)
        return done(new Error(`${host} leads to ${bad.address}, which is not public`), "");
      const [first] = addresses;
      if (options.all === true) return done(null, addresses);
      return done(null, first?.address ?? "", first?.family);
    });
  };

async function readAnswer(answer: IncomingMessage): Promise<OutgoingAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > ANSWER_BYTES_MAX) break;
  }
  answer.destroy();
  const body = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString("utf8");
  return { status: answer.statusCode ?? 0, body };
}

/** What never left is `refused`: it may be tried again without asking first what became of it. */
function toError(cause: unknown, isSent: boolean, { url }: OutgoingPost): OutgoingError {
  if (cause instanceof OutgoingError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OutgoingError(isSent ? "unknown" : "refused", `POST ${url}: ${reason}`, { cause });
}

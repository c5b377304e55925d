import type { ClientRequest, IncomingMessage } from "node:http";

import { OutgoingError } from "../core/ports.ts";
import type { OutgoingAnswer, OutgoingPost, Ports } from "../core/ports.ts";
import { checkUrl, createGuard } from "./guard.ts";
import type { GuardOptions } from "./guard.ts";
import { createOpen } from "./open.ts";

const ANSWER_BYTES_MAX = 65_536;
const RULE = { schemes: ["https:"], ports: ["", "443", "8443"] };

/**
 * The client behind `ports.post`. The name is resolved once, every address it has must be public, and the connection
 * goes to the address that was checked, so that a name cannot point elsewhere a moment later. `allowPrivate` lifts this,
 * and the demand for https, for development on one machine; `allow` lifts it for what the operator names.
 */
export function createPost(options: GuardOptions): Ports["post"] {
  const guard = createGuard(options);
  const open = createOpen(guard.lookup);
  return (request) =>
    new Promise((resolve, reject) => {
      const url = checkUrl(request.url, guard, RULE);
      const body = Buffer.from(request.body, "utf8");
      let isSent = false;
      const timer = setTimeout(() => outgoing.destroy(new Error("the request timed out")), request.timeoutMs);
      const outgoing: ClientRequest = open(url, {
        method: "POST",
        headers: { ...request.headers, "content-length": String(body.length) },
      });
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        finish();
      };
      outgoing.on("socket", (socket) => {
        // The bytes leave when the connection is established: before that, the other side cannot have seen the request.
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
  const retryAfter = answer.headers["retry-after"];
  return { status: answer.statusCode ?? 0, body, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** What never left is `refused`: it may be tried again without asking first what became of it. */
function toError(cause: unknown, isSent: boolean, { url }: OutgoingPost): OutgoingError {
  if (cause instanceof OutgoingError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OutgoingError(isSent ? "unknown" : "refused", `POST ${url}: ${reason}`, { cause });
}

import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

import type { LoadedConfig } from "../server/config/load.ts";
import { localFolder } from "../server/serve/run-file.ts";

/** The certificate that the server of this folder shows. */
export const certificateOf = (loaded: LoadedConfig): string => {
  const { https } = loaded.config.server;
  return typeof https === "object" ? https.cert : join(localFolder(loaded), "tls", "cert.pem");
};

/**
 * A fetch for the HTTPS server of this folder, which is called by its loopback address: no public authority vouches for
 * that, so the certificate itself is compared with the one in the file, before the token is sent.
 */
export const createPinnedFetch =
  (certificateFile: string): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const request = new Request(input, init);
    const socket = await connectPinned(new URL(request.url), certificateFile, request.signal);
    const sent = httpRequest(request.url.replace(/^https:/, "http:"), {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), connection: "close" },
      createConnection: () => socket,
      signal: request.signal,
    });
    sent.end(typeof init.body === "string" ? init.body : undefined);
    const [answer]: [IncomingMessage] = await onceResponse(sent);
    const hasBody = request.method !== "HEAD" && ![204, 304].includes(answer.statusCode ?? 0);
    if (!hasBody) answer.resume();
    return new Response(hasBody ? streamOf(answer) : null, {
      status: answer.statusCode ?? 500,
      statusText: answer.statusMessage ?? "",
      headers: Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
        (values ?? []).map((value): [string, string] => [name, value]),
      ),
    });
  };

async function connectPinned(url: URL, file: string, signal: AbortSignal): Promise<TLSSocket> {
  const expected = new X509Certificate(readFileSync(file)).fingerprint256;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  // Whether an authority vouches for it does not matter: it has to be this very certificate.
  const socket = connect({ host, port: Number(url.port), rejectUnauthorized: false });
  await once(socket, "secureConnect", { signal });
  if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return socket;
  socket.destroy();
  throw new Error(`The server shows another certificate than ${file}.`);
}

async function onceResponse(sent: ReturnType<typeof httpRequest>): Promise<[IncomingMessage]> {
  const [answer] = await once(sent, "response");
  return [answer];
}

function streamOf(answer: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = Readable.from(answer)[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      answer.destroy();
    },
  });
}

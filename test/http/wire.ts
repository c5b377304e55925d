import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

import { createNodeHandler } from "../../server/serve/adapter.ts";
import { watchTraffic } from "../../server/serve/traffic.ts";
import type { SeenAnswer } from "../contract/validator.ts";
import { checkAnswer } from "../harness.ts";
import type { Harness } from "../harness.ts";

export interface WireRequest {
  readonly method?: string;
  /** Sent as it stands: no client tidies the path. */
  readonly path: string;
  /** A list sends the header as often. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export interface Wire {
  send(request: WireRequest): Promise<SeenAnswer>;
  close(): Promise<void>;
}

/** The harness's app behind a real socket, and a client that sends what a well-behaved one would not. */
export async function openWire(harness: Harness): Promise<Wire> {
  const server = createServer();
  const { newId, clock, log, config } = harness.services;
  const below = { newId, clock, log, baseUrl: config.baseUrl, isFlood: () => false };
  server.on("request", createNodeHandler(harness.app, below, watchTraffic(server)));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  function send({ method = "GET", path, headers = {}, body }: WireRequest): Promise<SeenAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          method,
          path,
          headers: { ...length, ...(headers as Record<string, string | string[]>) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const seen = new Headers();
            for (let index = 0; index < response.rawHeaders.length; index += 2) {
              seen.append(response.rawHeaders[index] ?? "", response.rawHeaders[index + 1] ?? "");
            }
            resolve({
              status: response.statusCode ?? 0,
              headers: seen,
              text: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      // The server may close after its answer while the rest of a refused body is still on its way.
      sent.on("error", reject);
      sent.end(body);
    });
  }

  return {
    async send(given) {
      const answer = await send(given);
      checkAnswer(given.method ?? "GET", given.path, answer);
      return answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

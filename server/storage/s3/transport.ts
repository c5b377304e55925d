import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
}

export interface WireAnswer {
  readonly status: number;
  readonly etag: string;
  readonly date: string;
  readonly body: string;
}

/** How requests travel; tests put faults in between. Rejects when no whole answer came in time. */
export interface Transport {
  exchange(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

/**
 * Kept connections of Node's own client. Unlike `fetch` it never follows a redirect, which would carry the signature to
 * another host, and never repeats a request by itself.
 */
export function createTransport(connections: number): Transport {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return {
    exchange: ({ method, url, headers, body, timeoutMs }) =>
      new Promise((resolve, reject) => {
        const secure = url.protocol === "https:";
        const request = (secure ? requestHttps : requestHttp)(
          url,
          { method, headers, agent: secure ? agents.https : agents.http },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("error", reject);
            response.on("end", () => {
              clearTimeout(timer);
              resolve({
                status: response.statusCode ?? 0,
                etag: response.headers.etag ?? "",
                date: response.headers.date ?? "",
                body: Buffer.concat(chunks).toString(),
              });
            });
          },
        );
        const timer = setTimeout(() => request.destroy(new Error("no answer in time")), timeoutMs);
        request.on("error", (error) => {
          clearTimeout(timer);
          reject(error);
        });
        request.end(body);
      }),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

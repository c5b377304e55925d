import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with the next requests. */
export interface Behaviour {
  /** Text of the answer, in the pieces in which it is streamed. */
  parts?: readonly string[];
  /** Null leaves usage out. */
  usage?: object | null;
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Why it stopped writing. */
  finish?: string;
  /** Sent instead of an answer, as it is. */
  raw?: string;
  /** Never answers. */
  hangs?: boolean;
  /** Breaks the connection after so many parts of a stream. */
  cutAfter?: number;
  /** Ends the stream after so many parts without saying why. */
  endAfter?: number;
  /** Waits for this before each part but the first. */
  pause?: Promise<void>;
}

export interface OpenAiServer {
  readonly url: string;
  readonly requests: { path: string; auth: string | undefined; body: Record<string, unknown> }[];
  behave(next: Behaviour): void;
  close(): Promise<void>;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** A server on the loopback address that speaks the chat completions of OpenAI, streamed and whole. */
export async function startOpenAi(): Promise<OpenAiServer> {
  let behaviour: Behaviour = {};
  const requests: OpenAiServer["requests"] = [];
  const server: Server = createServer((req, res) => {
    void readBody(req).then((body) => {
      requests.push({ path: req.url ?? "", auth: req.headers.authorization, body });
      return answer(body, res, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave(next) {
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function answer(body: Record<string, unknown>, res: ServerResponse, does: Behaviour): Promise<void> {
  const {
    parts = ["Our bread ", "is good."],
    usage = USAGE,
    status = 200,
    headers = {},
    finish = "stop",
  } = does;
  if (does.hangs) return;
  if (status !== 200) {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(JSON.stringify({ error: { message: `status ${status}` } }));
    return;
  }
  if (does.raw !== undefined) {
    res.writeHead(200, {
      "content-type": body.stream === true ? "text/event-stream" : "application/json",
      ...headers,
    });
    res.end(does.raw);
    return;
  }
  const base = { id: "chatcmpl-1", created: 1, model: body.model };
  if (body.stream !== true) {
    const message = { role: "assistant", content: parts.join("") };
    const whole = {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
    };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify(usage === null ? whole : { ...whole, usage }));
    return;
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice: object): Promise<void> => {
    const chunk = { ...base, object: "chat.completion.chunk", choices: [choice] };
    // What is not written out when the connection breaks would not arrive at all.
    return new Promise((resolve) => res.write(`data: ${JSON.stringify(chunk)}\n\n`, () => resolve()));
  };
  for (const [at, content] of parts.entries()) {
    if (does.cutAfter === at) return void res.destroy();
    if (does.endAfter === at) return void res.end();
    if (at > 0) await does.pause;
    await send({ index: 0, delta: { role: "assistant", content }, finish_reason: null });
  }
  await send({ index: 0, delta: {}, finish_reason: finish });
  if (usage !== null) {
    res.write(
      `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [], usage })}\n\n`,
    );
  }
  res.end("data: [DONE]\n\n");
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Webhook } from "standardwebhooks";

import { ConfigSchema } from "../../../server/config/schema.ts";
import { storePartition } from "../../../server/core/partitions.ts";
import { createPost } from "../../../server/outgoing/post.ts";
import { createHarness } from "../../harness.ts";
import type { Harness, TestKey } from "../../harness.ts";

export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  /** What it answers next; the default is 204. */
  answer: (
    received: Received,
  ) =>
    | { status: number; headers?: Record<string, string> }
    | Promise<{ status: number; headers?: Record<string, string> }>;
  close(): Promise<void>;
}

/** A real receiver on loopback. */
export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (text: string) => (body += text));
    req.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
      );
      const received = { id: headers["webhook-id"] ?? "", headers, body };
      got.push(received);
      void Promise.resolve(receiver.answer(received)).then(({ status, headers: more }) =>
        res.writeHead(status, more).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    got,
    answer: () => ({ status: 204 }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

/** A service that may reach loopback because its operator says so, with the real client for posts. */
export const createRig = (options: Parameters<typeof createHarness>[0] = {}): Promise<Harness> =>
  createHarness({
    ...options,
    config: { ...options.config, outgoing: { ...ConfigSchema.parse({}).outgoing, allow: ["127.0.0.1"] } },
    post: createPost({ allowPrivate: false, allow: ["127.0.0.1"] }),
  });

export interface Subscribed {
  readonly id: string;
  readonly secret: string;
  readonly part: string;
}

export async function subscribe(
  harness: Harness,
  key: TestKey,
  body: { readonly url: string; readonly types?: readonly string[] },
): Promise<Subscribed> {
  const made = await harness.call("POST", "/v1/account/webhooks", { key, body });
  if (made.status !== 201) throw new Error(`${made.status}: ${made.text}`);
  const { id, secret } = made.json.data;
  return { id, secret, part: storePartition(key.storeId, "live") };
}

/** Lets something happen in a store. */
export const emit = (
  harness: Harness,
  part: string,
  type = "webhook.test",
  data: Record<string, unknown> = {},
): Promise<string> =>
  harness.services.runTx(part, async (tx) => {
    const id = harness.services.newId("evt");
    tx.emit({ id, type, at: new Date(harness.clock.now()).toISOString(), data });
    return id;
  });

export const sendDue = async (harness: Harness) =>
  (await harness.services.jobs.run("webhooks.deliver")).counts;

/** What the receiver's own library makes of a delivery: the payload, or a thrown refusal. */
export function verify(secret: string, { headers, body }: Received): unknown {
  return new Webhook(secret).verify(body, { ...headers });
}

export async function deliveriesOf(harness: Harness, key: TestKey, id: string) {
  const answer = await harness.call("GET", `/v1/account/webhooks/${id}/deliveries`, { key });
  return answer.json.data;
}

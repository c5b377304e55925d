import { z } from "zod";

import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { NewId } from "../../core/ids.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import { liveNodes, nodeName } from "../../storage/nodes.ts";

const Node = z.object({ id: z.string().max(64), name: z.string().max(300) });
/** A process that serves the store, and how people call it. */
export type NodeName = z.output<typeof Node>;

const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ask"), from: Node, id: z.string(), what: z.string(), data: z.unknown() }),
  z.object({ type: z.literal("answer"), from: Node, id: z.string(), data: z.unknown() }),
  z.object({ type: z.literal("events"), from: Node, topic: z.string(), data: z.unknown() }),
  z.object({ type: z.literal("bye"), from: Node }),
]);
type Message = z.output<typeof Message>;
type Body =
  | { readonly type: "ask"; readonly id: string; readonly what: string; readonly data: object }
  | { readonly type: "answer"; readonly id: string; readonly data: object }
  | { readonly type: "events"; readonly topic: string; readonly data: object }
  | { readonly type: "bye" };

/** Something that nodes ask each other. */
export interface Question<Q extends object, A extends object> {
  readonly what: string;
  readonly asked: z.ZodType<Q>;
  readonly answered: z.ZodType<A>;
}

export interface Answers<A> {
  readonly answers: readonly { readonly node: NodeName; readonly answer: A }[];
  /** Names of nodes that serve the store and did not answer in time. */
  readonly silent: readonly string[];
}

/** The other processes that serve this store. None, and nothing is sent, where the store is served by one process. */
export interface Peers {
  readonly self: NodeName;
  readonly isAlone: boolean;
  /** Begins to listen; a failure is logged, and each question tries again. */
  start(): Promise<void>;
  /** Asks all others. Waits until each has answered, at most `PATIENCE_MS`. */
  ask<Q extends object, A extends object>(question: Question<Q, A>, data: Q): Promise<Answers<A>>;
  answer<Q extends object, A extends object>(
    question: Question<Q, A>,
    answer: (data: Q, from: NodeName) => A,
  ): void;
  /** Sends events of a topic to one node. */
  send(to: string, topic: string, data: object): void;
  onEvents(topic: string, hear: (from: NodeName, data: unknown) => void): void;
  onBye(hear: (from: NodeName) => void): void;
  close(): Promise<void>;
}

const PATIENCE_MS = 1_000;

export interface PeersDeps {
  readonly store: Pick<StoreDriver, "relay" | "page" | "identity">;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly self: NodeName;
}

export function createPeers({ store, clock, log, newId, self }: PeersDeps): Peers {
  const { relay } = store;
  const answerers = new Map<string, (data: unknown, from: NodeName) => object | null>();
  const hearers = new Map<string, (from: NodeName, data: unknown) => void>();
  const leavers: ((from: NodeName) => void)[] = [];
  const waiting = new Map<string, (from: NodeName, data: unknown) => void>();
  let listening: Promise<{ readonly root: string; readonly end: () => void }> | null = null;

  const onMessage = (text: string): void => {
    const message = readMessage(text);
    if (message === null || message.from.id === self.id) return;
    const { from } = message;
    if (message.type === "answer") waiting.get(message.id)?.(from, message.data);
    else if (message.type === "events") hearers.get(message.topic)?.(from, message.data);
    else if (message.type === "bye") for (const leave of leavers) leave(from);
    else {
      const data = answerers.get(message.what)?.(message.data, from) ?? null;
      if (data !== null) publish(from.id, { type: "answer", id: message.id, data });
    }
  };

  /** Channels carry the id of the store: databases of one Redis share channels, and several buckets may share a Redis. */
  async function listen() {
    const { id } = await store.identity();
    const root = id ?? "none";
    const end = (await relay?.subscribe([root, `${root}:${self.id}`], onMessage)) ?? (() => undefined);
    return { root, end };
  }
  const whenListening = () =>
    (listening ??= listen().catch((error: unknown) => {
      listening = null;
      throw error;
    }));

  /** To one node, or to all of them. */
  function publish(to: string | null, body: Body): void {
    if (relay === undefined) return;
    const text = JSON.stringify({ ...body, from: self });
    whenListening()
      .then(({ root }) => relay.publish(to === null ? root : `${root}:${to}`, text))
      .catch((err: unknown) => log.warn({ err }, "failed to send to the other nodes"));
  }

  return {
    self,
    isAlone: relay === undefined,
    async start() {
      if (relay === undefined) return;
      await whenListening().catch((err: unknown) =>
        log.warn({ err }, "failed to listen to the other nodes: tails cover this process only"),
      );
    },
    async ask<Q extends object, A extends object>(question: Question<Q, A>, data: Q) {
      if (relay === undefined) return { answers: [], silent: [] };
      const nodes = (await liveNodes(store, clock.now())).filter(({ id }) => id !== self.id);
      const answers = new Map<string, { readonly node: NodeName; readonly answer: A }>();
      const id = newId("ask");
      await withPatience((resolve) => {
        const isWhole = (): boolean => nodes.every((node) => answers.has(node.id));
        waiting.set(id, (node, answer) => {
          const parsed = question.answered.safeParse(answer);
          if (parsed.success) answers.set(node.id, { node, answer: parsed.data });
          if (isWhole()) resolve();
        });
        publish(null, { type: "ask", id, what: question.what, data });
        if (nodes.length === 0) resolve();
      });
      waiting.delete(id);
      const silent = nodes.filter((node) => !answers.has(node.id)).map(nodeName);
      return { answers: [...answers.values()], silent };
    },
    answer(question, answer) {
      answerers.set(question.what, (data, from) => {
        const parsed = question.asked.safeParse(data);
        return parsed.success ? answer(parsed.data, from) : null;
      });
    },
    send: (to, topic, data) => publish(to, { type: "events", topic, data }),
    onEvents: (topic, hear) => void hearers.set(topic, hear),
    onBye: (leave) => void leavers.push(leave),
    async close() {
      const channel = await listening?.catch(() => null);
      if (relay === undefined || channel === undefined || channel === null) return;
      await relay.publish(channel.root, JSON.stringify({ type: "bye", from: self })).catch(() => undefined);
      channel.end();
    },
  };
}

/** Null for what another version may say and this one does not know. */
function readMessage(text: string): Message | null {
  try {
    return Message.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function withPatience(begin: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    begin(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

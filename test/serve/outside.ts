import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";

// What tests of other processes need too, without the service: loading it takes longer than some of them.

/** Everything opened by a test, closed after it in the reverse order. */
export function createCleanup() {
  const steps: (() => unknown)[] = [];
  return {
    add: (step: () => unknown): void => void steps.push(step),
    async run(): Promise<void> {
      for (const step of steps.splice(0).toReversed()) await step();
    },
  };
}
export type Cleanup = ReturnType<typeof createCleanup>;

export async function makeFolder(cleanup: Cleanup): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "platform-serve-"));
  cleanup.add(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface Wire {
  readonly socket: Socket;
  send(text: string): void;
  /** All that arrived until the peer ended or reset the connection. */
  readonly closed: Promise<string>;
  /** Resolves when what arrived matches. */
  until(pattern: RegExp): Promise<string>;
}

/** A raw connection, for bytes that no HTTP client would send. */
export async function openWire(cleanup: Cleanup, url: string): Promise<Wire> {
  const { hostname: host, port, protocol } = new URL(url);
  const isTls = protocol === "https:";
  const socket = isTls
    ? connectTls({ host, port: Number(port), rejectUnauthorized: false })
    : connect({ host, port: Number(port) });
  cleanup.add(() => socket.destroy());
  let received = "";
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((check) => check());
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    look();
  });
  // A reset is one way of closing a connection; what arrived before counts.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await new Promise<void>((resolve, reject) => {
    socket.once(isTls ? "secureConnect" : "connect", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    closed,
    send: (text) => void socket.write(text),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!pattern.test(received)) return;
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        void closed.then(() => reject(new Error(`closed before ${pattern}: ${JSON.stringify(received)}`)));
        check();
      }),
  };
}

/** Status, headers and body of one answer as it came over a raw connection. */
export function parseAnswer(text: string) {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Map(
    lines.map((line): [string, string] => {
      const mark = line.indexOf(":");
      return [line.slice(0, mark).toLowerCase(), line.slice(mark + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  return { status: Number(first.split(" ")[1]), headers, body };
}

/** Resolves once something is true; the test's own time-out is the only limit. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import { areTooShort } from "../http/messages.ts";
import { LINGER_MS } from "./below.ts";
import { defer } from "./defer.ts";

/** What runs on a server right now: connections, and requests whose answer is not complete. */
export interface Traffic {
  /** Every answer from now on asks the client to close the connection. */
  isDraining(): boolean;
  /**
   * Notes a request until its answer is sent or its client has disconnected. False, and the connection is closed, where too many earlier
   * requests of it wait for their answers: then nothing is to be done.
   */
  enter(req: IncomingMessage, res: ServerResponse): boolean;
  /** Notes that the application works on a request: it may go on after the client has disconnected. */
  begin(): void;
  /** The application is done with a request that it began. */
  end(): void;
  /** The answer that a connection waits for. */
  answerOn(socket: Duplex): ServerResponse | undefined;
  /** Requests that are being answered. */
  active(): number;
  /**
   * Stops accepting connections, waits for running requests, including those whose client has disconnected, and closes connections
   * that stay idle, after `idleMs` at the earliest; at the deadline also cuts running requests. Resolves to the number of requests
   * that were cut.
   */
  drain(deadlineMs: number, idleMs?: number): Promise<number>;
  /** Cuts every connection now. */
  cut(): void;
}

/**
 * One record per connection, changed in place. A map that requests enter and leave would be rebuilt every few of them,
 * and each table left behind keeps the requests that were in it alive until the next full collection.
 */
interface Connection {
  answer: ServerResponse | undefined;
  /** Requests whose answers are not complete. */
  waiting: number;
  isEnding: boolean;
  /** Short chunks of bodies beyond the first ones of each. */
  chunks: number;
}

/**
 * Requests that a client may send on one connection ahead of the answers. Few clients do so at all, and Node hands over everything that
 * it has read in one turn of the event loop: 64 KB are 1,400 requests.
 */
const AHEAD_MAX = 8;

/** How long nothing must happen before the rest counts as idle: a request may still be on its way to us. */
const QUIET_MS = 100;
const LOOK_EVERY_MS = 20;
/**
 * A kept-alive client that sends at the moment in which its idle connection is closed loses the request. For this long idle
 * connections stay open, so that a busy client gets its next answer with `Connection: close` and knows.
 */
const IDLE_GRACE_MS = 250;

/**
 * Counts by itself because neither listhen's `close` nor Node's closes what it should: the first cuts running requests
 * under TLS, the second waits for connections that never sent a request. Same rules for HTTP and HTTPS.
 */
export function watchTraffic(server: Server): Traffic {
  const sockets = new Set<Socket>();
  const connections = new Map<Duplex, Connection>();
  let running = 0;
  let working = 0;
  let draining = false;
  let lastSeen = performance.now();

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  function leave(this: ServerResponse): void {
    const connection = connections.get(this.req.socket);
    if (connection !== undefined) connection.waiting -= 1;
    if (connection?.answer === this) {
      connection.answer = undefined;
      running -= 1;
    }
    if (draining) lastSeen = performance.now();
  }
  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const made: Connection = { answer: undefined, waiting: 0, isEnding: false, chunks: 0 };
    connections.set(socket, made);
    socket.once("close", () => {
      connections.delete(socket);
      if (made.answer !== undefined) running -= 1;
      made.answer = undefined;
    });
    return made;
  }
  const cut = (): void => {
    server.closeAllConnections();
    // Connections in the middle of a TLS handshake are not yet known to the HTTP server.
    for (const socket of sockets) socket.destroy();
  };

  return {
    isDraining: () => draining,
    active: () => running,
    answerOn: (socket) => connections.get(socket)?.answer,
    enter(req, res) {
      if (req.socket.destroyed) return false;
      const connection = connectionOf(req.socket);
      if (connection.isEnding) return false;
      if (connection.waiting === AHEAD_MAX) {
        connection.isEnding = true;
        end(req.socket);
        return false;
      }
      connection.waiting += 1;
      if (connection.answer === undefined) running += 1;
      connection.answer = res;
      res.on("close", leave);
      if (req.headers["transfer-encoding"] !== undefined) limitChunks(res, connection);
      return true;
    },
    begin() {
      working += 1;
    },
    end() {
      working -= 1;
    },
    async drain(deadlineMs, idleMs = 0) {
      const closed = defer();
      // Before any answer asks its client to close the connection: it would open another one.
      await stopAccepting(server, closed.resolve);
      draining = true;
      const startedAt = performance.now();
      lastSeen = startedAt;
      const elapsed = (): number => performance.now() - startedAt;
      const idleGraceMs = Math.max(IDLE_GRACE_MS, idleMs);
      const isQuiet = (): boolean =>
        running === 0 && elapsed() >= idleGraceMs && performance.now() - lastSeen >= QUIET_MS;
      const isBusy = (): boolean => working > 0 || (sockets.size > 0 && !isQuiet());
      while (isBusy() && elapsed() < deadlineMs) {
        if (elapsed() >= idleGraceMs) server.closeIdleConnections();
        await pause(LOOK_EVERY_MS);
      }
      const unfinished = running;
      cut();
      await closed.promise;
      // Ends Node's checks of time-outs; nothing is left to close.
      server.close();
      return unfinished;
    },
    cut,
  };
}

/** What `onIncoming` of Node's parser returns for a request after which no other follows, such as an upgrade. */
const NO_MORE = 2;

/**
 * Reads no more from a connection, and closes it after a while: whom it does not stop opens the next one at once. Node's parser drops
 * what it has read: it would make a request of each, and an error of each when the socket is closed. `parser` is not documented; where it
 * is missing, only this saving is.
 */
function end(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  if (socket.parser?.onIncoming !== undefined) socket.parser.onIncoming = () => NO_MORE;
  socket.pause();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Chunks of a body that are not counted: those of many bodies that are sent one after the other take no longer than their requests. */
const FEW_CHUNKS = 100;

/**
 * Reads no further where a body consists of too many short chunks, or those that are sent ahead on its connection do together, which ends
 * with the answer to the first of them. Node makes an event of each that it has read, also for a request that was refused: 64 KB of
 * chunks of a byte take 30 ms.
 */
function limitChunks(res: ServerResponse, connection: Connection): void {
  const { req } = res;
  const push = req.push.bind(req);
  let [count, size] = [0, 0];
  let isOver = false;
  req.push = (chunk: Uint8Array | null, encoding) => {
    // What is read of it is never complete.
    if (isOver) return false;
    count += 1;
    size += chunk?.length ?? 0;
    if (count > FEW_CHUNKS && size < count * 16) {
      connection.chunks += 1;
      res.shouldKeepAlive = false;
    }
    isOver = areTooShort(count, size) || connection.chunks > 1_000;
    if (isOver) dropBody(req.socket);
    return push(chunk, encoding);
  };
}

type Parser = Record<number, unknown> & { readonly constructor: { readonly kOnBody?: number } };

/** Has Node's parser make no more events of this body. As in `end`, nothing of it is documented. */
function dropBody(socket: Socket & { readonly parser?: object | null }): void {
  const parser = socket.parser as Parser | null | undefined;
  const kOnBody = parser?.constructor.kOnBody;
  if (parser != null && kOnBody !== undefined) {
    const onBody = parser[kOnBody];
    parser[kOnBody] = null;
    // Node uses parsers again, from its own listener on.
    socket.prependOnceListener("close", () => (parser[kOnBody] = onBody));
  }
  end(socket);
}

const QUIET_TURN_MS = 0.1;
/** How long a quiet turn is waited for: a busy machine may grant none for a while. */
const QUIET_WAIT_MS = 2_000;

/**
 * Closes the listening socket alone: `close` of an HTTP server closes idle connections at once. The system resets connections
 * that it has accepted and the process has not: closes right after a turn of the event loop that accepted what was there and
 * did nothing else. Resolves when it is closed; `onClosed` is called when every connection is.
 */
function stopAccepting(server: Server, onClosed: () => void): Promise<void> {
  return new Promise((resolve) => {
    const lastAt = performance.now() + QUIET_WAIT_MS;
    const turn = (startedAt: number): void => {
      const now = performance.now();
      if (now - startedAt > QUIET_TURN_MS && now < lastAt) {
        setImmediate(turn, now);
        return;
      }
      NetServer.prototype.close.call(server, onClosed);
      resolve();
    };
    setImmediate(turn, 0);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

import type { Server } from "node:http";
import type { Socket } from "node:net";

import type { Clock } from "../core/clock.ts";
import { createWindows } from "../http/windows.ts";
import { answerBelow, toRefusal, writeRaw } from "./below.ts";
import type { BelowDeps } from "./below.ts";
import type { Traffic } from "./traffic.ts";

/** What never becomes a request is answered, and logged, so often for a network in a minute; beyond that its connections are closed. */
const BROKEN_LIMITS = { max: 300, windowMs: 60_000, keysMax: 10_000 };

/** Makes `isFlood` of `BelowDeps`. */
export function createFloodCheck(
  networkOf: (socket: Socket) => string | null,
  clock: Clock,
): BelowDeps["isFlood"] {
  const windows = createWindows(BROKEN_LIMITS);
  return (socket) => {
    const network = networkOf(socket);
    return network !== null && windows.take(network, clock.now()) !== null;
  };
}

interface Below {
  readonly server: Server;
  readonly traffic: Pick<Traffic, "answerOn">;
}

/** Answers what never becomes a request as every other error is answered, instead of Node's bare status line. */
export function answerBrokenRequests({ server, traffic }: Below, deps: BelowDeps): void {
  server.on("clientError", (error, socket: Socket) => {
    const isFlood = deps.isFlood(socket);
    const refusal = toRefusal(error);
    const pending = traffic.answerOn(socket);
    if (refusal === null || isFlood || pending?.headersSent === true) {
      socket.destroy();
      return;
    }
    const answer = (): void => writeRaw(socket, answerBelow(deps, refusal), deps.clock);
    // Garbage behind a whole request: that request is answered first.
    if (pending?.req.complete === true) pending.once("close", answer);
    else answer();
  });
  server.on("connect", ({ socket }) => {
    if (deps.isFlood(socket)) {
      socket.destroy();
      return;
    }
    writeRaw(
      socket,
      answerBelow(deps, ["bad_request", "CONNECT is not supported. This server is not a proxy."]),
      deps.clock,
    );
  });
  // Out of file descriptors: the connection is lost, those that are open go on.
  server.on("error", (err) => deps.log.error({ err }, "failed to accept a connection"));
  // An unknown expectation is ignored, as RFC 9110 §10.1.1 allows.
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
}

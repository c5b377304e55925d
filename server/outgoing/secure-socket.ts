import { connect as connectPlain, isIP } from "node:net";
import type { LookupFunction, Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

import { createClientContext } from "./client-context.ts";

/** Bytes that are decrypted in one turn: 500 records that only change the key, which take 10 ms. */
const TURN_BYTES = 16_384;
/** Bytes of a handshake: some have 15 KB of certificates. OpenSSL takes 100 KB, of which it verified 22 signatures of 16,384 bits: 110 ms. */
const HANDSHAKE_MAX = 32_768;
/** Bytes that come after the handshake and are neither headers nor a body, next to an eighth of those that are: small records add 6 %. */
const OVERHEAD_MAX = 200_000;

/**
 * What opens TLS connections to servers that customers choose, for `createConnection`. Node decrypts all that a socket has received in one
 * turn, two megabytes, and OpenSSL takes as many changes of the key as a server sends: 60,000 of them kept the event loop for 1.5 s.
 */
export function createSecureConnect(lookup: LookupFunction): (target: Target) => TLSSocket {
  const secureContext = createClientContext();
  return ({ host: name, port }) => {
    const host = name ?? "";
    let [received, read, limit] = [0, 0, HANDSHAKE_MAX];
    const socket = connectPlain({
      host,
      port: Number(port),
      lookup,
      onread: {
        buffer: Buffer.alloc(TURN_BYTES),
        callback(size, buffer) {
          received += size;
          if (received - read > limit + read / 8) {
            secure.destroy(new Error("the server sends too much that is no response"));
          } else paced.push(Buffer.from(buffer.subarray(0, size)));
          return false;
        },
      },
    });
    const paced = paceOf(socket);
    const servername = isIP(host) === 0 ? host : "";
    const secure = connect({ socket: paced, host, servername, secureContext });
    secure.once("secureConnect", () => {
      limit = OVERHEAD_MAX;
    });
    secure.on("data", ({ length }: Uint8Array) => {
      read += length;
    });
    socket.on("error", (error) => secure.destroy(error));
    return secure;
  };
}

interface Target {
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
}

/** What a socket receives, each read in a turn of its own. */
function paceOf(socket: Socket): Duplex {
  const paced = new Duplex({
    read: () => void setImmediate(() => socket.resume()),
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("end", () => paced.push(null));
  socket.on("close", () => paced.destroy());
  return paced;
}

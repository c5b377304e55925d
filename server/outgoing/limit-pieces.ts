import type { ClientRequest, IncomingMessage } from "node:http";

/** Interim responses (1xx) before a response: servers send one or two. */
const INTERIM_MAX = 10;
/** Session tickets of TLS, each of which takes 50 µs: servers send two or four. */
const TICKETS_MAX = 20;
/** Chunks of a body that are on average shorter than `CHUNK_BYTES_MIN`: 64 KB of chunks of a byte take 30 ms in one turn. */
const CHUNKS_MAX = 1_000;
const CHUNK_BYTES_MIN = 16;
/** What `onIncoming` of Node's parser returns for a message after which no other follows: see `serve/traffic.ts`. */
const NO_MORE = 2;

/**
 * Has a request fail whose response takes the event loop, by interim responses, session tickets or chunks without end, and one whose
 * server switches to another protocol: for that, Node closes the connection and emits neither a response nor an error, not even after a
 * time-out.
 */
export function limitPieces(outgoing: ClientRequest & { parser?: { onIncoming?: unknown } | null }): void {
  let interim = 0;
  outgoing.on("information", () => {
    interim += 1;
    if (interim <= INTERIM_MAX) return;
    if (outgoing.parser?.onIncoming !== undefined) outgoing.parser.onIncoming = () => NO_MORE;
    outgoing.destroy(new Error("too many interim responses"));
  });
  outgoing.on("upgrade", (_, socket) => {
    socket.destroy();
    outgoing.emit("error", new Error("the server switched to another protocol"));
  });
  outgoing.on("socket", (socket) => {
    let tickets = 0;
    socket.on("session", () => {
      tickets += 1;
      if (tickets > TICKETS_MAX) outgoing.destroy(new Error("too many session tickets"));
    });
  });
  outgoing.on("response", limitChunks);
}

function limitChunks(answer: IncomingMessage): void {
  const push = answer.push.bind(answer);
  let [count, size] = [0, 0];
  answer.push = (chunk: Uint8Array | null, encoding) => {
    count += 1;
    size += chunk?.length ?? 0;
    if (count <= CHUNKS_MAX || size >= count * CHUNK_BYTES_MIN) return push(chunk, encoding);
    // Chunks that were read with it come all the same.
    if (!answer.destroyed) answer.destroy(new Error("the response consists of too many short chunks"));
    return true;
  };
}

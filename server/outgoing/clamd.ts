import { connect } from "node:net";

import type { Ports } from "../core/ports.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_CHARS_MAX = 4_096;
/** Bytes of one chunk of the stream: clamd takes more, and refuses what exceeds its own StreamMaxLength. */
const CHUNK_BYTES = 65_536;

/**
 * Has files scanned by clamd over TCP (`zINSTREAM`, clamd(8)). `address` is `host:port` of the operator's own network.
 * What goes wrong on the way is no judgement: the file waits as `pending` and is asked about again.
 */
export function createClamdScan(address: string, timeoutMs = TIMEOUT_MS): NonNullable<Ports["scan"]> {
  const at = address.lastIndexOf(":");
  const target = { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
  return async (bytes) => judge(await ask(target, bytes, timeoutMs));
}

function judge(answer: string): "clean" | "infected" | "pending" {
  if (/^stream: OK\0?$/.test(answer)) return "clean";
  return / FOUND\0?$/.test(answer) ? "infected" : "pending";
}

/** What clamd says; empty when it does not answer. */
function ask(
  target: { readonly host: string; readonly port: number },
  bytes: Uint8Array,
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(target);
    let answer = "";
    const end = (): void => {
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      answer = "";
      end();
    }, timeoutMs);
    socket.setEncoding("utf8");
    socket.on("connect", () => send(socket, bytes));
    socket.on("data", (text: string) => {
      answer += text;
      if (answer.includes("\0") || answer.length > ANSWER_CHARS_MAX) end();
    });
    socket.on("error", end);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

/** The length of each piece goes before it, and a length of nothing ends the file. */
function send(socket: { write(data: Uint8Array | string): boolean }, bytes: Uint8Array): void {
  socket.write("zINSTREAM\0");
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, at + CHUNK_BYTES);
    socket.write(lengthOf(piece.length));
    socket.write(piece);
  }
  socket.write(lengthOf(0));
}

function lengthOf(count: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(count);
  return length;
}

import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

import PostalMime from "postal-mime";
import type { Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly raw: string;
}

export interface Peer {
  readonly port: number;
  /** Mails the server said 250 to. */
  readonly accepted: Received[];
  /** Mails that were handed over whole, whatever the answer was. */
  readonly handedOver: Received[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** What to answer to the n-th mail handed over (from 0): nothing to accept it, or an SMTP refusal. */
export type Answer = (index: number, mail: Received) => Promise<SmtpRefusal | null> | SmtpRefusal | null;

export interface SmtpRefusal {
  readonly code: number;
  readonly text: string;
}

export function toError({ code, text }: SmtpRefusal): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

interface PeerOptions {
  readonly port?: number;
  readonly answer?: Answer;
  readonly server?: Partial<SMTPServerOptions>;
}

/** A real SMTP server on loopback. */
export async function startPeer({
  port = 0,
  answer = () => null,
  server: options = {},
}: PeerOptions = {}): Promise<Peer> {
  const accepted: Received[] = [];
  const handedOver: Received[] = [];
  let connections = 0;
  const reply = async (mail: Received, callback: (error?: Error | null) => void): Promise<void> => {
    const refusal = await answer(handedOver.length - 1, mail);
    if (refusal === null) accepted.push(mail);
    callback(refusal === null ? null : toError(refusal));
  };
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail: Received = {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          raw: Buffer.concat(chunks).toString("utf8"),
        };
        handedOver.push(mail);
        void reply(mail, callback);
      });
    },
    ...options,
  });
  // A client that breaks off, or refuses our certificate, is part of what is tested.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: portOf(server.server),
    accepted,
    handedOver,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** A server that plays a script over the bare socket, for what a well-behaved server would never do. */
export async function startScript(
  play: (socket: Socket) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    play(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: portOf(server),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Answers every command with success up to the end of the mail, then does `atEnd`. */
export function acceptUntilEnd(atEnd: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let inData = false;
    let pending = "";
    socket.write("220 script ESMTP\r\n");
    socket.on("data", (chunk) => {
      pending += chunk.toString("latin1");
      for (let end = pending.indexOf("\r\n"); end !== -1; end = pending.indexOf("\r\n")) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (inData) {
          if (line === ".") atEnd(socket);
          continue;
        }
        inData = line === "DATA";
        socket.write(inData ? "354 go on\r\n" : "250 ok\r\n");
      }
    });
  };
}

export const parseMail = (mail: Received | undefined): Promise<Email> => PostalMime.parse(mail?.raw ?? "");

export function headerOf(email: Email, key: string): string | undefined {
  return email.headers.find((header) => header.key === key)?.value;
}

/** A port on which nobody listens. */
export async function findClosedPort(): Promise<number> {
  const script = await startScript((socket) => socket.destroy());
  await script.close();
  return script.port;
}

function portOf(server: Server): number {
  // A listening TCP server has an address object; the string form belongs to pipes.
  return (server.address() as AddressInfo).port;
}

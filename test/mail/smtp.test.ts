import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";

import { MailError } from "../../server/mail/transport.ts";
import type { MailTransport, OutgoingMail } from "../../server/mail/transport.ts";
import { createConsoleTransport } from "../../server/mail/transports/console.ts";
import { createDevTransport } from "../../server/mail/transports/dev.ts";
import { openTransport } from "../../server/mail/transports/open.ts";
import { createSmtpTransport } from "../../server/mail/transports/smtp.ts";
import { faultOf as smtpFaultOf } from "../../server/mail/transports/smtp-error.ts";
import { toConnectionOptions } from "../../server/mail/transports/smtp-options.ts";
import { smtpTo } from "./rig.ts";
import {
  acceptUntilEnd,
  findClosedPort,
  headerOf,
  parseMail,
  startPeer,
  startScript,
  toError,
} from "./smtp-peer.ts";

const mail: OutgoingMail = {
  id: "mail_1",
  messageId: "<mail_1@shop.example>",
  from: "Shöp API <no-reply@shop.example>",
  to: "ada@example.test",
  subject: "Confirm your address",
  text: "Hello Ådä,\n\nhttps://api.shop.example/verify?token=abc\n\n.a line that begins with a dot\n",
  html: '<p>Hello Ådä <a href="https://api.shop.example/verify?token=abc">link</a></p>',
  dateMs: Date.UTC(2026, 10, 21, 14, 5),
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function track<T extends { close(): Promise<void> }>(peer: T): T {
  closers.push(() => peer.close());
  return peer;
}

const send = (transport: MailTransport, signal: AbortSignal = new AbortController().signal) =>
  transport.send(mail, { signal });

async function faultOf(attempt: Promise<unknown>): Promise<{ fault: string; message: string }> {
  const error = await attempt.then(
    () => new Error("the mail was accepted"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailError)) throw error;
  return { fault: error.fault, message: error.message };
}

describe.each(["dev", "console", "smtp"] as const)("every transport: %s", (name) => {
  test("resolves to the id of the mail once it is responsible for it, on every repetition", async () => {
    const peer = track(await startPeer());
    const transport = await openTransport(
      { transport: name, smtp: { host: "127.0.0.1", port: peer.port } },
      () => undefined,
    );
    expect(transport.name).toBe(name);
    expect(await send(transport)).toEqual({ accepted: true, id: "mail_1" });
    expect(await send(transport)).toEqual({ accepted: true, id: "mail_1" });
    expect(peer.accepted).toHaveLength(name === "smtp" ? 2 : 0);
  });
});

test("a marketing mail tells the mail program how to unsubscribe by one POST (RFC 8058); any other mail does not", async () => {
  const peer = track(await startPeer());
  const transport = createSmtpTransport({ host: "127.0.0.1", port: peer.port });
  const signal = new AbortController().signal;
  const unsubscribeUrl = `https://api.shop.example/api/public/cart/unsubscribe/${"x".repeat(120)}`;
  await transport.send({ ...mail, unsubscribeUrl }, { signal });
  await transport.send(mail, { signal });
  const [marketing, plain] = await Promise.all(peer.accepted.map(parseMail));
  if (marketing === undefined || plain === undefined) throw new Error("Two mails were sent.");
  expect(headerOf(marketing, "list-unsubscribe")).toBe(`<${unsubscribeUrl}>`);
  expect(headerOf(marketing, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  // The link must reach the mail program in one piece: a break inside the angle brackets would end it.
  expect(peer.accepted[0]?.raw).toContain(`<${unsubscribeUrl}>`);
  expect(headerOf(plain, "list-unsubscribe")).toBeUndefined();
  expect(headerOf(plain, "list-unsubscribe-post")).toBeUndefined();
});

test("an answer goes where the mail says, or to its sender", async () => {
  const peer = track(await startPeer());
  const transport = createSmtpTransport({ host: "127.0.0.1", port: peer.port });
  const signal = new AbortController().signal;
  await transport.send({ ...mail, replyTo: "ada@office.example" }, { signal });
  await transport.send(mail, { signal });
  const [told, plain] = await Promise.all(peer.accepted.map(parseMail));
  if (told === undefined || plain === undefined) throw new Error("Two mails were sent.");
  expect(headerOf(told, "reply-to")).toBe("ada@office.example");
  expect(headerOf(plain, "reply-to")).toBeUndefined();
});

test("console prints the bare link on a line of its own", async () => {
  let printed = "";
  await send(createConsoleTransport((text) => (printed += text)));
  expect(printed).toBe(
    "✉ ada@example.test  Confirm your address\nhttps://api.shop.example/verify?token=abc\n",
  );
});

test("dev tells the developer in one line", async () => {
  let printed = "";
  await send(createDevTransport((text) => (printed += text)));
  expect(printed).toBe(
    "✉ ada@example.test  Confirm your address  https://api.shop.example/verify?token=abc\n",
  );
});

describe("what arrives over SMTP", () => {
  test("both parts, unharmed, and the header fields that matter", async () => {
    const peer = track(await startPeer());
    await send(smtpTo(peer.port));
    const [received] = peer.accepted;
    expect(received).toMatchObject({
      from: "no-reply@shop.example",
      to: ["ada@example.test"],
      secure: false,
    });
    const email = await parseMail(received);
    expect(email.text?.trimEnd()).toBe(mail.text.trimEnd());
    expect(email.html?.trim()).toBe(mail.html);
    expect(email.subject).toBe(mail.subject);
    expect(email.from).toMatchObject({ address: "no-reply@shop.example", name: "Shöp API" });
    expect(email.to).toMatchObject([{ address: "ada@example.test" }]);
    expect(email.messageId).toBe("<mail_1@shop.example>");
    expect(email.date).toBe("2026-11-21T14:05:00.000Z");
    expect(headerOf(email, "auto-submitted")).toBe("auto-generated");
    expect(headerOf(email, "content-type")).toContain("multipart/alternative");
    expect(received?.raw.split("\r\n").every((line) => line.length <= 998)).toBe(true);
  });

  test("the same Message-ID and Date on every attempt", async () => {
    const peer = track(await startPeer());
    await send(smtpTo(peer.port));
    await send(smtpTo(peer.port));
    const [first, second] = await Promise.all(peer.accepted.map(parseMail));
    expect(second).toMatchObject({ messageId: first?.messageId, date: first?.date });
  });
});

describe("refusals", () => {
  test.each([
    ["550 to the recipient is for good", "onRcptTo", 550, "refused"],
    ["450 to the recipient is for now", "onRcptTo", 450, "deferred"],
    ["550 to the sender lies with us", "onMailFrom", 550, "deferred"],
    ["554 instead of a greeting says that no mail will leave", "onConnect", 554, "unreachable"],
    ["421 instead of a greeting says that no mail will leave", "onConnect", 421, "unreachable"],
  ] as const)("%s", async (_, hook, code, fault) => {
    const refuse = (...args: unknown[]): void => {
      const callback = args.at(-1);
      if (typeof callback === "function") callback(toError({ code, text: "5.7.1 go away" }));
    };
    const peer = track(await startPeer({ server: { [hook]: refuse } }));
    const outcome = await faultOf(send(smtpTo(peer.port)));
    expect(outcome.fault).toBe(fault);
    expect(outcome.message).toContain(String(code));
    expect(peer.handedOver).toHaveLength(0);
  });

  test.each([
    [554, "refused"],
    [552, "refused"],
    [451, "deferred"],
    [421, "deferred"],
  ])("%i to the mail itself: %s", async (code, fault) => {
    const peer = track(await startPeer({ answer: () => ({ code, text: "no thanks" }) }));
    const outcome = await faultOf(send(smtpTo(peer.port)));
    expect(outcome).toMatchObject({ fault });
    expect(outcome.message).toContain(`${code} no thanks`);
    expect(peer.accepted).toHaveLength(0);
  });
});

describe("a server that does not relay", () => {
  test.each([
    ["554 5.7.1 <ada@shop.example>: Relay access denied", "deferred"],
    ["550 relay not permitted", "deferred"],
    ["550 5.7.1 Relaying denied", "deferred"],
    ["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "deferred"],
    ["550-5.7.1 Invalid credentials for relay", "deferred"],
    [
      "550 5.1.1 <ada@shop.example>: Recipient address rejected: User unknown in relay recipient table",
      "refused",
    ],
  ])("%s: %s, as the next mail would be refused for the same reason", (response, fault) => {
    const failure = {
      response,
      responseCode: Number(response.slice(0, 3)),
      permanent: true,
      command: "RCPT TO",
    };
    expect(smtpFaultOf(failure, "envelope")).toBe(fault);
  });
});

describe("silence and broken connections", () => {
  test("nobody listens: unreachable, and the reason is told", async () => {
    const outcome = await faultOf(send(smtpTo(await findClosedPort())));
    expect(outcome).toEqual({
      fault: "unreachable",
      message: "Could not connect to the mail server (ECONNREFUSED)",
    });
  });

  test("an unknown host: unreachable", async () => {
    const transport = createSmtpTransport({ host: "mail.invalid", port: 25 }, { connectMs: 5_000 });
    expect(await faultOf(send(transport))).toMatchObject({ fault: "unreachable" });
  });

  test("accepts the connection and never greets: unreachable", async () => {
    const script = track(await startScript(() => undefined));
    const outcome = await faultOf(send(smtpTo(script.port, { connectMs: 60 })));
    expect(outcome).toEqual({
      fault: "unreachable",
      message: "Could not connect to the mail server (ETIMEDOUT)",
    });
  });

  test("greets, and drops the connection: unreachable", async () => {
    const script = track(await startScript((socket) => socket.end("220 hello\r\n")));
    expect(await faultOf(send(smtpTo(script.port)))).toMatchObject({ fault: "unreachable" });
  });

  test("stops answering at the envelope: nothing was handed over, so it is for now", async () => {
    const peer = track(await startPeer({ server: { onRcptTo: () => undefined } }));
    expect(await faultOf(send(smtpTo(peer.port, { envelopeMs: 80 })))).toMatchObject({ fault: "deferred" });
  });

  test("drops the connection after the mail, without an answer: unknown", async () => {
    const script = track(await startScript(acceptUntilEnd((socket) => socket.destroy())));
    const outcome = await faultOf(send(smtpTo(script.port)));
    expect(outcome.fault).toBe("unknown");
    expect(outcome.message).toContain("was transmitted");
  });

  test("never answers the mail: unknown, after the long wait", async () => {
    const script = track(await startScript(acceptUntilEnd(() => undefined)));
    expect(await faultOf(send(smtpTo(script.port, { answerMs: 80 })))).toMatchObject({ fault: "unknown" });
  });

  test("a slow answer is waited for longer than anything before it", async () => {
    const peer = track(
      await startPeer({
        answer: async () => {
          await new Promise((resolve) => {
            setTimeout(resolve, 1_300);
          });
          return null;
        },
      }),
    );
    expect(await send(smtpTo(peer.port, { envelopeMs: 1_000, answerMs: 15_000 }))).toMatchObject({
      accepted: true,
    });
  });

  test("an answer without an end does not fill the memory", async () => {
    const script = track(
      await startScript((socket) => {
        socket.write("220 hello\r\n");
        socket.on("data", () => socket.write("250-x\r\n".repeat(20_000)));
      }),
    );
    expect(await faultOf(send(smtpTo(script.port)))).toMatchObject({ fault: "unreachable" });
  });

  test("a stop ends the attempt at once, before and after the hand-over", async () => {
    const silent = track(await startScript(() => undefined));
    expect(await faultOf(send(smtpTo(silent.port), AbortSignal.abort()))).toMatchObject({
      fault: "unreachable",
    });
    const stop = new AbortController();
    const script = track(await startScript(acceptUntilEnd(() => stop.abort())));
    expect(await faultOf(send(smtpTo(script.port), stop.signal))).toMatchObject({ fault: "unknown" });
  });
});

describe("TLS and login", () => {
  // smtp-server brings a self-signed certificate of its own.
  const login = { user: "api", pass: "p@ss:w/rd" };
  const secured: Partial<SMTPServerOptions> = {
    disabledCommands: [],
    authOptional: false,
    onAuth(auth, _session, callback) {
      if (auth.username === login.user && auth.password === login.pass) callback(null, { user: "api" });
      else callback(toError({ code: 535, text: "5.7.8 wrong credentials" }));
    },
  };
  const allowed = { host: "127.0.0.1", allowSelfSigned: true, ...login };

  test("STARTTLS with a certificate that nobody vouches for is refused", async () => {
    const peer = track(await startPeer({ server: secured }));
    const outcome = await faultOf(
      send(createSmtpTransport({ ...allowed, port: peer.port, allowSelfSigned: false })),
    );
    expect(outcome.fault).toBe("unreachable");
    expect(outcome.message).toMatch(/SELF_SIGNED|CERT|ETLS/i);
    expect(peer.handedOver).toHaveLength(0);
  });

  test("STARTTLS with such a certificate is taken when the configuration says so; login by password", async () => {
    const peer = track(await startPeer({ server: secured }));
    await send(createSmtpTransport({ ...allowed, port: peer.port }));
    expect(peer.accepted).toMatchObject([{ secure: true, user: "api" }]);
  });

  test("TLS from the first byte, by URL", async () => {
    const peer = track(await startPeer({ server: { ...secured, secure: true } }));
    const url = `smtps://api:p%40ss%3Aw%2Frd@127.0.0.1:${peer.port}?allowSelfSigned=true`;
    const transport = createSmtpTransport({ url });
    await transport.verify?.();
    expect(peer.handedOver).toHaveLength(0);
    await send(transport);
    expect(peer.accepted).toMatchObject([{ secure: true, user: "api" }]);
  });

  test("a wrong password is our fault, not the recipient's, and is not told", async () => {
    const peer = track(await startPeer({ server: secured }));
    const transport = createSmtpTransport({ ...allowed, port: peer.port, pass: "secret-but-wrong" });
    const outcome = await faultOf(send(transport));
    expect(outcome.fault).toBe("unreachable");
    expect(outcome.message).toContain("535");
    expect(outcome.message).not.toContain("secret-but-wrong");
    await expect(transport.verify?.()).rejects.toThrow("535");
  });

  test("a password never travels in the clear to another machine", () => {
    const waits = { connectMs: 1, answerMs: 1 };
    const requires = (host: string, user?: string) =>
      toConnectionOptions({ host, port: 587, user, pass: user }, waits).options.requireTLS;
    expect(requires("mail.example", "api")).toBe(true);
    expect(requires("mail.example")).toBe(false);
    expect(requires("127.0.0.1", "api")).toBe(false);
    expect(requires("127.evil.example", "api")).toBe(true);
  });

  test.each(["http://mail.example", "smtp://mail.example?tls.rejectUnauthorized=false", "mail.example:587"])(
    "the URL %s is refused with a reason",
    async (url) => {
      await expect(send(createSmtpTransport({ url }))).rejects.toThrow("mail.smtp.url");
    },
  );
});

import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createTransport } from "nodemailer";
import type { Transport } from "nodemailer";
import { afterEach, describe, expect, test } from "vitest";

import { DEMO_SHOP } from "../../server/core/shop.ts";
import { loadConfig } from "../../server/config/load.ts";
import { mailOps } from "../../server/mail/record.ts";
import { mailTemplates } from "../../server/mail/render.ts";
import { createPlatform } from "../../server/platform.ts";
import { MailError } from "../../server/mail/transport.ts";
import type { MailTransport, OutgoingMail } from "../../server/mail/transport.ts";
import { createNodemailerTransport } from "../../server/mail/transports/nodemailer.ts";
import { openTransport } from "../../server/mail/transports/open.ts";
import { createRig } from "./rig.ts";
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
  text: "Hello Ådä,\n\nhttps://api.shop.example/verify?token=abc\n",
  html: "<p>Hello Ådä</p>",
  dateMs: Date.UTC(2026, 10, 21, 14, 5),
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function track<T extends { close?(): unknown }>(peer: T): T {
  closers.push(() => peer.close?.());
  return peer;
}

const custom = (transport: Parameters<typeof createNodemailerTransport>[0]): MailTransport =>
  track(createNodemailerTransport(transport));

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

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mail-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe.each([false, true])("SMTP options of nodemailer, pool: %s", (pool) => {
  const to = (port: number, options: object = {}) => custom({ host: "127.0.0.1", port, pool, ...options });

  test("the mail arrives as the own path sends it, and the transport can be checked", async () => {
    const peer = track(await startPeer());
    const transport = to(peer.port);
    await transport.verify?.();
    expect(await send(transport)).toEqual({ accepted: true, id: "mail_1" });
    const email = await parseMail(peer.accepted[0]);
    expect(email.from).toMatchObject({ name: "Shöp API", address: "no-reply@shop.example" });
    expect([email.messageId, email.subject, headerOf(email, "auto-submitted")]).toEqual([
      mail.messageId,
      mail.subject,
      "auto-generated",
    ]);
  });

  test("a recipient or a mail that is refused for good bounces; refused for now is deferred", async () => {
    for (const [code, fault] of [
      [550, "refused"],
      [451, "deferred"],
    ] as const) {
      const atData = track(await startPeer({ answer: () => ({ code, text: "no" }) }));
      expect(await faultOf(send(to(atData.port)))).toMatchObject({ fault });
      const atRecipient = track(
        await startPeer({
          server: { onRcptTo: (_address, _session, callback) => callback(toError({ code, text: "no" })) },
        }),
      );
      expect(await faultOf(send(to(atRecipient.port)))).toMatchObject({ fault });
    }
  });

  test("no server, and a refused login: unreachable", async () => {
    expect(await faultOf(send(to(await findClosedPort())))).toMatchObject({ fault: "unreachable" });
    const peer = track(
      await startPeer({
        server: { onAuth: (_auth, _session, callback) => callback(toError({ code: 535, text: "wrong" })) },
      }),
    );
    const outcome = await faultOf(send(to(peer.port, { auth: { user: "api", pass: "secret-pass" } })));
    expect(outcome.fault).toBe("unreachable");
    expect(outcome.message).not.toContain("secret-pass");
  });

  test("a connection that breaks after the mail: unknown, and the mail left once", async () => {
    let ends = 0;
    const script = track(
      await startScript(
        acceptUntilEnd((socket) => {
          ends += 1;
          socket.destroy();
        }),
      ),
    );
    expect(await faultOf(send(to(script.port)))).toMatchObject({ fault: "unknown" });
    expect(ends).toBe(1);
  });

  test("a stop ends the attempt: unknown once the mail is handed over", async () => {
    const stop = new AbortController();
    const script = track(await startScript(acceptUntilEnd(() => stop.abort())));
    expect(await faultOf(send(to(script.port), stop.signal))).toMatchObject({ fault: "unknown" });
  });

  test("signs with DKIM, and still knows a break after the mail from one before it", async () => {
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const dkim = { domainName: "shop.example", keySelector: "platform", privateKey };
    const peer = track(await startPeer());
    await send(to(peer.port, { dkim }));
    expect(headerOf(await parseMail(peer.accepted[0]), "dkim-signature")).toMatch(/d=shop\.example/);
    const early = track(await startScript((socket) => socket.end("220 hello\r\n")));
    expect(await faultOf(send(to(early.port, { dkim })))).toMatchObject({ fault: "unreachable" });
    const late = track(await startScript(acceptUntilEnd((socket) => socket.destroy())));
    expect(await faultOf(send(to(late.port, { dkim })))).toMatchObject({ fault: "unknown" });
  });

  test("logs in with OAuth2", async () => {
    const peer = track(
      await startPeer({
        server: {
          authMethods: ["XOAUTH2"],
          onAuth: (auth, _session, callback) =>
            auth.accessToken === "token-1" ? callback(null, { user: "api" }) : callback(new Error("no")),
        },
      }),
    );
    await send(to(peer.port, { auth: { type: "OAuth2", user: "api", accessToken: "token-1" } }));
    expect(peer.accepted[0]?.user).toBe("api");
  });
});

describe("transports without SMTP", () => {
  async function sendmail(script: string) {
    const folder = await makeFolder();
    const path = join(folder, "sendmail");
    await writeFile(path, `#!/bin/sh\n${script.replaceAll("FOLDER", folder)}\n`);
    await chmod(path, 0o755);
    return { transport: custom({ sendmail: true, path }), folder };
  }

  test("sendmail: accepted by its exit code 0, with the whole mail on its input", async () => {
    const { transport, folder } = await sendmail('echo "$@" > FOLDER/args; cat > FOLDER/mail');
    expect(transport.verify).toBeUndefined();
    await send(transport);
    expect(await readFile(join(folder, "args"), "utf8")).toBe(
      "-i -f no-reply@shop.example ada@example.test\n",
    );
    expect(await readFile(join(folder, "mail"), "utf8")).toContain("Message-ID: <mail_1@shop.example>");
  });

  test.each([
    [67, "refused"],
    [75, "deferred"],
    [1, "deferred"],
  ])("sendmail that exits with %i: %s", async (code, fault) => {
    const { transport } = await sendmail(`cat > /dev/null; exit ${code}`);
    expect(await faultOf(send(transport))).toMatchObject({ fault });
  });

  test("sendmail that is not installed: unreachable; one that is killed: unknown", async () => {
    const folder = await makeFolder();
    const missing = custom({ sendmail: true, path: join(folder, "none") });
    expect(await faultOf(send(missing))).toMatchObject({ fault: "unreachable" });
    const { transport } = await sendmail("cat > /dev/null; kill -9 $$");
    expect(await faultOf(send(transport))).toMatchObject({ fault: "unknown" });
  });

  test("streamTransport, and an instance that createTransport made", async () => {
    expect(await send(custom({ streamTransport: true, buffer: true }))).toMatchObject({ accepted: true });
    const made = createTransport({ jsonTransport: true });
    expect(await send(custom(made.transporter))).toMatchObject({ accepted: true });
  });

  /** A client of SES as its SDK is built: a command, sent over HTTP; errors carry the status in `$metadata`. */
  async function ses(answer: { status: number; name?: string } | "break") {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => seen.push(chunk));
      request.on("end", () => {
        if (answer === "break") return response.destroy();
        return response.writeHead(answer.status).end('{"MessageId":"ses-1"}');
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    class SendEmailCommand {
      readonly input: { readonly Content: { readonly Raw: { readonly Data: Buffer } } };
      constructor(input: SendEmailCommand["input"]) {
        this.input = input;
      }
    }
    const sesClient = {
      async send({ input }: SendEmailCommand) {
        const response = await fetch(`http://127.0.0.1:${port}/v2/email/outbound-emails`, {
          method: "POST",
          body: input.Content.Raw.Data.toString("utf8"),
        });
        if (response.ok) return response.json();
        const name = answer === "break" ? "" : (answer.name ?? "Error");
        throw Object.assign(new Error(name), { name, $metadata: { httpStatusCode: response.status } });
      },
    };
    return { transport: custom({ SES: { sesClient, SendEmailCommand } }), seen };
  }

  test("SES: accepted, throttled, refused, and a connection that breaks after the request", async () => {
    const { transport, seen } = await ses({ status: 200 });
    expect(await send(transport)).toMatchObject({ accepted: true });
    expect(seen.join("")).toContain("To: ada@example.test");
    const faults = await Promise.all(
      [
        { status: 429, name: "TooManyRequestsException" },
        { status: 400, name: "MessageRejected" },
        { status: 400, name: "AccountSuspendedException" },
        "break" as const,
      ].map(async (answer) => (await faultOf(send((await ses(answer)).transport))).fault),
    );
    expect(faults).toEqual(["deferred", "refused", "deferred", "unknown"]);
  });

  test("a plugin of one's own: its error, its lists of recipients, its break", async () => {
    const plugin = (done: (callback: Parameters<Transport["send"]>[1]) => void): Transport => ({
      name: "own",
      version: "1",
      send: (_mail, callback) => done(callback),
    });
    const info = { envelope: { from: "a@b.example", to: [mail.to] }, messageId: mail.messageId };
    const outcome = (done: Parameters<typeof plugin>[0]) =>
      faultOf(send(custom(plugin(done)))).then(({ fault }) => fault);
    expect(await outcome((end) => end(null, { ...info, rejected: [mail.to] }))).toBe("refused");
    expect(await outcome((end) => end(null, { ...info, pending: [mail.to] }))).toBe("deferred");
    expect(await outcome((end) => end(Object.assign(new Error("x"), { statusCode: 503 })))).toBe("deferred");
    expect(await outcome((end) => end(Object.assign(new Error("x"), { code: "ECONNREFUSED" })))).toBe(
      "unreachable",
    );
    expect(await outcome((end) => end(Object.assign(new Error("x"), { code: "ECONNRESET" })))).toBe(
      "unknown",
    );
    const stop = new AbortController();
    const silent = custom(plugin(() => stop.abort()));
    expect((await faultOf(send(silent, stop.signal))).fault).toBe("unknown");
  });
});

describe("in the outbox", () => {
  test("a mail that leaves by a pool is sent once, and stored without its text; many share the pool", async () => {
    const peer = track(await startPeer());
    const options = { host: "127.0.0.1", port: peer.port, pool: true, maxConnections: 1 };
    const rig = createRig();
    const outbox = rig.outbox(custom(options));
    const ids = [await rig.post(outbox), await rig.post(outbox), await rig.post(outbox)];
    for (const id of ids) expect(await outbox.deliverNow(id, { timeoutMs: 60_000 })).toBe(true);
    expect(peer.accepted).toHaveLength(3);
    expect(peer.connections()).toBe(1);
    for (const id of ids)
      expect(await rig.get(id)).toMatchObject({ state: "sent", message: { text: "", html: "" } });
  });

  test("a broken connection leaves a verification mail queued, to be sent again", async () => {
    const script = track(await startScript(acceptUntilEnd((socket) => socket.destroy())));
    const rig = createRig();
    const outbox = rig.outbox(custom({ host: "127.0.0.1", port: script.port }));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, { timeoutMs: 60_000 })).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "queued", attempts: 1 });
  });
});

describe("mail.transport of the configuration", () => {
  const load = (mailSettings: object, env: Record<string, string> = {}) =>
    loadConfig({ cwd: "/", env, settings: { mail: mailSettings } });

  test("takes options, with secrets in them, and is shown as its kind only", async () => {
    const peer = track(
      await startPeer({
        server: {
          onAuth: (auth, _session, callback) =>
            auth.password === "from-env" ? callback(null, { user: "api" }) : callback(new Error("no")),
        },
      }),
    );
    const auth = { user: "api", pass: { $secret: "POOL_PASS" } };
    const transport = { pool: true, host: "127.0.0.1", port: peer.port, auth };
    const { config, extensions } = await load({ transport }, { POOL_PASS: "from-env" });
    expect(config.mail.transport).toBe("nodemailer");
    expect(JSON.stringify(config)).not.toContain("from-env");
    await send(track(await openTransport(config.mail, () => undefined, extensions.mailTransport)));
    expect(peer.accepted[0]?.user).toBe("api");
  });

  test("a variable of the environment still selects another transport", async () => {
    const { config } = await load({ transport: { pool: true } }, { PLATFORM_MAIL_TRANSPORT: "console" });
    expect(config.mail.transport).toBe("console");
  });

  test("says which secret is missing, and that a name alone is no transport", async () => {
    await expect(load({ transport: { auth: { pass: { $secret: "POOL_PASS" } } } })).rejects.toMatchObject({
      problems: [{ path: "mail.transport.auth.pass" }],
    });
    await expect(load({ transport: "nodemailer" })).rejects.toMatchObject({
      problems: [{ path: "mail.transport" }],
    });
  });
});

describe("mail.templates", () => {
  const source = (text: string) =>
    `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const open = (cwd: string, transport: object) =>
    createPlatform({
      cwd,
      config: {
        storage: { driver: "memory" },
        log: { level: "silent" },
        server: { port: 0 },
        baseUrl: "https://shop.example",
        mail: { transport: { ...transport }, templates: "./mails", from: "Shop <no-reply@shop.example>" },
      },
    });

  test("the layout of the folder is sent, with the name, logo and address of the store's profile", async () => {
    const peer = track(await startPeer());
    const folder = await makeFolder();
    await mkdir(join(folder, "mails"));
    await writeFile(join(folder, "mails", "mail.mjml"), source("Own layout {{content}}"));
    const platform = track(await open(folder, { pool: true, host: "127.0.0.1", port: peer.port }));
    const { mail: outbox } = platform.services;
    const shop = { ...DEMO_SHOP, name: 'Bäckerei "Süd", Wien', logo_url: "https://bakery.example/logo.png" };
    const mails = [
      await outbox.compose({
        to: mail.to,
        template: "tier-up",
        data: mailTemplates["tier-up"].example,
        sender: { store: "bakery", choicesUrl: "https://shop.example/choices", shop },
      }),
      await outbox.compose({ to: mail.to, template: "test", data: mailTemplates.test.example }),
    ];
    for (const composed of mails) {
      await platform.services.store.commit("platform", mailOps(composed));
      expect(await outbox.deliverNow(composed.id, { timeoutMs: 60_000 })).toBe(true);
    }
    const [ofStore, ofPlatform] = await Promise.all(peer.accepted.map(parseMail));
    expect(ofStore?.from).toEqual({
      name: "Bäckerei Süd, Wien via shop.example",
      address: "no-reply@shop.example",
    });
    expect(ofStore?.replyTo).toMatchObject([{ address: DEMO_SHOP.email }]);
    for (const shown of [
      "Own layout",
      shop.logo_url,
      "Demo Bakery &amp; Roastery Ltd, 5 Mill Street, London SE1 2XX",
    ])
      expect(ofStore?.html).toContain(shown);
    expect(ofStore?.text).toContain("Demo Bakery & Roastery Ltd, 5 Mill Street");
    expect(ofPlatform?.from).toMatchObject({ name: "Shop" });
    expect(ofPlatform?.replyTo).toBeUndefined();
    expect(ofPlatform?.html).toContain("Own layout");
  });

  test("a layout that does not compile, names unknown values or is not there stops the start", async () => {
    const folder = await makeFolder();
    const refused = async (message: string) =>
      expect(open(folder, { jsonTransport: true })).rejects.toMatchObject({
        problems: [{ path: "mail.templates", message: expect.stringContaining(message) }],
      });
    await refused("ENOENT");
    await mkdir(join(folder, "mails"));
    await refused("ENOENT");
    await writeFile(join(folder, "mails", "mail.mjml"), "<mjml><mj-body><mj-txt>x</mj-txt></mj-body></mjml>");
    await refused("<mj-txt>");
    const other = await makeFolder();
    await mkdir(join(other, "mails"));
    await writeFile(join(other, "mails", "mail.mjml"), source("{{nope}}"));
    await expect(open(other, { jsonTransport: true })).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining("{{nope}}") }],
    });
  });
});

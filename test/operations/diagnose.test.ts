import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import type { Deps } from "../../server/operations/deps.ts";
import { toInstant } from "../../server/lib/instant.ts";
import {
  checkBaseUrl,
  checkCertificate,
  checkProxies,
  reachOf,
} from "../../server/operations/doctor/diagnose-address.ts";
import { checkTransport } from "../../server/operations/doctor/diagnose-mail.ts";
import { checkPlans } from "../../server/operations/doctor/diagnose.ts";
import { createHarness, createTestClock } from "../harness.ts";
import { startPeer } from "../mail/smtp-peer.ts";
import { createCleanup, serve } from "../serve/rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Config = Deps["config"];

/** What a server of these settings would be asked about; nothing of the others is looked at. */
async function deps(config: Partial<Config>): Promise<Deps> {
  const { services } = await serve(cleanup);
  return { ...services, config: { ...services.config, ...config } };
}

it.each([
  ["localhost", "machine"],
  ["127.0.0.2", "machine"],
  ["[::1]", "machine"],
  ["10.1.2.3", "network"],
  ["172.31.0.1", "network"],
  ["172.32.0.1", "public"],
  ["[fd00::1]", "network"],
  ["nas", "network"],
  ["shop.local", "network"],
  ["api.shop.example", "public"],
  ["[2001:db8::1]", "public"],
  ["203.0.113.9", "public"],
] as const)("%s is reached from the %s", (host, reach) => {
  expect(reachOf(host)).toBe(reach);
});

describe("the base URL", () => {
  it("may not be http where strangers listen, and is worth a word in a network", async () => {
    const all = await deps({});
    const of = (baseUrl: string) => checkBaseUrl({ ...all, config: { ...all.config, baseUrl } });
    expect(await of("http://api.shop.example")).toMatchObject({ status: "fail", fix: expect.any(String) });
    expect(await of("http://10.0.0.5:3000")).toMatchObject({ status: "warn", fix: expect.any(String) });
    expect(await of(all.config.baseUrl)).toMatchObject({ status: "ok" });
  });

  it("may not lead to another service", async () => {
    const other = createServer((_req, res) => res.end("hello")).listen(0, "127.0.0.1");
    cleanup.add(() => other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const found = await checkBaseUrl(await deps({ baseUrl: `http://127.0.0.1:${port}` }));
    expect(found).toMatchObject({ status: "fail", fix: expect.stringContaining("baseUrl") });
    expect(found.detail).toContain("not this service");
  });

  it("has a certificate that holds for a while", async () => {
    const { services } = await serve(cleanup, { "server.https": true });
    const inDays = (days: number) =>
      checkCertificate({
        ...services,
        clock: createTestClock(toInstant(services.clock.now() + days * 86_400_000)),
      });
    const found = await Promise.all([0, 340, 346, 360, 400].map(inDays));
    expect(found.map(({ status }) => status)).toEqual(["ok", "ok", "warn", "fail", "fail"]);
    expect(found.at(-1)?.detail).toContain("expired on");
    expect(found.at(-1)?.fix).toContain("Renew");
  });
});

it("finds customers whose plan was renamed or removed: they have the limits of Free", async () => {
  const harness = await createHarness();
  cleanup.add(() => harness.close());
  const { config, runTx } = harness.services;
  const { customerId } = await harness.key({ plan: "growth" });
  await harness.key({ plan: "free" });
  expect(await checkPlans({ config, runTx })).toMatchObject({ status: "ok" });
  const plans = config.plans.filter(({ id }) => id !== "growth");
  const found = await checkPlans({ config: { ...config, plans }, runTx });
  expect(found).toMatchObject({ status: "warn", fix: expect.stringContaining("platform plans assign") });
  expect(found.detail).toContain(`growth (1, such as ${customerId}). The limits of free apply`);
});

it("wants the proxy named that must be there", async () => {
  const all = await deps({ baseUrl: "https://api.shop.example" });
  expect(await checkProxies(all)).toMatchObject({
    status: "warn",
    fix: expect.stringContaining("trustedProxies"),
  });
  const server = { ...all.config.server, trustedProxies: ["10.0.0.1"] };
  expect(await checkProxies({ ...all, config: { ...all.config, server } })).toMatchObject({ status: "ok" });
});

describe("mail", () => {
  it("may not stay in an inbox that strangers can open", async () => {
    const all = await deps({ baseUrl: "https://api.shop.example" });
    expect(await checkTransport(all)).toMatchObject({ status: "fail", fix: expect.stringContaining("smtp") });
  });

  it("tells a wrong password from a server that is not there", async () => {
    const peer = await startPeer({
      server: {
        secure: false,
        disabledCommands: [],
        onAuth: ({ password }, _session, callback) =>
          password === "right" ? callback(null, { user: "shop" }) : callback(new Error("Invalid login")),
      },
    });
    cleanup.add(() => peer.close());
    const at = (port: number, pass: string, allowSelfSigned: boolean) => ({
      transport: "smtp" as const,
      from: "Shop <no-reply@shop.example>",
      smtp: { host: "127.0.0.1", port, user: "shop", pass, allowSelfSigned },
    });
    const all = await deps({});
    const check = (port: number, pass: string, allowSelfSigned = true) =>
      checkTransport({ ...all, config: { ...all.config, mail: at(port, pass, allowSelfSigned) } });
    expect(await check(peer.port, "right")).toMatchObject({ status: "ok" });
    expect(await check(peer.port, "wrong")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("password"),
    });
    expect(await check(peer.port, "right", false)).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("certificate"),
    });
    expect(await check(1, "right")).toMatchObject({ status: "fail", fix: expect.stringContaining("587") });
  });
});

import { afterEach, expect, it } from "vitest";

import { addressBlock, clientAddress } from "../../server/http/client-address.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { cpuMs, many } from "../support/longest-turn.ts";
import { createPipeline } from "../support/match.ts";

let harness: Harness | undefined;
afterEach(() => harness?.close());

it.each([
  [null, "203.0.113.9", ["10.0.0.0/8"], null],
  ["203.0.113.9", undefined, [], "203.0.113.9"],
  ["203.0.113.9", "198.51.100.1", [], "203.0.113.9"],
  ["203.0.113.9", "198.51.100.1", ["10.0.0.0/8"], "203.0.113.9"],
  ["10.0.0.1", "198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
  ["::ffff:10.0.0.1", "198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.0.0.1", "forged, 198.51.100.1", ["10.0.0.1"], "198.51.100.1"],
  ["10.0.0.1", "unknown", ["10.0.0.0/8"], "10.0.0.1"],
  ["10.0.0.1", "forged:1, 198.51.100.1:4711", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.0.0.1", "198.51.100.1:4711, 10.0.0.2:80", ["10.0.0.0/8"], "198.51.100.1"],
  ["10.0.0.1", "[2001:db8::7]:4711", ["10.0.0.0/8"], "2001:db8::7"],
  ["10.0.0.1", "[2001:db8::7]", ["10.0.0.0/8"], "2001:db8::7"],
  ["10.0.0.1", "198.51.100.1:x", ["10.0.0.0/8"], "10.0.0.1"],
  ["10.0.0.1", undefined, ["10.0.0.0/8"], "10.0.0.1"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", ["10.0.0.0/8"], "10.0.0.3"],
  ["fd00::1", "2001:db8::7", ["fd00::/8"], "2001:db8::7"],
])("peer %s with X-Forwarded-For %s behind %j is %s", (peer, forwarded, trusted, client) => {
  expect(clientAddress(peer, forwarded, trusted)).toBe(client);
});

it("reads no more of a long X-Forwarded-For than it believes", async () => {
  const forwarded = `${",".repeat(15_000)} 198.51.100.1`;
  const found = () => many(100, () => clientAddress("10.0.0.1", forwarded, ["10.0.0.0/8"]));
  expect(new Set(found())).toEqual(new Set(["198.51.100.1"]));
  expect(await cpuMs(10, found)).toBeLessThan(10);
});

it.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001-db8-1-2"],
  ["2001:0db8:0001:0002::9", "2001-db8-1-2"],
  ["2001:db8::9", "2001-db8-0-0"],
  ["::1", "0-0-0-0"],
  ["fe80::1%eth0", "fe80-0-0-0"],
])("%s is counted as %s", (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

it("429 with Retry-After past the signups of one network address; others and the switched-off limit pass", async () => {
  harness = await createHarness();
  const { services } = harness;
  const signup = { ...services.config.signup, perIpPerHour: 3 };
  const gatewayOf = (perIpPerHour: number) =>
    createPipeline(
      { ...services, config: { ...services.config, signup: { ...signup, perIpPerHour } } },
      namespaces,
    );
  const signUp = async (gateway: ReturnType<typeof gatewayOf>, peer: string, index: number) => {
    const body = JSON.stringify({ email: `dev${index}@bakery.example`, storeIdentifier: "shop" });
    return gateway({
      method: "POST",
      target: "/api/platform/signup",
      header: (name) =>
        ({ "content-type": "application/json", "x-forwarded-for": `198.51.100.${index}` })[name],
      stream: () => new ReadableStream<Uint8Array>(),
      body: async () => Buffer.from(body),
      signal: () => new AbortController().signal,
      peer,
    });
  };
  const limited = gatewayOf(3);
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1)
    statuses.push((await signUp(limited, "203.0.113.9", index)).status);
  expect(statuses).toEqual([201, 201, 201, 429]);
  const refused = await signUp(limited, "203.0.113.9", 5);
  expect(refused.headers[refused.headers.indexOf("Retry-After") + 1]).toBe("3600");
  expect((await signUp(limited, "203.0.113.10", 6)).status).toBe(201);
  expect((await signUp(gatewayOf(0), "203.0.113.9", 7)).status).toBe(201);
  // Anybody has a /48 of IPv6 for nothing, which is 65,536 blocks.
  const blocks = [];
  for (let n = 1; n < 5; n += 1) blocks.push((await signUp(limited, `2001:db8:9:${n}::1`, 20 + n)).status);
  expect(blocks).toEqual([201, 201, 201, 429]);
  harness.clock.advance(3_600_000);
  expect((await signUp(limited, "203.0.113.9", 8)).status).toBe(201);
});

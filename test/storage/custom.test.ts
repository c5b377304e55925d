import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { ConfigError } from "../../server/config/error.ts";
import type { UserConfig } from "../../server/config/define.ts";
import { systemClock } from "../../server/core/clock.ts";
import { createPlatform } from "../../server/platform.ts";
import { StoreError } from "../../server/storage/contract.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { driverConformance } from "../testing.ts";
import { createSandbox } from "../cli/run.ts";
import { createCleanup, makeFolder } from "../serve/outside.ts";

const cleanup = createCleanup();
afterAll(() => cleanup.run());
const sandbox = createSandbox();
afterAll(() => sandbox.remove());

/** A driver around another, as an operator would write it. */
function counting(store: StoreDriver, commits: string[]): StoreDriver {
  return {
    ...store,
    name: "counting",
    commit(part, ...rest) {
      commits.push(part);
      return store.commit(part, ...rest);
    },
  };
}

driverConformance({
  name: "a driver around another",
  seeds: 20,
  async open(clock) {
    const driver = counting(createMemoryDriver({ clock }), []);
    return { driver, dispose: () => driver.close() };
  },
});

async function open(storage: UserConfig["storage"]) {
  const config: UserConfig = { mail: { transport: "console" }, log: { level: "silent" } };
  const platform = await createPlatform({
    cwd: await makeFolder(cleanup),
    config: { ...config, ...(storage === undefined ? {} : { storage }) },
  });
  cleanup.add(() => platform.close());
  return platform;
}

describe("storage.driver of a configuration", () => {
  it.each(["a function that opens it", "the driver itself"])("is %s", async (kind) => {
    const commits: string[] = [];
    const openStore = ({ clock }: { clock: { now(): number } }) =>
      counting(createMemoryDriver({ clock }), commits);
    const driver = kind === "the driver itself" ? openStore({ clock: systemClock }) : openStore;
    const { fetch } = await open({ driver });
    const body = JSON.stringify({ email: "ada@shop.example", storeIdentifier: "bakery" });
    const headers = { "content-type": "application/json" };
    const request = new Request("http://127.0.0.1:3000/api/platform/signup", {
      method: "POST",
      headers,
      body,
    });
    expect((await fetch(request)).status).toBeLessThan(300);
    expect(commits).toContain("platform");
  });

  it("is refused where it opens something else", async () => {
    const driver = () => ({ get: () => null });
    const error: unknown = await open(Object({ driver })).catch((reason: unknown) => reason);
    expect(error instanceof StoreError ? [error.code, error.message] : error).toEqual([
      "INVALID",
      "storage.driver does not return a driver of this platform",
    ]);
  });

  it.each([
    [{ driver: { getItem: () => null } }, "expected a StoreDriver, or a function that opens one"],
    [{ driver: "custom" }, "expected a StoreDriver, or a function that opens one"],
  ])("is refused with the reason: %j", async (storage, reason) => {
    const error: unknown = await open(Object(storage)).catch((failure: unknown) => failure);
    expect(error instanceof ConfigError ? error.format() : String(error)).toContain(reason);
  });

  it("is not opened by commands that only read the configuration", async () => {
    const config = 'export default { storage: { driver: () => { throw new Error("opened"); } } };\n';
    writeFileSync(join(sandbox.dir, "platform.config.mjs"), config);
    const shown = await sandbox.run(["config", "show"]);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/storage\.driver\tcustom\nstorage\.use\t.*"driver"/),
    ]);
    expect((await sandbox.run(["config", "show", "--json"])).stdout).toContain('"custom"');
  });
});

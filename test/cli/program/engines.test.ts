import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { setEngines } from "../../../cli/calls/endpoints.ts";
import { createSandbox } from "../run.ts";

const sandbox = createSandbox();
afterAll(() => {
  // The commands of a process are those of its last program.
  setEngines([]);
  sandbox.remove();
});

/** Plain data is enough for the CLI, which reads no stored document. */
const CONFIG = `
const route = {
  id: "gift_cards.cards.redeem", method: "POST", path: "/cards/:id/redeem", verb: "write", open: null,
  summary: "Redeem an amount", description: "", params: null, query: null, body: null, data: null, rawType: null,
  otherTypes: [], isList: false, status: 200, errors: [], example: {}, cost: 1, sensitive: false, hidden: false,
  form: false, page: false, refusal: null, handle: async () => ({ kind: "empty" }),
};
const job = {
  id: "gift_cards.expire", summary: "Expires gift cards", schedule: "0 3 * * *", run: async () => ({ expired: 0 }),
};
const engine = (name) => ({
  name, summary: "Gift cards with a balance", routes: [route], jobs: [job], hooks: [], links: [], events: [], answers: {},
  seed: () => [],
});
export default { storage: { driver: "memory" }, engines: [engine("gift_cards"), engine("keys")] };
`;
const folder = join(sandbox.dir, "shop");
mkdirSync(folder);
writeFileSync(join(folder, "platform.config.mjs"), CONFIG);

describe("the commands of an engine of the configuration", () => {
  it("are in the help of its folder, with their routes", async () => {
    const { stdout } = await sandbox.run(["--help"], { cwd: folder });
    expect(stdout).toMatch(/gift_cards +Gift cards with a balance/);
    const help = await sandbox.run(["gift_cards", "cards", "--help"], { cwd: folder });
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("Redeem an amount")]);
    const routes = await sandbox.run(["routes", "gift_cards", "--json"], { cwd: folder });
    expect(routes.stdout).toContain("/v1/gift_cards/cards/:id/redeem");
  });

  it.each([
    ["--cwd", folder],
    ["-C", "shop"],
    ["--config", join(folder, "platform.config.mjs")],
    [`--config=${join(folder, "platform.config.mjs")}`],
  ])("are there with %s %s", async (...options) => {
    const { stdout } = await sandbox.run([...options, "--help"]);
    expect(stdout).toContain("gift_cards");
  });

  it("are completed", async () => {
    const { stdout } = await sandbox.run(["complete", "--", "gift"], { cwd: folder });
    expect(stdout).toContain("gift_cards");
  });

  it("have their scopes and jobs completed", async () => {
    const complete = async (...words: readonly string[]) =>
      (await sandbox.run(["complete", "--", ...words], { cwd: folder })).stdout;
    expect(await complete("keys", "issue", "--scope", "gift")).toContain("gift_cards:manage");
    expect(await complete("jobs", "run", "gift")).toContain("gift_cards.expire");
    expect(await complete("call", "/v1/gift")).toContain("/v1/gift_cards/cards");
  });

  it("are in the printed OpenAPI document", async () => {
    const cwd = join(sandbox.dir, "whole");
    mkdirSync(cwd);
    const module = join(import.meta.dirname, "..", "..", "serve", "gift-cards.ts");
    const config = `import { giftCards } from ${JSON.stringify(module)};\nexport default { engines: [giftCards()] };\n`;
    writeFileSync(join(cwd, "platform.config.ts"), config);
    const { json, stderr } = await sandbox.run(["openapi"], { cwd });
    expect(stderr).toContain("Document of");
    expect(Object.keys(json().paths)).toContain("/v1/gift_cards/cards/{id}/redeem");
  });

  it("are not there in another folder", async () => {
    expect((await sandbox.run(["--help"])).stdout).not.toContain("gift_cards");
    expect((await sandbox.run(["gift_cards", "cards", "--help"])).stdout).not.toContain("Redeem an amount");
  });

  it("do not replace a command", async () => {
    expect((await sandbox.run(["keys", "--help"], { cwd: folder })).stdout).toContain("issue");
  });
});

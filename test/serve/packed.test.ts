import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { FIELDS_FILE, listFields } from "../../server/config/fields.ts";
import { GUIDES } from "../../server/site/docs/guides.ts";
import type { Guide } from "../../server/site/docs/guide.ts";
import { dev, pack, post, ROOT, run, start, stopServer } from "./packed.ts";
import type { Packed } from "./packed.ts";

let packed: Packed;
let folder: string;
let env: NodeJS.ProcessEnv;
let tarball: string;
// The package as npm packs it, installed in an empty folder: what the guides say about extending it is done there, block by block.
beforeAll(async () => {
  packed = await pack();
  ({ env, folder, tarball } = packed);
}, 120_000);

function guide(slug: string): Guide {
  const found = GUIDES.find((one) => one.slug === slug);
  if (found === undefined) throw new Error(`No guide ${slug}`);
  return found;
}
const extendEngines = guide("extend-engines");
const extendHooks = guide("extend-hooks");
const extendStorage = guide("extend-storage");
const extendMail = guide("extend-mail");
const extendEmbedding = guide("extend-embedding");
const typescript = guide("typescript");

/** The files of a guide, written to the folder: a block after its name and a colon. */
async function write({ markdown }: Guide): Promise<string[]> {
  const blocks = markdown("http://127.0.0.1:3000").matchAll(/^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)^```/gm);
  const names: string[] = [];
  for (const [, name = "", text = ""] of blocks) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
    names.push(name);
  }
  return names;
}

const blocksOf = ({ markdown }: Guide, language: string): string[] =>
  Array.from(
    markdown("http://127.0.0.1:3000").matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")),
    ([, block = ""]) => block,
  );

/** Runs a block of bash and returns what it prints. */
async function bash(block: string): Promise<string> {
  const script = `set -euo pipefail\n${block.replace("install storefront-platform", `install --no-audit --no-fund --silent ${tarball}`)}`;
  const { stdout, stderr } = await run("bash", ["-c", script], {
    cwd: folder,
    env,
    maxBuffer: 8_388_608,
  }).catch((error: unknown) => {
    throw new Error(
      error instanceof Error ? `${error.message}\n${Object(error).stdout ?? ""}` : String(error),
    );
  });
  return stdout + stderr;
}

/** The body of a request that holds a free slot of the demo store. */
async function openHold(url: string, key: string) {
  const slots = await fetch(`${url}/v1/delivery/slots?postcode=SW1A%201AA&basket_total=2999`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const open = JSON.parse(await slots.text()).data.find(
    ({ status }: { status: string }) => status === "open",
  );
  return { slot_id: open.id ?? open.slot_id, postcode: "SW1A 1AA" };
}

interface Card {
  readonly balance: number;
  readonly email: string;
}

const ENGINE_AND_HOOKS = `
import { defineConfig } from "storefront-platform/config";
import { fail, sendMail, z } from "storefront-platform/engine";
import { giftCards } from "gift-cards";

const Card = z.object({ balance: z.number(), email: z.string() });

export default defineConfig({
  engines: [giftCards()],
  hooks: {
    "gift_cards.cards.create": {
      before({ body }) {
        if (Card.parse(body).balance > 50_000)
          throw fail("conflict", "Gift cards have 500 GBP at most.", { code: "balance_too_high" });
      },
      async after({ body }, { tx, newId, nowAt }) {
        const { email } = Card.parse(body);
        const id = newId("mail");
        await sendMail(tx, { id, to: "accounts@bakery.example", subject: "Gift card", text: email, created_at: nowAt });
      },
    },
    "delivery.holds.create": {
      before() {
        throw fail("conflict", "The bakery is closed today.", { code: "closed_today" });
      },
    },
  },
});
`;

/** Type checks what the folder's tsconfig.json lists; fails with what the compiler says. */
async function compile(): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", folder, "--noEmit"], { cwd: folder, env }).catch(
    (error: unknown) => {
      throw new Error(String(Object(error).stdout));
    },
  );
}

/** Each line after a comment must fail to compile: a comment without an error below it is an error. */
const MISUSES = `
import createClient from "openapi-fetch";
import type { components, operations, paths } from "storefront-platform/api";
type Created = operations["delivery.zones.create"]["requestBody"]["content"]["application/json"];
const api = createClient<paths>();
// @ts-expect-error no such path
await api.GET("/v1/delivery/zone");
// @ts-expect-error no such method
await api.DELETE("/v1/delivery/zones");
// @ts-expect-error the id is missing
await api.GET("/v1/delivery/zones/{id}");
// @ts-expect-error no such parameter
await api.GET("/v1/delivery/zones", { params: { query: { limits: 1 } } });
// @ts-expect-error a limit is a number
await api.GET("/v1/delivery/zones", { params: { query: { limit: "all" } } });
// @ts-expect-error the body is missing
await api.POST("/v1/delivery/zones");
// @ts-expect-error the name is missing
await api.POST("/v1/delivery/zones", { body: { fee_tiers: [] } });
// @ts-expect-error no such member
export const body: Created = { name: "Leeds", fee_tiers: [], colour: "red" };
const { data } = await api.GET("/v1/delivery/zones/{id}", { params: { path: { id: "zon_1" } } });
// @ts-expect-error a name is text
export const name: number | undefined = data?.data.name;
// @ts-expect-error no such member of a zone
export const colour = (zone: components["schemas"]["DeliveryZones"]) => zone.colour;
// @ts-expect-error no such operation
export type Operation = operations["delivery.zones.paint"];
`;

describe("the packed package, in an empty folder", () => {
  it("is extended by an engine, which is called by HTTP and by the CLI", async () => {
    expect(await write(extendEngines)).toEqual([
      "gift-cards/package.json",
      "gift-cards/index.js",
      "platform.config.ts",
      "gift-cards/index.test.js",
    ]);
    const [install = "", test = "", use = ""] = blocksOf(extendEngines, "bash");
    await bash(install);
    expect(await bash(test)).toMatch(/Tests +\d+ passed/);
    const { key, url } = await dev(packed);
    const card = {
      email: "ada@bakery.example",
      balance: 2_000,
      currency: "GBP",
      expires_at: "2099-01-01T00:00:00Z",
    };
    const made = await post(`${url}/v1/gift_cards/cards`, key, card);
    expect([made.status, made.json.data.balance]).toEqual([201, 2_000]);
    const redeemed = await post(`${url}/v1/gift_cards/cards/${made.json.data.id}/redeem`, key, {
      amount: 5_000,
    });
    expect([redeemed.status, redeemed.json.error.code]).toEqual([409, "balance_too_low"]);
    const printed = await bash(use);
    expect(printed).toContain("ben@bakery.example");
    expect(printed).toContain("ada@bakery.example");
    await stopServer();
  }, 600_000);

  it("runs hooks before and after a route", async () => {
    await write(extendHooks);
    const { key, url } = await dev(packed);
    const hold = await openHold(url, key);
    const large = await post(`${url}/v1/delivery/holds`, key, { ...hold, quantity: 51 });
    expect([large.status, large.json.error.code]).toEqual([409, "call_us"]);
    for (const more of [{}, { reference: "order 1041" }])
      expect((await post(`${url}/v1/delivery/holds`, key, { ...hold, ...more })).status).toBe(201);
    // The running server forwards by itself as well, and refuses a second run meanwhile.
    const forward = "npx platform jobs run mail.forward || true";
    await expect
      .poll(() => bash(`${forward}; npx platform mail list --to kitchen@bakery.example --json`))
      .toContain("engine-message");
    await stopServer();
  }, 120_000);

  it("runs hooks around routes of an engine from outside and of one of the platform", async () => {
    await writeFile(join(folder, "platform.config.ts"), ENGINE_AND_HOOKS);
    const { key, url } = await dev(packed);
    const card = { email: "cy@bakery.example", currency: "GBP", expires_at: "2099-01-01T00:00:00Z" };
    const large = await post(`${url}/v1/gift_cards/cards`, key, { ...card, balance: 50_001 });
    expect([large.status, large.json.error.code]).toEqual([409, "balance_too_high"]);
    expect((await post(`${url}/v1/gift_cards/cards`, key, { ...card, balance: 50_000 })).status).toBe(201);
    const hold = await openHold(url, key);
    const refused = await post(`${url}/v1/delivery/holds`, key, hold);
    expect([refused.status, refused.json.error.code]).toEqual([409, "closed_today"]);
    // By the CLI: over the running server, then in its own process.
    const create = (balance: number) =>
      `npx platform gift_cards cards create --email dee@bakery.example --balance ${balance} --currency GBP --expires-at 2099-01-01T00:00:00Z`;
    for (const step of ["over HTTP", "in process"]) {
      expect(await bash(`${create(60_000)} && exit 1 || echo "exit $?"`), step).toMatch(
        /Gift cards have 500 GBP at most[\s\S]*exit \d/,
      );
      await bash(create(300));
      if (step === "over HTTP") await stopServer();
    }
    const cards = JSON.parse(await bash("npx platform --json gift_cards cards list 2>/dev/null"));
    const owners = cards.data.map(({ balance, email }: Card) => `${email} ${balance}`);
    expect(owners.filter((owner: string) => /^(?:cy|dee)@/.test(owner)).toSorted()).toEqual([
      "cy@bakery.example 50000",
      "dee@bakery.example 300",
      "dee@bakery.example 300",
    ]);
    // `after` added to each transaction that was stored, and to no other.
    await bash("npx platform jobs run mail.forward");
    const mails = await bash("npx platform mail list --to accounts@bakery.example --json 2>/dev/null");
    expect(mails.match(/"engine-message"/g)).toHaveLength(3);
  }, 180_000);

  it("stores its data with a driver of its own", async () => {
    await write(extendStorage);
    const [test = ""] = blocksOf(extendStorage, "bash");
    expect(await bash(test)).toMatch(/Tests +\d+ passed/);
    const { key, url } = await dev(packed);
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/v1/delivery/zones`, { headers })).status).toBe(200);
    expect(await bash("npx platform config show")).toContain("storage.driver\tcustom");
    await stopServer();
    expect(await readdir(join(folder, "folder"))).not.toEqual([]);
  }, 300_000);

  it("sends mail with a transport of its own", async () => {
    await write(extendMail);
    for (const block of blocksOf(extendMail, "bash")) await bash(block);
    const [file = ""] = await readdir(join(folder, "sent"));
    const mail = await readFile(join(folder, "sent", file), "utf8");
    expect(mail).toMatch(/^From: Bakery <hello@bakery\.example>/m);
    expect(mail).toMatch(/^To: ada@bakery\.example/m);
  }, 120_000);

  it("runs inside another server", async () => {
    await write(extendEmbedding);
    const [, url = ""] = await start(
      packed,
      [process.execPath, "server.mjs"],
      /Listening on (http\S+?)\/?\s/,
    );
    const text = async (path: string) => (await fetch(url + path)).text();
    expect(await text("/")).toBe("The shop");
    expect(JSON.parse(await text("/platform/status"))).toEqual({ engines: 11 });
    expect(await text("/platform/docs")).toContain("/platform/docs/guides/");
    await stopServer();
  }, 120_000);

  it("exports the types of all paths, which compile strictly and refuse wrong calls", async () => {
    await rm(join(folder, "platform.config.ts"), { force: true });
    await write(typescript);
    const [install = "", use = ""] = blocksOf(typescript, "bash");
    await bash(install);
    const { key, url } = await dev(packed);
    env = { ...env, PLATFORM_URL: url, API_KEY: key };
    const printed = await bash(use);
    expect(printed).toContain("Westminster and Covent Garden: from 1500");
    expect(printed).toMatch(/^1200\nSW1A 1AA true 499$/m);
    await stopServer();
    const types = join(folder, "node_modules/storefront-platform/dist/server/api.d.ts");
    expect((await stat(types)).size).toBeLessThan(2_000_000);
    await writeFile(join(folder, "misuses.ts"), MISUSES);
    const settings = await readFile(join(folder, "tsconfig.json"), "utf8");
    await writeFile(
      join(folder, "tsconfig.json"),
      settings.replace('"check.ts"', '"check.ts", "misuses.ts"'),
    );
    await compile();
  }, 300_000);

  it("contains the list of settings as the schema has it", async () => {
    const { stdout } = await run("tar", ["-xzOf", tarball, `package/dist/${FIELDS_FILE}`], {
      maxBuffer: 8_388_608,
    });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(listFields())));
  });

  it("checks the types of a configuration", async () => {
    await write(extendHooks);
    const settings = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: settings, files: ["platform.config.ts"] }),
    );
    await compile();
  }, 120_000);
});

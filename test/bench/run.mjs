// npm run bench: everything is started here, measured in turns (A B C A B C …) and told as ratios of medians.
// Options: --rounds n, --seconds n, --only http|pages|writes|start|redis|tiers|jobs|shops|slots|fair|hostile, --size n (documents of
// each job, or stores of shops; jobs are told at 100,000, shops at 10,000), --peers all (Directus and Strapi too), --json file,
// --page folder (a page in Markdown with pictures).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { compileModules } from "./modules.mjs";
import { benchHostile } from "./hostile.mjs";
import { benchFair } from "./fair.mjs";
import { benchHttp } from "./http.mjs";
import { benchPage } from "./page.mjs";
import { benchPages } from "./pages.mjs";
import { installPeers } from "./peers.mjs";
import { benchJobs } from "./jobs.mjs";
import { benchShops } from "./shops.mjs";
import { benchStart } from "./start.mjs";
import { benchRedis } from "./redis.mjs";
import { printSection } from "./report.mjs";
import { benchSlots } from "./slots.mjs";
import { benchTiers } from "./tiers.mjs";
import { benchWrites } from "./writes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    only: { type: "string" },
    size: { type: "string" },
    peers: { type: "string" },
    json: { type: "string" },
    page: { type: "string" },
  },
});
const options = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  peers: values.peers,
  ...(values.size === undefined ? {} : { size: Number(values.size) }),
};
const wanted = (name) => values.only === undefined || values.only === name;

installPeers(options.peers === "all");
compileModules();
const sections = [];
const run = async (name, bench) => {
  if (!wanted(name)) return;
  for (const section of await bench(options)) {
    sections.push(section);
    printSection(section);
  }
};
await run("http", benchHttp);
await run("pages", benchPages);
await run("writes", benchWrites);
await run("start", benchStart);
await run("redis", benchRedis);
await run("tiers", benchTiers);
await run("jobs", benchJobs);
await run("shops", benchShops);
await run("slots", benchSlots);
await run("fair", benchFair);
await run("hostile", benchHostile);
const machine = { node: process.version, platform: process.platform, arch: process.arch };
const result = { machine, options, sections };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
if (values.page !== undefined) {
  mkdirSync(values.page, { recursive: true });
  for (const [name, text] of benchPage(result)) writeFileSync(join(values.page, name), text);
}

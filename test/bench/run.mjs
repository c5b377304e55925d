// npm run bench: everything is started here, measured in turns (A B C A B C …) and told as ratios of medians.
// Options: --rounds n, --seconds n, --only http|pages|writes|start|redis|tiers|slots|fair|hostile, --json file.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { compileModules } from "./modules.mjs";
import { benchHostile } from "./hostile.mjs";
import { benchFair } from "./fair.mjs";
import { benchHttp } from "./http.mjs";
import { benchPages } from "./pages.mjs";
import { installPeers } from "./peers.mjs";
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
    json: { type: "string" },
  },
});
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
const wanted = (name) => values.only === undefined || values.only === name;

await installPeers();
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
await run("slots", benchSlots);
await run("fair", benchFair);
await run("hostile", benchHostile);
if (values.json !== undefined) {
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  writeFileSync(values.json, `${JSON.stringify({ machine, options, sections }, null, 2)}\n`);
}

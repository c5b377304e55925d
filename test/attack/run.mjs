// npm run attack: one hostile customer beside an honest one, on real processes, on loopback only. Prints what the honest one noticed, and
// ends with 1 where a goal is missed. Options: --only fs|redis, --attack <name>, --seconds n, --short (no goals of time), --json file.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { attacks, MAILS_TO_STRANGERS, STRANGERS } from "./attacks.mjs";
import { missingMails, openShop, work } from "./honest.mjs";
import { signUp, startPlatform } from "./parts.mjs";

const RATIO_MAX = 3;
const WAIT_RATIO_MAX = 2;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    attack: { type: "string" },
    seconds: { type: "string", default: "10" },
    short: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const names = Object.keys(attacks).filter((name) => values.attack === undefined || values.attack === name);
const PLANS = [
  { id: "free", requestsPerMinute: 60 },
  { id: "growth", requestsPerMinute: 60_000 },
];

const percentile = (list, share) => {
  const sorted = list.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
};
const sizesOf = ({ latencies, waits }) => ({
  p50: percentile(latencies, 0.5),
  p99: percentile(latencies, 0.99),
  wait: percentile(waits, 0.99),
});

/** A customer of the plan Free, with everything prepared. */
async function openHostile(platform, name) {
  const customer = await signUp(platform, `hostile-${name}`);
  const { prepare } = attacks[name];
  const { key } = customer;
  await customer.setPlan("growth");
  const state = (await prepare?.({ url: platform.urls[0], key, web: platform.web })) ?? {};
  await customer.setPlan("free");
  return { ...customer, state };
}

function attackIn(platform, name, { key, state }) {
  const file = new URL("hostile.mjs", import.meta.url).pathname;
  const job = JSON.stringify({ attack: name, urls: platform.urls, key, seconds, state });
  const child = spawn(process.execPath, [file, job], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${name}: exit ${code}`)),
    );
  });
}

/** Bytes and documents of a store beyond what its plan gives it. */
async function beyondQuota({ budgets }) {
  const stored = (await budgets()).filter(({ budget }) => budget === "documents" || budget === "bytes");
  return stored
    .map(({ limit, used }) => Math.max(0, used - (limit ?? Infinity)))
    .reduce((sum, more) => sum + more, 0);
}

async function drill(driver) {
  const platform = await startPlatform(driver, { plans: PLANS, slowMs: 8_000 });
  const rows = [];
  try {
    const shop = await openShop(platform, "honest");
    // What is loaded at the first request is loaded.
    await work(platform, shop, values.short ? 1 : 5);
    const alone = await work(platform, shop, values.short ? 2 : 3 * seconds);
    const base = sizesOf(alone);
    for (const name of names) {
      const hostile = await openHostile(platform, name);
      const before = platform.mail.mails.length;
      const [noticed, answers] = await Promise.all([
        work(platform, shop, seconds),
        attackIn(platform, name, hostile),
      ]);
      const missing = await missingMails(platform, shop);
      const foreign = platform.mail.mails
        .slice(before)
        .filter(({ to }) => to.some((one) => one.endsWith(`@${STRANGERS}`)));
      // Signups write to the addresses that were signed up with, and to nobody else.
      const strangers = name === "signups" ? 0 : foreign.length;
      const size = sizesOf(noticed);
      const up = platform.nodes.every(({ isUp }) => isUp());
      rows.push({
        driver,
        attack: name,
        title: attacks[name].title,
        p50: size.p50,
        p99: size.p99,
        ratio: size.p99 / base.p99,
        wait: size.wait,
        waitRatio: size.wait / base.wait,
        requests: noticed.latencies.length,
        lost: noticed.lost.length + missing.length + (up ? 0 : 1),
        losses: [...new Set([...noticed.lost, ...missing])].slice(0, 3),
        foreign: Math.max(0, strangers - MAILS_TO_STRANGERS),
        strangers,
        beyond: await beyondQuota(hostile),
        answers,
      });
      printRow(rows.at(-1));
    }
    return { driver, alone: { ...base, requests: alone.latencies.length, lost: alone.lost }, rows };
  } finally {
    for (const { log } of platform.nodes)
      if (log.length > 1) console.error(log.slice(1).join("").slice(0, 4_000));
    await platform.stop();
  }
}

const ms = (value) =>
  Number.isFinite(value) ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : "never";
const COLUMNS = [
  ["Attack", 38, ({ title }) => title],
  ["p50", 9, ({ p50 }) => ms(p50)],
  ["p99", 9, ({ p99 }) => ms(p99)],
  ["x alone", 8, ({ ratio }) => ratio.toFixed(1)],
  ["page", 10, ({ wait }) => ms(wait)],
  ["x alone", 8, ({ waitRatio }) => waitRatio.toFixed(1)],
  ["lost", 5, ({ lost }) => String(lost)],
  ["mails", 6, ({ strangers }) => String(strangers)],
  ["beyond", 7, ({ beyond, foreign }) => String(beyond + foreign)],
];
const printLine = (cells) =>
  console.log(cells.map((cell, index) => cell.padEnd(COLUMNS[index][1])).join(" "));
const printRow = (row) => {
  printLine(COLUMNS.map(([, , show]) => show(row)));
  for (const loss of row.losses) console.log(`  lost: ${loss}`);
  if (process.env.ATTACK_VERBOSE) console.log(`  ${JSON.stringify(row.answers)}`);
};

const results = [];
for (const driver of ["fs", "redis"]) {
  if (values.only !== undefined && values.only !== driver) continue;
  console.log(`\n${driver === "fs" ? "One node on fs" : "Two nodes on Redis"}, ${seconds} s each`);
  printLine(COLUMNS.map(([title]) => title));
  const result = await drill(driver);
  const { p50, p99, wait, requests } = result.alone;
  console.log(`Alone: p50 ${ms(p50)}, p99 ${ms(p99)}, page ${ms(wait)}, ${requests} requests.`);
  results.push(result);
}
const rows = results.flatMap((result) => result.rows);
const failures = rows.flatMap((row) => [
  ...(row.lost > 0 ? [`${row.driver}, ${row.title}: ${row.lost} requests or mails were lost.`] : []),
  ...(row.foreign > 0
    ? [`${row.driver}, ${row.title}: ${row.foreign} mails to strangers beyond the budget.`]
    : []),
  ...(row.beyond > 0 ? [`${row.driver}, ${row.title}: the quota was exceeded by ${row.beyond}.`] : []),
  ...(!values.short && row.ratio > RATIO_MAX
    ? [`${row.driver}, ${row.title}: p99 is ${row.ratio.toFixed(1)} x alone, the goal is ${RATIO_MAX}.`]
    : []),
  ...(!values.short && row.waitRatio > WAIT_RATIO_MAX
    ? [
        `${row.driver}, ${row.title}: pages waited ${row.waitRatio.toFixed(1)} x as long as alone, the goal is ${WAIT_RATIO_MAX}.`,
      ]
    : []),
]);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
console.log(
  failures.length === 0
    ? "\nEvery goal is met."
    : `\nMissed goals:\n${failures.map((line) => `- ${line}`).join("\n")}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

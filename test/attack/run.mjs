// npm run attack: one hostile customer beside an honest one, on real processes, on loopback only. Prints what the honest one noticed, and
// ends with 1 where a goal is missed. Options: --only fs|redis, --attack <names>, --seconds n, --rounds n, --short (no goals of time), --json file.
// Each round of an attack follows a time of the same length in which the honest customer is alone; the two are compared, so that a slow
// minute of the machine is in both.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { attacks, MAILS_TO_STRANGERS, openHostile, STRANGERS } from "./attacks.mjs";
import { missingMails, openShop, work } from "./honest.mjs";
import { pause, startPlatform } from "./parts.mjs";

const RATIO_MAX = 3;
const WAIT_RATIO_MAX = 2;
/** Milliseconds in which one node, on fs, answers 99 of 100 requests for /healthz: probes of orchestrators wait a second. */
const HEALTH_MAX = 50;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    attack: { type: "string" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    short: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const rounds = values.short ? 1 : Number(values.rounds);
/** Time in which what an attack left behind comes to its end. */
const SETTLE_MS = 3_000;
/** The short form plays what has goals that hold on every machine. */
const SHORT = ["requests", "mail", "storage"];
const names = values.attack?.split(",") ?? (values.short ? SHORT : Object.keys(attacks));
const PLANS = [
  // The plan as it is, with a quota that can be filled in this time.
  { id: "free", requestsPerMinute: 60, megabytesPerStore: 5 },
  { id: "growth", requestsPerMinute: 60_000 },
];

const percentile = (list, share) => {
  const sorted = list.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
};
const sizesOf = ({ latencies, waits, health }) => ({
  health: percentile(health, 0.99),
  p50: percentile(latencies, 0.5),
  p99: percentile(latencies, 0.99),
  wait: percentile(waits, 0.99),
});

function attackIn(platform, name, { key, state }) {
  const file = new URL("hostile.mjs", import.meta.url).pathname;
  const { urls, mcp } = platform;
  const job = JSON.stringify({ attack: name, urls, mcp: mcp.url, key, seconds, state });
  // Yields to the others of this machine: with its threads, which a process that lowers its own priority leaves as they are.
  const args = ["-n", "19", process.execPath, file, job];
  const child = spawn("nice", args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${name}: exit ${code}`)),
    );
  });
}

/** What a customer stores, and the part of it that its quota does not cover. */
async function storageOf({ budgets }) {
  const quotas = (await budgets()).filter(({ budget }) => budget === "documents" || budget === "storage");
  if (quotas.length === 0) throw new Error("The customer has no quota of storage.");
  const sum = (list) => list.reduce((total, one) => total + one, 0);
  return {
    stored: sum(quotas.filter(({ budget }) => budget === "storage").map(({ used }) => used)),
    beyond: sum(quotas.map(({ limit, used }) => Math.max(0, used - limit))),
  };
}

/** The customer that stores most. */
const largest = (all) =>
  all.reduce((one, other) => (other.beyond + other.stored > one.beyond + one.stored ? other : one));

/** What became of one attack, beside what the honest customer noticed of it. */
async function judge(platform, { name, shop, hostiles, quiet, noticed, answers }) {
  const missing = await missingMails(platform, shop);
  const down = platform.nodes.filter(({ isUp }) => !isUp()).length;
  return {
    attack: name,
    title: attacks[name].title,
    ...sizesOf(noticed),
    alone: sizesOf(quiet),
    requests: noticed.latencies.length,
    lost: noticed.lost.length + missing.length + down,
    strangers: 0,
    foreign: 0,
    losses: [...new Set([...noticed.lost, ...missing])].slice(0, 3),
    ...largest(await Promise.all(hostiles.map(storageOf))),
    answers,
  };
}

/**
 * Mails that reached strangers by an attack, once none have come for a while. A signup writes to the address that it is for, and to nobody
 * else: three mails a day at most.
 */
async function mailsToStrangers({ mail }, name) {
  if (name !== "mail") return 0;
  for (let known = -1; known < mail.mails.length; await pause(10_000)) known = mail.mails.length;
  return mail.mails.filter(({ to }) =>
    to.some((address) => /^ada-.*@/.test(address) && address.endsWith(`@${STRANGERS}`)),
  ).length;
}

/** @returns {{ latencies: number[], waits: number[], health: number[], lost: string[] }} */
const nothing = () => ({ latencies: [], waits: [], health: [], lost: [] });
const add = (all, more) => {
  for (const part of Object.keys(all)) all[part].push(...more[part]);
};

/** Rounds of an attack, each by a hostile customer of its own, after a time in which the honest customer is alone. */
async function play(platform, shop, name) {
  const [quiet, noticed, hostiles, answers] = [nothing(), nothing(), [], []];
  // Before the first attack, which may use up the signups of this IP address.
  for (let round = 0; round < rounds; round += 1) hostiles.push(await openHostile(platform, name, round));
  for (const [round, hostile] of hostiles.entries()) {
    const { hasAgent } = attacks[name];
    add(quiet, await work(platform, shop, values.short ? 1 : seconds, hasAgent));
    const [seen, given] = await Promise.all([
      work(platform, shop, seconds, hasAgent),
      attackIn(platform, name, hostile),
    ]);
    add(noticed, seen);
    answers.push(given);
    if (round + 1 < rounds) await pause(SETTLE_MS);
  }
  return { name, shop, hostiles, quiet, noticed, answers };
}

/** Every attack after the other. */
async function drill(driver) {
  const platform = await startPlatform(driver, { plans: PLANS, slowMs: 8_000 });
  const alone = nothing();
  const rows = [];
  try {
    const shop = await openShop(platform, "honest");
    // What is loaded at the first request is loaded.
    await work(platform, shop, 2);
    for (const name of names) {
      process.stderr.write(`${attacks[name].title} …\n`);
      const played = await play(platform, shop, name);
      add(alone, played.quiet);
      rows.push(await judge(platform, played));
    }
    for (const row of rows) {
      row.strangers = await mailsToStrangers(platform, row.attack);
      row.foreign = Math.max(0, row.strangers - rounds * MAILS_TO_STRANGERS);
    }
  } finally {
    for (const { log } of platform.nodes) {
      if (log.length > 1) process.stderr.write(log.slice(1).join("").slice(0, 4_000));
    }
    await platform.stop();
  }
  const base = { ...sizesOf(alone), requests: alone.latencies.length, lost: alone.lost };
  return {
    driver,
    alone: base,
    rows: rows.map((row) => ({
      driver,
      ...row,
      ratio: row.p99 / row.alone.p99,
      waitRatio: row.wait / row.alone.wait,
    })),
  };
}

const ms = (value) =>
  Number.isFinite(value) ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : "never";
const COLUMNS = [
  ["Attack", 38, ({ title }) => title],
  ["p50", 9, ({ p50 }) => ms(p50)],
  ["p99", 9, ({ p99 }) => ms(p99)],
  ["alone", 9, ({ alone }) => ms(alone.p99)],
  ["x alone", 8, ({ ratio }) => ratio.toFixed(1)],
  ["healthz", 9, ({ health }) => ms(health)],
  ["page", 10, ({ wait }) => ms(wait)],
  ["x alone", 8, ({ waitRatio }) => waitRatio.toFixed(1)],
  ["lost", 5, ({ lost }) => String(lost)],
  ["mails", 6, ({ strangers }) => String(strangers)],
  ["bytes", 9, ({ stored }) => String(stored)],
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
  const result = await drill(driver);
  results.push(result);
  const { p50, p99, wait, health, requests, lost } = result.alone;
  console.log(
    `\n${driver === "fs" ? "One node on fs" : "Two nodes on Redis"}, ${rounds} x ${seconds} s each`,
  );
  console.log(
    `Alone: p50 ${ms(p50)}, p99 ${ms(p99)}, healthz ${ms(health)}, page ${ms(wait)}, ${requests} requests.`,
  );
  printLine(COLUMNS.map(([title]) => title));
  for (const row of result.rows) printRow(row);
  for (const loss of lost) console.log(`  lost alone: ${loss}`);
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
  ...(!values.short && row.driver === "fs" && row.health > HEALTH_MAX
    ? [`${row.driver}, ${row.title}: /healthz p99 is ${ms(row.health)}, the goal is ${HEALTH_MAX} ms.`]
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

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { benchSqlite } from "./tiers-sqlite.mjs";

const MEMBERS = Number(process.env["BENCH_MEMBERS"] ?? 100_000);
const PART = "sto_bench";
const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const NOW_AT = new Date(NOW).toISOString();
const TODAY = "2026-06-01";
/** Members that one commit of the filling holds, and commits at once. */
const PER_COMMIT = 8;
const AT_ONCE = 16;

/** Recalculation of 100,000 members on the fs driver: dry run, application, and a second dry run that finds nothing to do. */
export async function benchTiers() {
  const from = (path) => import(`../../dist/bench/server/${path}.js`);
  const { openFsDriver } = await from("storage/fs");
  const { createRunTx } = await from("core/tx");
  const { createCursorCodec } = await from("core/cursor");
  const { stepRecalculation } = await from("engines/tiers/services/recalculate");
  const { recalculations } = await from("engines/tiers/repository");
  const base = mkdtempSync(`${tmpdir()}/platform-tiers-`);
  const store = await openFsDriver({ base, clock: { now: () => Date.now() } });
  const people = await fill(store, from);
  const sql = await benchSqlite(`${base}/peer.db`, people);
  const runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
  const work = { part: PART, nowAt: NOW_AT, runTx, signal: new AbortController().signal };
  const change = (id, next) =>
    runTx(PART, async (tx) => {
      const job = await tx.require(recalculations, id);
      return tx.put(recalculations, job, { ...job.value, ...next }).value;
    });
  const timed = async (id) => {
    const started = process.hrtime.bigint();
    while (await stepRecalculation(work, id)) {
      // Each step is a page of members.
    }
    return Number(process.hrtime.bigint() - started) / 1e9;
  };
  const queue = (id) => runTx(PART, async (tx) => void tx.create(recalculations, jobOf(id)));
  const read = (id) => runTx(PART, async (tx) => (await tx.require(recalculations, id)).value);

  await queue("trc_bench1");
  const dry = await timed("trc_bench1");
  const found = await read("trc_bench1");
  if (found.status !== "ready" || found.counts.down === 0) throw new Error("The dry run found nothing.");
  const fresh = { counts: jobOf("x").counts, progress: { ...found.progress, done: 0, cursor: null } };
  await change("trc_bench1", { ...fresh, status: "applying", mode: "apply" });
  const applied = await timed("trc_bench1");
  const done = await read("trc_bench1");
  await queue("trc_bench2");
  const again = await timed("trc_bench2");
  const second = await read("trc_bench2");
  if (found.counts.down !== sql.down || found.counts.up !== sql.up)
    throw new Error("SQLite found other moves.");
  if (second.counts.down + second.counts.up > 0) throw new Error("The second dry run found something to do.");
  await store.close();
  rmSync(base, { recursive: true, force: true });
  const rate = (seconds) => [Math.round(MEMBERS / seconds)];
  return [
    {
      title: `Tiers: ${MEMBERS.toLocaleString("en-GB")} members recalculated, fs driver`,
      unit: "members/s",
      rows: [
        { name: "dry run", values: rate(dry) },
        { name: "application", values: rate(applied) },
        { name: "dry run with nothing to do", values: rate(again) },
        { name: "SQLite: dry run", values: rate(sql.dry) },
        { name: "SQLite: application", values: rate(sql.applied) },
      ],
      notes: [
        `${done.counts.down} moved down, ${done.counts.up} up, ${done.counts.written} written; ` +
          `${dry.toFixed(1)} s, ${applied.toFixed(1)} s and ${again.toFixed(1)} s. One run each.`,
        `SQLite computes the same levels in SQL (${sql.down} down, ${sql.up} up) and stores level and date alone: no ledger of ` +
          "facts, benefits, scores, windows, moves, log, index or diff for a rollback.",
      ],
    },
  ];
}

const spend = (value) => ({
  all: [{ metric: "spend", key: null, op: "gte", value, window: { type: "rolling", months: 12 } }],
});
const programme = (silver, gold) => ({
  name: "Club",
  levels: [
    { id: "lvl_base", name: "Base", rank: 0, entry: { all: [] } },
    { id: "lvl_silver", name: "Silver", rank: 1, entry: spend(silver) },
    { id: "lvl_gold", name: "Gold", rank: 2, entry: spend(gold) },
  ],
});

const jobOf = (id) => ({
  id,
  created_at: NOW_AT,
  updated_at: NOW_AT,
  status: "queued",
  mode: "dry_run",
  as_of: TODAY,
  scope: { level_id: null },
  placement: "requalify",
  programme_id: "tpg_bench",
  programme_version: 2,
  draft: false,
  levels: [],
  discounts: { currency: "GBP", before: 0, after: 0 },
  progress: { done: 0, total: 0, cursor: null },
  counts: { up: 0, down: 0, same: 0, errors: 0, written: 0, skipped: 0 },
  moves_sample: [],
  guard: { exceeded: false, down: 0, members: 0 },
  rfm: null,
  applied_at: null,
  rollback_until: null,
});

/** Returns the members with their orders, for the peer. Members with three to eight orders of two years, judged by cheaper rules than those of the recalculation. */
async function fill(store, from) {
  const { judgeMember, newMember } = await from("engines/tiers/services/members");
  const { joinLedgers, ledgerOf } = await from("engines/tiers/rules/ledger");
  const { draftRules, ProgrammeDraft } = await from("engines/tiers/schema/programme");
  const { customers, memberId, members, published } = await from("engines/tiers/repository");
  const { EMPTY_LEDGER } = await from("engines/tiers/schema/ledger");
  const { indexEntries, toText } = await from("core/collection");
  const put = (collection, value) => [
    { put: `${PART}:${collection.name}:${value.id}`, value: toText(collection, value) },
    ...indexEntries(collection, value).map(([coll, id]) => ({ put: `${PART}:${coll}:${id}`, value: "1" })),
  ];
  const version = (number, rules) => ({
    id: `tpg_bench.${number}`,
    programme_id: "tpg_bench",
    programme_version: number,
    rules: draftRules(ProgrammeDraft.parse(rules), null),
  });
  const [cheap, dear] = [version(1, programme(20_000, 60_000)), version(2, programme(30_000, 80_000))];
  await store.commit(PART, [...put(published, cheap), ...put(published, dear)]);
  const world = { ...cheap, nowAt: NOW_AT, cuts: null };
  let state = 4711;
  const random = (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const people = [];
  const memberOf = (index) => {
    const orders = [];
    const name = `customer-${index}`;
    let ledger = EMPTY_LEDGER;
    for (let count = 3 + random(6); count > 0; count -= 1) {
      const order = {
        type: "order",
        source: "shop",
        external_id: `${name}-${count}`,
        order_ref: `${name}-${count}`,
        source_version: 0,
        occurred_at: new Date(NOW - random(720) * DAY_MS).toISOString(),
        currency: "GBP",
        rate: null,
        state: "paid",
        fulfilled_at: null,
        amount: 500 + random(20_000),
        shipping: 295,
        tax: 0,
        discount: 0,
        channel: "web",
        categories: {},
      };
      orders.push({ at: order.occurred_at.slice(0, 10), amount: order.amount });
      ledger = joinLedgers(ledger, ledgerOf(order));
    }
    const member = { ...newMember(memberId(name), name, NOW_AT), ledger };
    const judged = judgeMember(member, world, { asOf: TODAY });
    people.push({ id: judged.member.id, level: judged.member.standing.rank, orders });
    return [
      ...put(members, judged.member),
      ...put(customers, { ...judged.aggregate, updated_at: NOW_AT, as_of: NOW_AT }),
    ];
  };
  let next = 0;
  const writer = async () => {
    while (next < MEMBERS) {
      const ops = [];
      for (let count = 0; count < PER_COMMIT && next < MEMBERS; count += 1) {
        ops.push(...memberOf(next));
        next += 1;
      }
      const result = await store.commit(PART, ops);
      if (!result.ok) throw new Error("The store refused a commit of new members.");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
  return people;
}

// The peer of a recalculation: the same levels by one statement over an indexed table of orders, durable commits.
import { createRequire } from "node:module";

const require = createRequire(new URL("peers/package.json", import.meta.url));

const LEVELS = `
  SELECT m.id, m.level AS before, CASE WHEN total >= 80000 THEN 2 WHEN total >= 30000 THEN 1 ELSE 0 END AS after
  FROM members m LEFT JOIN (
    SELECT member, SUM(amount) AS total FROM orders WHERE day BETWEEN '2025-06-02' AND '2026-06-01' GROUP BY member
  ) o ON o.member = m.id`;

/** Seconds of a dry run, which stores each move, and of its application. */
export async function benchSqlite(file, people) {
  const Database = require("better-sqlite3");
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(`
    CREATE TABLE members (id TEXT PRIMARY KEY, level INTEGER NOT NULL, since TEXT);
    CREATE TABLE orders (member TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL);
    CREATE INDEX orders_member ON orders (member, day, amount);
    CREATE TABLE moves (id TEXT PRIMARY KEY, before INTEGER NOT NULL, after INTEGER NOT NULL);
  `);
  const insert = db.prepare("INSERT INTO members VALUES (?, ?, NULL)");
  const order = db.prepare("INSERT INTO orders VALUES (?, ?, ?)");
  db.transaction(() => {
    for (const { id, level, orders } of people) {
      insert.run(id, level);
      for (const { at, amount } of orders) order.run(id, at, amount);
    }
  })();
  const timed = (statement) => {
    const started = process.hrtime.bigint();
    db.exec(statement);
    return Number(process.hrtime.bigint() - started) / 1e9;
  };
  const dry = timed(`INSERT INTO moves SELECT * FROM (${LEVELS}) WHERE before <> after`);
  const count = (test) => db.prepare(`SELECT COUNT(*) AS count FROM moves WHERE ${test}`).get().count;
  const [down, up] = [count("after < before"), count("after > before")];
  const applied = timed(
    `UPDATE members SET level = moves.after, since = '2026-06-01' FROM moves WHERE moves.id = members.id`,
  );
  db.close();
  return { dry, applied, down, up };
}

// What both peers stand on: the same records in SQLite with the right index, WAL, durable commits.
import { randomUUID } from "node:crypto";

import Database from "better-sqlite3";

import { bundleOf, CAPACITY, RECORDS } from "../dataset.mjs";

export function openShop(file) {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(`
    CREATE TABLE bundles (id TEXT PRIMARY KEY, store TEXT NOT NULL, created INTEGER NOT NULL, doc TEXT NOT NULL);
    CREATE INDEX bundles_newest ON bundles (store, created DESC);
    CREATE TABLE slots (id TEXT PRIMARY KEY, capacity INTEGER NOT NULL, held INTEGER NOT NULL);
    CREATE TABLE holds (id TEXT PRIMARY KEY, slot TEXT NOT NULL, expires INTEGER NOT NULL);
  `);
  const insert = db.prepare("INSERT INTO bundles VALUES (?, ?, ?, ?)");
  const insertSlot = db.prepare("INSERT INTO slots VALUES (?, ?, 0)");
  db.transaction(() => {
    for (let index = 0; index < RECORDS; index += 1) {
      const bundle = bundleOf(index, `bdl_${index}`);
      insert.run(bundle.id, "store", index, JSON.stringify(bundle));
    }
    for (let index = 0; index < 640; index += 1) insertSlot.run(`slot-${index}`, CAPACITY);
  })();
  const select = db.prepare("SELECT doc FROM bundles WHERE store = ? ORDER BY created DESC LIMIT ?");
  const take = db.prepare("UPDATE slots SET held = held + 1 WHERE id = ? AND held < capacity");
  const insertHold = db.prepare("INSERT INTO holds VALUES (?, ?, ?)");
  return {
    slots: Array.from({ length: 640 }, (_, index) => `slot-${index}`),
    page: (limit) => select.all("store", limit).map((row) => JSON.parse(row.doc)),
    /** Null when the slot is full. */
    hold: db.transaction((slot) => {
      if (take.run(slot).changes === 0) return null;
      const hold = { id: randomUUID(), slot_id: slot, expires_at: Date.now() + 900_000 };
      insertHold.run(hold.id, slot, hold.expires_at);
      return hold;
    }),
  };
}

// What both peers stand on: the same records in SQLite with the right index, WAL, durable commits.
import { randomUUID } from "node:crypto";

import Database from "better-sqlite3";

import { RECORDS, zoneOf } from "../dataset.mjs";

export function openZones(file) {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE zones (id TEXT PRIMARY KEY, store TEXT NOT NULL, created INTEGER NOT NULL, doc TEXT NOT NULL)");
  db.exec("CREATE INDEX zones_newest ON zones (store, created DESC)");
  const insert = db.prepare("INSERT INTO zones VALUES (?, ?, ?, ?)");
  db.transaction(() => {
    for (let index = 0; index < RECORDS; index += 1) {
      const zone = zoneOf(index, `zon_${index}`);
      insert.run(zone.id, "store", index, JSON.stringify(zone));
    }
  })();
  const select = db.prepare("SELECT doc FROM zones WHERE store = ? ORDER BY created DESC LIMIT ?");
  return {
    page: (limit) => select.all("store", limit).map((row) => JSON.parse(row.doc)),
    add(body) {
      const zone = { ...zoneOf(0, randomUUID()), ...body };
      insert.run(zone.id, "store", Date.now(), JSON.stringify(zone));
      return zone;
    },
  };
}

import type { Stored, Tx } from "../../../core/tx.ts";
import { programmes, published, publishedId, running } from "../repository.ts";
import { programmeFields, Rules } from "../schema/programme.ts";
import type { Programme } from "../schema/programme.ts";

/** Stages rules as the next published version of a programme; the programme published before is archived. */
export async function publishRules(
  tx: Tx,
  stored: Stored<Programme>,
  rules: Rules,
  nowAt: string,
): Promise<Stored<Programme>> {
  const { id } = stored;
  const version = stored.value.published_version + 1;
  const key = publishedId(id, version);
  tx.create(published, { id: key, programme_id: id, programme_version: version, rules });
  const pointer = await tx.get(running, "running");
  tx.save(running, pointer, { id: "running", published_id: key });
  const before = pointer === null ? null : await tx.get(published, pointer.value.published_id);
  if (before !== null && before.value.programme_id !== id) {
    const old = await tx.get(programmes, before.value.programme_id);
    if (old !== null) tx.put(programmes, old, { ...old.value, status: "archived", updated_at: nowAt });
  }
  const state = { status: "active" as const, published_version: version, published_at: nowAt };
  return tx.put(programmes, stored, { ...stored.value, ...state, updated_at: nowAt });
}

/** The rules of a programme. */
export function rulesOf(programme: Programme): Rules {
  const names = new Set(Object.keys(programmeFields));
  return Rules.parse(Object.fromEntries(Object.entries(programme).filter(([name]) => names.has(name))));
}

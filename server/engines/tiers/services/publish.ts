import { giveWay } from "../../../lib/slices.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { programmes, published, publishedId, running } from "../repository.ts";
import type { Programme, Rules } from "../schema/programme.ts";

/** Stages rules as the next published version of a programme; the programme published before is archived. */
export async function publishRules(
  tx: Tx,
  stored: Stored<Programme>,
  rules: Rules,
  nowAt: string,
): Promise<Stored<Programme>> {
  // Those who publish at the same time run again in one turn, each with hundreds of kilobytes of JSON to write.
  await giveWay(tx.part);
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

/** The rules of a programme, without what else is stored of it. Not parsed again: hundreds of criteria take 35 ms each time. */
export function rulesOf({
  id: _id,
  created_at: _created,
  updated_at: _updated,
  status: _status,
  published_version: _version,
  published_at: _published,
  ...rules
}: Programme): Rules {
  return rules;
}

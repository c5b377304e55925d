import { personalCollections } from "../../core/collection.ts";
import { toInstant } from "../../lib/instant.ts";
import { giveWay } from "../../lib/slices.ts";
import { withoutPerson } from "./match.ts";
import type { Freed } from "./match.ts";
import type { PrivacyWork } from "./progress.ts";
import type { PrivacyRequest, Progress } from "./schema.ts";

/** Documents that one commit rewrites: each costs a dozen operations at most. */
const PER_COMMIT = 10;

interface Counts {
  readonly changed: number;
  readonly removed: number;
  /** One for each document in which the person must stay. */
  readonly held: readonly Held[];
}
type Held = NonNullable<Freed<unknown>["held"]>;

/** The result of a request with what was done in a collection. */
export function counted(
  request: PrivacyRequest,
  collection: string,
  { changed, held, removed }: Counts,
): PrivacyRequest["evidence"] {
  const evidence = { ...request.evidence, retained: withHeld(request.evidence.retained, collection, held) };
  const all = changed + removed;
  if (all === 0) return evidence;
  const collections = {
    ...evidence.collections,
    [collection]: (evidence.collections[collection] ?? 0) + all,
  };
  return {
    ...evidence,
    found: evidence.found + all,
    changed: evidence.changed + changed,
    removed: evidence.removed + removed,
    collections,
  };
}

type Retentions = PrivacyRequest["evidence"]["retained"];

/** One entry for each collection and reason, until the last of its days. */
function withHeld(before: Retentions, collection: string, held: readonly Held[]): Retentions {
  const entries = new Map(before.map((entry) => [`${entry.collection} ${entry.reason}`, entry]));
  for (const { reason, until } of held) {
    const key = `${collection} ${reason}`;
    const known = entries.get(key) ?? { collection, documents: 0, until, reason };
    const last = known.until > until ? known.until : until;
    entries.set(key, { ...known, documents: known.documents + 1, until: last });
  }
  return [...entries.values()];
}

export const todayOf = ({ now }: PrivacyWork): string => toInstant(now).slice(0, "2026-06-01".length);

/** Takes the person out of documents, each as it is now, a bounded commit at a time. */
export async function erase(
  work: PrivacyWork,
  { part, collection: name }: Progress,
  found: readonly { readonly id: string }[],
  known: ReadonlySet<string>,
): Promise<Counts> {
  const collection = personalCollections.get(name);
  const personal = collection?.personal;
  const held: Held[] = [];
  if (collection === undefined || personal === undefined) return { changed: 0, removed: 0, held };
  let [changed, removed] = [0, 0];
  for (let at = 0; at < found.length; at += PER_COMMIT) {
    const ids = found.slice(at, at + PER_COMMIT).map(({ id }) => id);
    const done = await work.runTx(part, async (tx) => {
      const why: Held[] = [];
      const counts = { changed: 0, removed: 0, held: why };
      for (const id of ids) {
        await giveWay(part);
        const stored = await tx.get(collection, id);
        if (stored === null) continue;
        const { held: kept, value: left } = withoutPerson(personal, stored.value, known, todayOf(work));
        if (kept !== null) why.push(kept);
        if (left === stored.value) continue;
        if (left === null) {
          tx.remove(collection, stored);
          counts.removed += 1;
        } else {
          tx.put(collection, stored, left);
          counts.changed += 1;
        }
      }
      return counts;
    });
    changed += done.changed;
    removed += done.removed;
    held.push(...done.held);
  }
  return { changed, removed, held };
}

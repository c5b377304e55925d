import { indexEntries, personalCollections } from "../../core/collection.ts";
import { toInstant } from "../../lib/instant.ts";
import { giveWay } from "../../lib/slices.ts";
import { withoutPerson } from "./match.ts";
import type { Freed } from "./match.ts";
import type { PrivacyWork } from "./progress.ts";
import type { PrivacyRequest, Progress } from "./schema.ts";

/** Documents that one commit rewrites, as far as they fit: one with an answer to each field of a form has a hundred index entries. */
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
  for (let at = 0; at < found.length;) {
    const ids = found.slice(at, at + PER_COMMIT).map(({ id }) => id);
    const done = await work.runTx(part, async (tx) => {
      const why: Held[] = [];
      const counts = { looked: 0, changed: 0, removed: 0, held: why };
      for (const id of ids) {
        await giveWay(part);
        const stored = await tx.get(collection, id);
        // Itself, and entries that go and come: no more of them than it has.
        const most = stored === null ? 0 : 1 + 2 * indexEntries(collection, stored.value).length;
        if (counts.looked > 0 && tx.room() < most) break;
        counts.looked += 1;
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
    at += done.looked;
    changed += done.changed;
    removed += done.removed;
    held.push(...done.held);
  }
  return { changed, removed, held };
}

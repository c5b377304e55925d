import { fromInstant } from "../../../lib/instant.ts";
import { countBooks, headcountSources, rsvps } from "../repository.ts";
import type { SourceAnswer } from "../rules/resolve-headcount.ts";
import { tallyRsvps } from "../rules/tally-rsvps.ts";
import type { HeadcountSource } from "../schema/headcount.ts";
import { emit } from "./work.ts";
import type { CateringWork } from "./work.ts";

const HOUR_MS = 3_600_000;

/** What the sources of a recurring order say of a day. One that was silent for too long is reported. */
export async function answersFor(
  work: CateringWork,
  sourceIds: readonly string[],
  date: string,
): Promise<SourceAnswer[]> {
  const answers: SourceAnswer[] = [];
  for (const id of sourceIds) {
    const source = await work.tx.get(headcountSources, id);
    if (source === null || source.value.status === "archived") continue;
    const answer = await answerOf(work, source.value, date);
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

async function answerOf(
  work: CateringWork,
  source: HeadcountSource,
  date: string,
): Promise<SourceAnswer | null> {
  const sizing = {
    buffer_bps: source.buffer_bps,
    min: source.min,
    max: source.max,
    pack_size: source.pack_size,
  };
  const base = { source_id: source.id, kind: source.kind, sizing };
  if (source.kind === "rsvp") {
    const found = await work.tx.peekAll(rsvps, { index: "day", value: `${source.id}.${date}` });
    const tally = tallyRsvps(found.map(({ value }) => value));
    return tally.answered === 0 ? null : { ...base, fresh: true, ...tally };
  }
  const fresh = isFresh(source, work.now);
  if (!fresh) emit(work, "headcount.stale", source.id, { date, last_ok_at: source.last_ok_at });
  const book = await work.tx.get(countBooks, source.id);
  const day = book?.value.days.find((known) => known.date === date);
  if (day === undefined) return null;
  return { ...base, fresh, count: day.count, evidence: day.evidence, dietary: day.dietary };
}

/** Only a calendar can be out of date: a number that was given for a day is valid until it is replaced. */
const isFresh = ({ kind, last_ok_at: at, stale_after_h: hours }: HeadcountSource, now: number): boolean =>
  kind !== "calendar_feed" || (at !== null && fromInstant(at) + hours * HOUR_MS > now);

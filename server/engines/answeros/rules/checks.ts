import type { PageFacts } from "../../../lib/text/model.ts";
import type { Check, PageType } from "../schema.ts";

/** The input of a score. */
export interface ScoreInput {
  readonly facts: PageFacts;
  /** URL of the page; null for HTML without one. */
  readonly url: string | null;
  readonly page_type: PageType;
  /** Subject of the page; null: its H1, otherwise its title. */
  readonly entity: string | null;
  /** Tracked questions, most important first. */
  readonly questions: readonly string[];
  /** Whether robots.txt allows each crawler; null if robots.txt is unknown. */
  readonly robots: Readonly<Record<string, boolean>> | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `points` is null if the check does not apply. */
export type Finding = Omit<Check, "points" | "status" | "fix"> & {
  readonly points: number | null;
  readonly fix: string;
};

/** A check as returned: good with all points, bad with none; with a fix whenever points can be gained. */
export function checkOf({ points, fix, ...rest }: Finding): Check {
  if (points === null) return { ...rest, points: 0, status: "na", fix: null };
  const status = points >= rest.max ? "good" : points > 0 ? "ok" : "bad";
  return { ...rest, points: Math.round(points * 100) / 100, status, fix: status === "good" ? null : fix };
}

/** The subject of the page: as specified, otherwise its H1, otherwise its title up to a separator. */
export function entityOf({ entity, facts }: Pick<ScoreInput, "entity" | "facts">): string {
  const heading = facts.text.headings.find(({ level }) => level === 1)?.text;
  return entity ?? heading ?? facts.title?.split(/\s[|–—-]\s/)[0] ?? "";
}

/** The points of the first step that is reached; steps are sorted from best to worst. */
export const steps = (value: number, ...of: readonly (readonly [from: number, points: number])[]): number =>
  of.find(([from]) => value >= from)?.[1] ?? 0;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

import type { PageFacts } from "../../../lib/text/model.ts";
import type { Check, PageType } from "../schema.ts";

/** Everything that a score looks at. */
export interface ScoreInput {
  readonly facts: PageFacts;
  /** Address of the page; null for HTML that has none. */
  readonly url: string | null;
  readonly page_type: PageType;
  /** What the page is about; null: its H1, else its title. */
  readonly entity: string | null;
  /** Questions that it should answer, the most important first. */
  readonly questions: readonly string[];
  /** By crawler, whether robots.txt lets it in; null where robots.txt is not known. */
  readonly robots: Readonly<Record<string, boolean>> | null;
  /** On how many pages of the shop the most repeated answer of its FAQ markup stands. */
  readonly repeated_on: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a check found, before its marks are worked out. */
export interface Finding {
  readonly id: string;
  readonly component: Check["component"];
  readonly title: string;
  /** Null where the check does not apply. */
  readonly points: number | null;
  readonly max: number;
  readonly evidence: string;
  readonly fix: string;
}

/** A check as it is served: good with all its points, bad with none; a fix wherever there is something to win. */
export function checkOf({ points, fix, ...rest }: Finding): Check {
  if (points === null) return { ...rest, points: 0, status: "na", fix: null };
  const status = points >= rest.max ? "good" : points > 0 ? "ok" : "bad";
  return { ...rest, points: Math.round(points * 100) / 100, status, fix: status === "good" ? null : fix };
}

/** What the page is about: as it was told, else its H1, else its title up to a separator. */
export function entityOf({ entity, facts }: Pick<ScoreInput, "entity" | "facts">): string {
  const heading = facts.text.headings.find(({ level }) => level === 1)?.text;
  return entity ?? heading ?? facts.title?.split(/\s[|–—-]\s/)[0] ?? "";
}

/** The points of the first step that is reached; steps are ordered from the best down. */
export const steps = (value: number, ...of: readonly (readonly [from: number, points: number])[]): number =>
  of.find(([from]) => value >= from)?.[1] ?? 0;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

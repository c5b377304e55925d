import type { Draft, DraftContent, Settings } from "../schema/draft.ts";
import type { Check } from "../schema/score.ts";
import { approvalsOf } from "./draft-machine.ts";

/** Why a draft must not go live yet. */
export interface GateFault {
  readonly code: "title" | "body" | "approvals" | "seo_score" | "readability_score" | "check";
  /** JSON pointer of the field to fix. */
  readonly pointer: string;
  readonly detail: string;
}

export interface Scored {
  readonly seo: number;
  readonly readability: number | null;
  readonly checks: readonly Check[];
}

/** Whether the store's publishing checks include scores: only then are they computed. */
export const gateNeedsScores = ({ gate }: Settings): boolean =>
  gate.min_seo !== null || gate.min_readability !== null || gate.required_checks.length > 0;

/** All failed publishing checks; empty if there are none. `scored` is null if no score is required. */
export function gateFaults(
  draft: Draft,
  content: DraftContent,
  settings: Settings,
  scored: Scored | null,
): GateFault[] {
  const faults: GateFault[] = [];
  if (content.title === "")
    faults.push({ code: "title", pointer: "#/title", detail: "A post requires a title." });
  if (content.body.trim() === "") {
    faults.push({ code: "body", pointer: "#/body", detail: "A post requires a body." });
  }
  const missing = settings.approvals_required - approvalsOf(draft);
  if (missing > 0) {
    faults.push({
      code: "approvals",
      pointer: "#/approvals",
      detail: `${missing} more of ${settings.approvals_required} required approvals of this revision are missing.`,
    });
  }
  return scored === null ? faults : [...faults, ...scoreFaults(settings, scored)];
}

function scoreFaults({ gate }: Settings, { seo, readability, checks }: Scored): GateFault[] {
  const faults: GateFault[] = [];
  if (gate.min_seo !== null && seo < gate.min_seo) {
    faults.push({
      code: "seo_score",
      pointer: "#/scores/seo",
      detail: `The SEO score is ${seo}; at least ${gate.min_seo} is required.`,
    });
  }
  if (gate.min_readability !== null && readability !== null && readability < gate.min_readability) {
    faults.push({
      code: "readability_score",
      pointer: "#/scores/readability",
      detail: `The readability score is ${readability}; at least ${gate.min_readability} is required.`,
    });
  }
  const required: ReadonlySet<string> = new Set(gate.required_checks);
  for (const { id, name, status, fix } of checks) {
    if (status !== "bad" || !required.has(id)) continue;
    faults.push({
      code: "check",
      pointer: `#/scores/checks/${id}`,
      detail: `${id} (${name}): ${fix ?? "bad"}`,
    });
  }
  return faults;
}

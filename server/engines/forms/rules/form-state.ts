import { defineTransitions } from "../../../core/states.ts";
import type { Form, FormSettings, FormStatus } from "../schema.ts";

const LIVE: readonly FormStatus[] = ["draft", "published", "paused", "closed"];

export const formStates = defineTransitions("Form", {
  collection: "forms.forms",
  steps: {
    publish: [LIVE, "published"],
    pause: [["published"], "paused"],
    resume: [["paused"], "published"],
    close: [["published", "paused"], "closed"],
    archive: [LIVE, "archived"],
  },
});
export type FormAction = Parameters<typeof formStates.from>[0];

/** Whether an action is allowed; archived is final. A closed form is reopened by publishing it. */
export const mayTake = formStates.allows;

export type Availability =
  | { readonly open: true }
  | {
      readonly open: false;
      readonly code: "not_published" | "paused" | "not_open_yet" | "form_closed";
      readonly detail: string;
    };

/** Whether a form accepts submissions now. It opens at `opens_at` and is closed from `closes_at` on. */
export function availability(
  form: Pick<Form, "status" | "submissions">,
  { closes_at: closes, max_submissions: most, opens_at: opens }: FormSettings,
  now: number,
): Availability {
  if (form.status === "draft" || form.status === "archived") {
    return { open: false, code: "not_published", detail: "Form not found." };
  }
  if (form.status === "paused") {
    return { open: false, code: "paused", detail: "The form is paused. Try again later." };
  }
  const isOver = closes !== null && Date.parse(closes) <= now;
  const isFull = most !== null && form.submissions >= most;
  if (form.status === "closed" || isOver || isFull) {
    return { open: false, code: "form_closed", detail: "The form is closed." };
  }
  if (opens !== null && Date.parse(opens) > now) {
    return { open: false, code: "not_open_yet", detail: `The form opens at ${opens}.` };
  }
  return { open: true };
}

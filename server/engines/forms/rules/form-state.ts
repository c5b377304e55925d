import type { Form, FormSettings, FormStatus } from "../schema.ts";

export type FormAction = "publish" | "pause" | "resume" | "close" | "archive";

const FROM: Readonly<Record<FormAction, readonly FormStatus[]>> = {
  publish: ["draft", "published", "paused", "closed"],
  pause: ["published"],
  resume: ["paused"],
  close: ["published", "paused"],
  archive: ["draft", "published", "paused", "closed"],
};

/** Whether an action is allowed; archived is final. A closed form is reopened by publishing it. */
export const mayTake = (action: FormAction, status: FormStatus): boolean => FROM[action].includes(status);

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

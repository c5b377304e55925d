import { z } from "zod";

import { createNewId } from "../../../core/ids.ts";
import { FormContent } from "../schema.ts";
import { Answers } from "../schema/field.ts";
import { Spam, Submission, SubmissionStatus } from "../schema/submission.ts";
import forms from "./demo-forms.json" with { type: "json" };
import sent from "./demo-sent.json" with { type: "json" };

const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };
const make = createNewId({ now: () => Date.UTC(2026, 0, 1) }, fixed);

/** The same in every run, so that documentation can refer to them. Lists are newest first. */
export const DEMO_IDS = { newsletter: make("frm"), quote: make("frm"), contact: make("frm") } as const;

const Contents = z.strictObject({ contact: FormContent, quote: FormContent, newsletter: FormContent });
let loaded: z.output<typeof Contents> | undefined;

/** The forms of `demo-forms.json`, checked when they are first used. */
export const demoContents = () => (loaded ??= Contents.parse(forms));

/** A submission to the demo bakery. */
const DemoSent = z.strictObject({
  form: z.enum(["contact", "quote", "newsletter"]),
  hoursAgo: z.number(),
  status: SubmissionStatus,
  data: Answers,
  spam: Spam.optional(),
  channel: Submission.shape.channel.optional(),
});
export type DemoSent = z.output<typeof DemoSent>;

/** The submissions of `demo-sent.json`, newest first. */
export const demoSent = (): DemoSent[] => z.array(DemoSent).parse(sent);

import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { EVENTS } from "./data/events.ts";
import { demoForms } from "./demo.ts";
import { closeForms, followQuotes, rescanFiles, sweepFiles, sweepSubmissions } from "./jobs.ts";
import {
  forms as formDocs,
  formVersions,
  quoteRequests,
  formSettings,
  submissions,
  submissionSecrets,
  tallies,
} from "./repository.ts";
import { formActionRoutes } from "./routes/form-actions.ts";
import { formRoutes } from "./routes/forms.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { openFormRoutes } from "./routes/open-forms.ts";
import { publicAnswerRoutes } from "./routes/public-answers.ts";
import { publicFormRoutes } from "./routes/public-forms.ts";
import { quoteRequestRoutes } from "./routes/quote-requests.ts";
import { formSettingsRoutes } from "./routes/settings.ts";
import { statsRoutes } from "./routes/stats.ts";
import { submissionRoutes } from "./routes/submissions.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import { formStates } from "./rules/form-state.ts";
import { quoteRequestStates } from "./rules/quote-state.ts";
import { submissionStates } from "./rules/submission-state.ts";

export const forms = defineEngine({
  name: "forms",
  summary: "Forms, submissions, quote requests",
  routes: [
    ...formRoutes,
    ...formActionRoutes,
    ...openFormRoutes,
    ...submissionRoutes,
    ...inboxRoutes,
    ...uploadRoutes,
    ...statsRoutes,
    ...quoteRequestRoutes,
    ...formSettingsRoutes,
  ],
  links: [...publicFormRoutes, ...publicAnswerRoutes],
  events: EVENTS,
  states: [formStates, submissionStates, quoteRequestStates],
  jobs: [sweepSubmissions, sweepFiles, rescanFiles, closeForms, followQuotes],
  seed: (now) => {
    const demo = demoForms(now);
    return [
      formSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        versions: formVersions,
        forms: formDocs,
        submissions,
        secrets: submissionSecrets,
        quoteRequests,
        tallies,
      }),
    ];
  },
});

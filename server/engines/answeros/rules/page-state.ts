import { defineTransitions } from "../../../core/states.ts";

export const pageStates = defineTransitions("Page", {
  collection: "answeros.pages",
  steps: {
    fetched: [["queued", "failed"], "ready"],
    fetch_fails: [["queued"], "failed"],
    fetch_again: [["ready", "failed"], "queued"],
  },
});

export const markupStates = defineTransitions("Structured data document", {
  collection: "answeros.schemas",
  steps: {
    validate: [
      ["valid", "invalid", "published"],
      ["valid", "invalid"],
    ],
    publish: [["valid"], "published"],
    unpublish: [["published"], "valid"],
  },
});

export const rewriteStates = defineTransitions("Rewrite", {
  collection: "answeros.rewrites",
  steps: {
    written: [["queued"], ["ready", "needs_review"]],
    fails: [["queued"], "failed"],
    apply: [["ready", "needs_review"], "applied"],
    reject: [["ready", "needs_review"], "rejected"],
  },
});

export const runStates = defineTransitions("Run", {
  collection: "answeros.runs",
  steps: { answered: [["queued"], "done"], fails: [["queued"], "failed"] },
});

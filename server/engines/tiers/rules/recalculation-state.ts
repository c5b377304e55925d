import { defineTransitions } from "../../../core/states.ts";

export const recalculationStates = defineTransitions("Recalculation", {
  collection: "tiers.recalculations",
  steps: {
    judge: [["queued"], ["judging", "measuring"]],
    measure: [["judging"], "measuring"],
    measured: [["measuring"], "ready"],
    apply: [["ready"], "applying"],
    applied: [["applying"], "applied"],
    roll_back: [["applied"], "rolling_back"],
    rolled_back: [["rolling_back"], "rolled_back"],
    cancel: [["queued", "measuring", "judging", "ready", "applying"], "cancelled"],
  },
});

export const programmeStates = defineTransitions("Programme", {
  collection: "tiers.programmes",
  steps: {
    publish: [["draft", "archived"], "active"],
    publish_another: [["active"], "archived"],
  },
});

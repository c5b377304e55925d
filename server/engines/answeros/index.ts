import { defineEngine } from "../../kernel/engine.ts";
import { listScores } from "./routes/scores.ts";

export const answeros = defineEngine({
  name: "answeros",
  summary: "Answer-engine optimization: schemas, scores, questions, rewrites, citation tracking",
  routes: [listScores],
});

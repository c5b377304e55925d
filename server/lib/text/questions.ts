import type { Language } from "./model.ts";

/** Whether a heading asks: it ends in a question mark, or opens as an English question does ("How do I store bread"). */
export function isQuestion(text: string, language: Language): boolean {
  const plain = text.trim();
  if (/[?？؟]$/u.test(plain) || (language.code === "el" && plain.endsWith(";"))) return true;
  return language.code === "en" && OPENING.test(plain);
}

// "How to …" and "What is …" ask; "Where we deliver" and "When bread sings" do not.
const OPENING =
  /^(?:how (?:to|much|many|long|often|far|do|does|did|can|should|is|are|will)|(?:what|which|why|when|where|who)(?:'s|’s)?\s(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|makes?)|what['’]s|why not)\b/i;

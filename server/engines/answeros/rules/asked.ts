import { keyphraseOf } from "../../../lib/text/keyphrase.ts";
import type { Keyphrase } from "../../../lib/text/keyphrase.ts";
import type { Language } from "../../../lib/text/model.ts";

/** Words of English questions that answers do not repeat: "How long does it keep?" is answered by "it keeps". */
const ASKING =
  /\bhow (?:long|much|many|often|far|soon|big|old)\b|\b(?:do|does|did|can|could|should|shall|will|would|may|might|must|how|what|when|where|which|who|whom|whose|why)\b/gi;

/** The subject of a question; the whole question if nothing else is left of it. */
export function askedOf(question: string, language: Language): Keyphrase {
  const whole = keyphraseOf(question, language);
  if (language.code !== "en") return whole;
  const { stems } = keyphraseOf(question.replaceAll(ASKING, " "), language);
  return stems.length === 0 ? whole : { text: question, stems };
}

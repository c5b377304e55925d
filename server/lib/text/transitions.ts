import type { Language, Sentence } from "./model.ts";

/**
 * Sentences that hold a transition word (English); null for other languages. The list is our own, put together from the
 * connectives that grammars name (addition, contrast, cause, order, example, summary); it follows no product's list.
 */
export function countTransitions(sentences: readonly Sentence[], language: Language): number | null {
  if (language.code !== "en") return null;
  return sentences.filter(({ words }) => hasTransition(words)).length;
}

export function hasTransition(words: readonly string[]): boolean {
  const text = ` ${words.join(" ").toLowerCase().replaceAll("’", "'")} `;
  return TRANSITIONS.some((phrase) => text.includes(phrase));
}

const TRANSITIONS: readonly string[] = `
  above all|according to|accordingly|additionally|after all|after that|afterwards|all in all|also|although|altogether
  another key point|as a matter of fact|as a result|as an illustration|as long as|as opposed to|as soon as|as well as
  at first|at last|at least|at the same time|because|before|before long|besides|but|by all means|by and large
  by comparison|by contrast|by the way|certainly|chiefly|consequently|conversely|correspondingly|despite|due to|during
  earlier|either|equally|especially|even if|even so|even though|eventually|evidently|except|finally|first|firstly
  first of all|following|for example|for instance|for that reason|for the most part|for this reason|for now
  furthermore|generally|given that|granted|hence|however|if|in addition|in any case|in brief|in case|in comparison
  in conclusion|in contrast|in fact|in general|in my view|in other words|in particular|in short|in spite of|in summary
  in that case|in the end|in the first place|in the meantime|in the same way|in turn|including|indeed|initially|instead
  last|lastly|later|least|likewise|mainly|meanwhile|moreover|most importantly|namely|nevertheless|next|nonetheless
  not only|not to mention|notably|notwithstanding|now that|obviously|of course|on the contrary|on the one hand
  on the other hand|on the whole|once|otherwise|overall|owing to|particularly|previously|provided that|rather|regardless
  second|secondly|similarly|since|so|so far|so that|soon|specifically|subsequently|such as|surely|that is|that is to say
  then|thereafter|therefore|third|thirdly|though|thus|to begin with|to conclude|to illustrate|to put it another way
  to summarise|to summarize|to sum up|too|ultimately|under those circumstances|unless|unlike|until|usually|whatever
  when|whenever|whereas|wherever|whether|while|with this in mind|without a doubt|yet
`
  .trim()
  .split(/[|\n]\s*/)
  .map((phrase) => ` ${phrase.trim()} `);

/** The longest run of sentences that begin with the same word, whatever its case; 0 for no sentences. */
export function longestSameStart(sentences: readonly Sentence[]): number {
  let longest = 0;
  let run = 0;
  let before: string | undefined;
  for (const { words } of sentences) {
    const [first] = words;
    if (first === undefined) continue;
    const start = first.toLowerCase();
    run = start === before ? run + 1 : 1;
    before = start;
    longest = Math.max(longest, run);
  }
  return longest;
}

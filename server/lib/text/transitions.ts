import type { Language, Sentence } from "./model.ts";

/**
 * Sentences that hold a transition word (English, German, French); null for other languages. The lists are our own, put together
 * from the connectives that grammars name (addition, contrast, cause, order, example, summary); they follow no product's list.
 */
export function countTransitions(
  sentences: readonly Pick<Sentence, "words">[],
  language: Pick<Language, "code">,
): number | null {
  const phrases = TRANSITIONS[language.code];
  return phrases === undefined ? null : sentences.filter(({ words }) => hasOne(words, phrases)).length;
}

function hasOne(words: readonly string[], phrases: readonly string[]): boolean {
  const text = ` ${words.join(" ").toLowerCase().replaceAll("’", "'")} `;
  return phrases.some((phrase) => text.includes(phrase));
}

const phrasesOf = (list: string): readonly string[] =>
  list
    .trim()
    .split(/[|\n]\s*/)
    .map((phrase) => ` ${phrase.trim()} `);

const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  en: phrasesOf(`
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
`),
  de: phrasesOf(`
  aber|abgesehen davon|allerdings|also|als|am ende|anders als|andererseits|anschließend|auch|auf diese weise|aus diesem grund
  außer|außerdem|bevor|beispielsweise|bis|bloß|da|dabei|dadurch|dafür|dagegen|daher|damit|danach|dann|darauf|darüber hinaus|darum
  davor|dazu|dementsprechend|demnach|denn|dennoch|deshalb|dessen ungeachtet|deswegen|doch|ebenfalls|ebenso|eigentlich|einerseits
  endlich|entsprechend|entweder|erst|erstens|falls|ferner|folglich|freilich|früher|genauso|gleichzeitig|hingegen|immerhin
  im gegensatz|im grunde|im übrigen|im vergleich|indem|in der regel|infolge|infolgedessen|insbesondere|insgesamt|insofern|inzwischen
  jedenfalls|jedoch|kurz gesagt|kurzum|letztendlich|letztlich|mit anderen worten|mithin|nachdem|nachher|nämlich|nebenbei|nicht nur
  nichtsdestotrotz|noch|nun|nur|ob|obgleich|obwohl|ohnehin|schließlich|seit|seitdem|sobald|sodass|sofern|solange|somit|sondern
  sonst|soweit|sowie|sowohl|später|stattdessen|tatsächlich|trotz|trotzdem|überdies|umgekehrt|unter anderem|unterdessen|vielmehr
  vor allem|vorausgesetzt|vorher|während|weder|wegen|weil|weiterhin|weiters|wenn|wenngleich|wie gesagt|wobei|wohingegen|zudem|zuerst
  zuletzt|zum beispiel|zum einen|zum schluss|zunächst|zur zusammenfassung|zusammenfassend|zusätzlich|zwar|zweitens|zwischendurch
`),
  fr: phrasesOf(`
  afin de|afin que|ainsi|alors|alors que|après|après tout|à cause de|à condition que|à l'inverse|à moins que|à savoir|au cas où
  au contraire|au début|au fond|au lieu de|aussi|aussitôt|autrement|autrement dit|avant|avant tout|bien que|bref|car|ceci dit|cela dit
  cependant|c'est-à-dire|c'est pourquoi|comme|d'abord|d'ailleurs|dans ce cas|dans l'ensemble|d'autant plus|d'autre part|d'une part
  de ce fait|de cette façon|de manière que|de même|de plus|de sorte que|depuis|dès que|désormais|donc|du coup|également|en bref
  en cas de|en conclusion|en conséquence|en définitive|en effet|en fait|en général|en outre|en particulier|en premier lieu|en résumé
  en revanche|en somme|encore|enfin|ensuite|entre-temps|essentiellement|étant donné|finalement|grâce à|jusqu'à|lorsque|mais|malgré
  même si|néanmoins|non seulement|notamment|or|ou bien|outre|par ailleurs|par conséquent|par contre|par exemple|parce que|par rapport
  par suite|pendant|plus tard|plutôt|pour autant|pour cette raison|pour que|pourtant|pourvu que|premièrement|puis|puisque|quand
  quant à|quoi qu'il en soit|quoique|sans doute|sauf|selon|si|si bien que|soit|sinon|surtout|tandis que|tant que|tel que|toutefois
  tout d'abord|troisièmement|deuxièmement|une fois que|vu que
`),
};

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

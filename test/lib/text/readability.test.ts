import { expect, it } from "vitest";

import { readText } from "../../../server/lib/text/read.ts";
import { readabilityOf } from "../../../server/lib/text/readability.ts";
import { SYLLABLES } from "../../../server/lib/text/syllables.ts";
import { countTransitions } from "../../../server/lib/text/transitions.ts";

/** Words divided by hand as they are spoken. */
const DIVIDED = {
  de: `Brot Ba-cken Mehl Was-ser Salz Rog-gen-brot Wei-zen-brot O-fen Bä-cke-rei Teig Sau-er-teig ge-ba-cken Kun-den
    be-stel-len Lie-fe-rung Mor-gen heu-te Frau-en Bei-spiel Ge-schäft Öff-nungs-zei-ten Ku-chen Krus-te Schei-be
    lang-sam frisch Na-ti-on The-a-ter Mu-se-um qua-li-tät be-quem Quark na-tür-lich je-der Diens-tag Sams-tag
    Stra-ße klei-ne gro-ße schme-cken Zu-cker But-ter Ei Ei-er Milch Kä-se Nuss Man-del Sel-le-rie Al-ler-gie Re-zept
    Kof-fer Häu-ser Leu-te Trau-be Saal See Boot neu-er Fei-er-abend-4 zwei-hun-dert`,
  fr: `pain eau sel le-vain fa-rine fours bou-lan-ge-rie gâ-teau table tables parlent jours mar-ché ma-tin li-vrai-son
    com-mande com-man-der se-maine bou-teille fro-mage beurre sucre lait noix a-mande cé-le-ri al-ler-gie re-cette
    croûte mie tranche len-te-ment frais fraîche na-ture na-tu-rel chaque pe-tit pe-tite grand grande gens rues deux
    ma-ga-sin ou-vert fer-mé sai-son fruits lé-gumes thé-âtre mu-sée po-ète na-ïf pa-yer cli-ent ou-bli-er
    qua-li-té qui quand langue guerre œuf œufs deux-ième-2`,
};

const wordsOf = (list: string): [word: string, syllables: number][] =>
  list
    .trim()
    .split(/\s+/)
    .map((word) => {
      const told = /^(.*)-(\d)$/.exec(word);
      return told === null
        ? [word.replaceAll("-", ""), word.split("-").length]
        : [(told[1] ?? "").replaceAll("-", ""), Number(told[2])];
    });

it.each(Object.entries(DIVIDED))("counts syllables of %s", (code, list) => {
  const words = wordsOf(list);
  const counted = words.map(([word, syllables]) => ({
    word,
    syllables,
    counted: Math.max(1, SYLLABLES[code]?.(word) ?? 0),
  }));
  const wrong = counted.filter((one) => one.counted !== one.syllables);
  expect(wrong.length / words.length).toBeLessThanOrEqual(0.1);
  const sum = (of: "syllables" | "counted") => counted.reduce((total, one) => total + one[of], 0);
  expect(Math.abs(sum("counted") / sum("syllables") - 1)).toBeLessThanOrEqual(0.03);
});

it.each([
  // 180 − 7 − 58.5 · 17/14
  ["de", "Wir backen das Brot in der Nacht. Am Morgen fahren wir es zu euch.", [14, 2, 17], 101.96],
  // 207 − 1.015 · 7.5 − 73.6 · 18/15
  ["fr", "Nous cuisons le pain la nuit. Le matin, nous le portons chez vous en ville.", [15, 2, 18], 111.07],
])("has a reading ease of its own for %s", async (locale, body, figures, ease) => {
  const { counts } = await readText({ body, format: "markdown", locale });
  const { flesch_reading_ease: found, ...others } = readabilityOf(counts, locale);
  expect([counts.words, counts.sentences, counts.syllables]).toEqual(figures);
  expect(found).toBeCloseTo(ease, 1);
  expect(Object.values(others)).toEqual([null, null, null, null, null]);
});

it("has none for a language without a formula", async () => {
  const { counts } = await readText({ body: "Piekarnia jest otwarta.", format: "markdown", locale: "pl" });
  expect(readabilityOf(counts, "pl").flesch_reading_ease).toBeNull();
});

it.each([
  ["de", "Deshalb backen wir nachts", true],
  ["de", "Wir backen nachts", false],
  ["fr", "Par exemple le dimanche", true],
  ["fr", "Nous cuisons la nuit", false],
])("finds transition words of %s: %s", (code, sentence, is) =>
  expect(countTransitions([{ words: sentence.split(" ") }], { code })).toBe(is ? 1 : 0),
);

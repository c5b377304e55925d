/** A step of a points table: more than `over` earns `points`. */
export interface PointStep {
  readonly over: string;
  readonly points: number;
}

/** One point for each threshold, as most tables have it. */
const onePointEach = (thresholds: readonly string[]): PointStep[] =>
  thresholds.map((over, index) => ({ over, points: index + 1 }));

/**
 * UK nutrient profiling model 2004/05 per 100 g: Department of Health, Nutrient Profiling Technical Guidance
 * (January 2011), tables 1 and 2. More than a threshold earns its points.
 */
export const NPM_2004 = {
  energy: onePointEach(["335", "670", "1005", "1340", "1675", "2010", "2345", "2680", "3015", "3350"]),
  saturates: onePointEach(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]),
  sugars: onePointEach(["4.5", "9", "13.5", "18", "22.5", "27", "31", "36", "40", "45"]),
  sodium: onePointEach(["90", "180", "270", "360", "450", "540", "630", "720", "810", "900"]),
  fruitVegNuts: [
    { over: "40", points: 1 },
    { over: "60", points: 2 },
    { over: "80", points: 5 },
  ],
  fibreAoac: onePointEach(["0.9", "1.9", "2.8", "3.7", "4.7"]),
  fibreNsp: onePointEach(["0.7", "1.4", "2.1", "2.8", "3.5"]),
  protein: onePointEach(["1.6", "3.2", "4.8", "6.4", "8.0"]),
  /** From this many A points on, protein counts only with full points for fruit, vegetables and nuts. */
  proteinLimit: 11,
  fruitVegNutsFull: 5,
  /** "Less healthy" from this score on. */
  lessHealthy: { food: 4, drink: 1 },
} as const;

/**
 * Nutri-Score as updated in 2022 (foods) and 2023 (beverages): Scientific Committee reports and Santé publique
 * France, Nutri-Score technical documents 2023; thresholds checked against Open Food Facts' Nutriscore.pm.
 */
export const NUTRI_SCORE_2023 = {
  energy: NPM_2004.energy,
  energyBeverage: onePointEach(["30", "90", "150", "210", "240", "270", "300", "330", "360", "390"]),
  /** Fats, oils, nuts and seeds: energy of the saturates at 37 kJ/g in place of all energy. */
  energyFromSaturates: onePointEach(["120", "240", "360", "480", "600", "720", "840", "960", "1080", "1200"]),
  sugars: onePointEach([
    "3.4",
    "6.8",
    "10",
    "14",
    "17",
    "20",
    "24",
    "27",
    "31",
    "34",
    "37",
    "41",
    "44",
    "48",
    "51",
  ]),
  sugarsBeverage: onePointEach(["0.5", "2", "3.5", "5", "6", "7", "8", "9", "10", "11"]),
  saturates: NPM_2004.saturates,
  /** At least a threshold, not more than it: the one table of the score that is read so. */
  saturatesRatio: onePointEach(["10", "16", "22", "28", "34", "40", "46", "52", "58", "64"]),
  salt: onePointEach([
    "0.2",
    "0.4",
    "0.6",
    "0.8",
    "1",
    "1.2",
    "1.4",
    "1.6",
    "1.8",
    "2",
    "2.2",
    "2.4",
    "2.6",
    "2.8",
    "3",
    "3.2",
    "3.4",
    "3.6",
    "3.8",
    "4",
  ]),
  sweetenerPoints: 4,
  fruitVegLegumes: NPM_2004.fruitVegNuts,
  fruitVegLegumesBeverage: [
    { over: "40", points: 2 },
    { over: "60", points: 4 },
    { over: "80", points: 6 },
  ],
  fibre: onePointEach(["3.0", "4.1", "5.2", "6.3", "7.4"]),
  protein: onePointEach(["2.4", "4.8", "7.2", "9.6", "12", "14", "17"]),
  proteinBeverage: onePointEach(["1.2", "1.5", "1.8", "2.1", "2.4", "2.7", "3.0"]),
  redMeatProteinMax: 2,
  /** From this many negative points on, protein no longer counts (cheese and beverages apart). */
  proteinLimit: { general: 11, fats: 7 },
  /** Highest score of A to D; above is E. Of beverages only water is A. */
  classes: {
    general: { A: 0, B: 2, C: 10, D: 18 },
    fats: { A: -6, B: 2, C: 10, D: 18 },
    beverage: { A: Number.NEGATIVE_INFINITY, B: 2, C: 6, D: 9 },
  },
} as const;

export interface LightLimits {
  /** Green up to and including. */
  readonly low: string;
  /** Amber up to and including. */
  readonly high: string;
  /** Red above this in one portion. */
  readonly portion: string;
}

export type LitNutrient = "fat" | "saturates" | "sugars" | "salt";

/**
 * Department of Health and others, Guide to creating a front of pack nutrition label (2013, updated 2016), tables 2
 * and 3: per 100 g of food, per 100 ml of drink; the portion limit holds for portions above `portionOver`.
 */
export const TRAFFIC_LIGHTS = {
  food: {
    portionOver: "100",
    limits: {
      fat: { low: "3.0", high: "17.5", portion: "21" },
      saturates: { low: "1.5", high: "5.0", portion: "6" },
      sugars: { low: "5.0", high: "22.5", portion: "27" },
      salt: { low: "0.3", high: "1.5", portion: "1.8" },
    },
  },
  drink: {
    portionOver: "150",
    limits: {
      fat: { low: "1.5", high: "8.75", portion: "10.5" },
      saturates: { low: "0.75", high: "2.5", portion: "3" },
      sugars: { low: "2.5", high: "11.25", portion: "13.5" },
      salt: { low: "0.3", high: "0.75", portion: "0.9" },
    },
  },
} as const satisfies Record<string, { portionOver: string; limits: Record<LitNutrient, LightLimits> }>;

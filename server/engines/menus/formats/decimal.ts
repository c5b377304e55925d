import { Big } from "big.js";

/**
 * Prices of systems that write them as decimal numbers of the main unit (Toast, Otter, schema.org), from and to integer
 * minor units. Worked out in decimal, so that 19.99 is 1999 and nothing else.
 */

/** ISO 4217 currencies that do not have two decimals (list one of the standard, amendment 176). */
const EXPONENTS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
};

/** Decimals of a currency: 2 for GBP, 0 for JPY, 3 for KWD. */
export const exponentOf = (currency: string): number => EXPONENTS[currency] ?? 2;

/** Minor units of a decimal amount, half away from zero; `exact` tells whether nothing was rounded off. */
export function toMinor(amount: number | string, currency: string): { minor: number; exact: boolean } {
  const units = new Big(amount).times(new Big(10).pow(exponentOf(currency)));
  const rounded = units.round(0, Big.roundHalfUp);
  return { minor: rounded.toNumber(), exact: rounded.eq(units) };
}

/** The decimal number of an amount in minor units, for JSON. */
export const toDecimal = (minor: number, currency: string): number =>
  new Big(minor).div(new Big(10).pow(exponentOf(currency))).toNumber();

/** The same as text with all its decimals: "9.50", "1200", "0.750". */
export const toDecimalText = (minor: number, currency: string): string =>
  new Big(minor).div(new Big(10).pow(exponentOf(currency))).toFixed(exponentOf(currency));

/** `value * 10^places` as an integer, for fields in E2 or E5 notation. */
export const scaleUp = (value: number, places: number): number =>
  new Big(value).times(new Big(10).pow(places)).round(0, Big.roundHalfUp).toNumber();

/** An integer in E2 or E5 notation as the number that it stands for. */
export const scaleDown = (value: number, places: number): number =>
  new Big(value).div(new Big(10).pow(places)).toNumber();

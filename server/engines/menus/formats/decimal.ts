import { Big } from "big.js";

/**
 * Prices of systems that use decimal numbers of the major unit (Toast, Otter, schema.org), converted from and to
 * integer
 * minor units. Computed in decimal, so that 19.99 is exactly 1999.
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

/** Minor units of a decimal amount, rounded half away from zero; `exact` is true if nothing was rounded. */
export function toMinor(amount: number | string, currency: string): { minor: number; exact: boolean } {
  const units = new Big(amount).times(new Big(10).pow(exponentOf(currency)));
  const rounded = units.round(0, Big.roundHalfUp);
  return { minor: rounded.toNumber(), exact: rounded.eq(units) };
}

/** The decimal number of an amount in minor units, for JSON. */
export const toDecimal = (minor: number, currency: string): number =>
  new Big(minor).div(new Big(10).pow(exponentOf(currency))).toNumber();

/** The same as a string with all decimals: "9.50", "1200", "0.750". */
export function toDecimalText(minor: number, currency: string): string {
  const places = exponentOf(currency);
  // Of the digits: a document can have thousands of prices, and a division in decimal takes some microseconds.
  const digits = String(Math.abs(minor)).padStart(places + 1, "0");
  const decimals = places === 0 ? "" : `.${digits.slice(-places)}`;
  return `${minor < 0 ? "-" : ""}${digits.slice(0, digits.length - places)}${decimals}`;
}

/** `value * 10^places` as an integer, for fields in E2 or E5 notation. */
export const scaleUp = (value: number, places: number): number =>
  new Big(value).times(new Big(10).pow(places)).round(0, Big.roundHalfUp).toNumber();

/** The number represented by an integer in E2 or E5 notation. */
export const scaleDown = (value: number, places: number): number =>
  new Big(value).div(new Big(10).pow(places)).toNumber();

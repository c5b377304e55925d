/**
 * A cell that a spreadsheet would evaluate as a formula is prefixed with an apostrophe (CSV injection). Excel in countries with a decimal
 * comma begins a cell after each semicolon and line break, quoted or not: a blank makes it a text there.
 */
export const safeCell = (text: string): string =>
  text.replaceAll(/(?<=[;\r\n])(?=[=+\-@＝＋－＠])/g, " ").replace(/^(?=[=+\-@\t\r\n＝＋－＠])/, "'");

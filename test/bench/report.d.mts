export interface Section {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** Adds a value to the list of a key. In place: a copy for each would take time that grows with the square of their number. */
export function addTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/**
 * The files whose names are known already. Browsers on a Mac spell "é" in two signs, and the list in one.
 *
 * @template {{ name: string }} File
 * @param {File[]} files
 * @param {{ name: string }[]} list
 */
export function known(files, list) {
  const names = new Set(list.map(({ name }) => name));
  return files.filter(({ name }) => names.has(name.normalize("NFC")));
}

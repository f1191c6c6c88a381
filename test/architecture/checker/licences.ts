/** The licences of the packages that Longshore runs with, as package-lock.json lists them for every platform. */

export interface LockedPackage {
  license?: string;
  /** Installed for development only. */
  dev?: boolean;
}

/** Licences that ask for no more than a notice, so anyone may use and pass on Longshore together with such a package. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** Packages whose entry in the lock file does not show that they are permissive, and the licence that they have. */
const checkedByHand: Record<string, string> = {
  buildcheck: 'MIT; its package.json uses the old field "licenses"',
  'cpu-features': 'MIT; its package.json uses the old field "licenses"',
  'spdx-exceptions': 'CC-BY-3.0: a list of names, which asks for attribution only',
  ssh2: 'MIT; its package.json uses the old field "licenses"',
};

/** @param packages by their path, as in `packages` of package-lock.json. @returns one sentence for each package that is not permissive. */
export function licenceViolations(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages).flatMap(([path, { license = 'none', dev }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (path === '' || dev === true || name in checkedByHand || isPermissive(license)) return [];
    return [`${name} has the licence ${license}`];
  });
}

/** Reads SPDX expressions without inner brackets: `MIT`, `(MIT OR GPL-2.0)`, `MIT AND Zlib`. All others count as not permissive. */
function isPermissive(expression: string): boolean {
  const flat = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(flat)) return false;
  return flat.split(' OR ').some((choice) => choice.split(' AND ').every((one) => permissive.includes(one)));
}

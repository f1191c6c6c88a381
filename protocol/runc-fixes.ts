/**
 * Checks whether a runc has the fixes of November 2025 against container escapes: CVE-2025-31133, CVE-2025-52565 and
 * CVE-2025-52881 (https://github.com/opencontainers/runc/security/advisories/GHSA-9493-h29p-rfm2). Distributions may have the
 * fixes in packages with an older version. These are not recognised: the operator confirms them with `trustedRunc` (docs/operate/hosts.md).
 */

/** The first fixed release of each series; 1.5 and later have the fixes, 1.1 and earlier never got them. */
const fixedPatches: Readonly<Record<number, number>> = { 2: 8, 3: 3, 4: 0 };

/** @param version as Docker reports it: `1.1.15+ds1`, `1.3.3`, `1.3.3-0ubuntu1~24.04.2`, `1.4.0-rc.1` */
export function hasRuncFixes(version: string): boolean {
  const found = /^(\d+)\.(\d+)\.(\d+)([-~]rc)?/.exec(version);
  if (!found) return false;
  const [major = 0, minor = 0, patch = 0] = found.slice(1, 4).map(Number);
  if (major !== 1 || minor > 4) return major >= 1;
  const fixed = fixedPatches[minor];
  // A release candidate precedes its release.
  return fixed !== undefined && patch >= fixed + (found[4] === undefined ? 0 : 1);
}

/** One entry of `Components` in the answer of Docker's `GET /version`. */
export interface DockerComponent {
  Name: string;
  Version: string;
  Details?: { GitCommit?: string | undefined } | null | undefined;
}

/**
 * The version of Docker's runc including its build, to distinguish packages of the same version. Debian's revision is in the commit
 * (`1.1.5+ds1-1+deb12u1`); any other commit follows in parentheses (`1.3.3 (v1.3.3-0-gd842d77)`).
 * @returns null if Docker lists no runc, because its default runtime has another name
 */
export function runcVersionOf(components: readonly DockerComponent[] | null | undefined): string | null {
  const runc = components?.find(({ Name }) => Name === 'runc');
  if (!runc?.Version) return null;
  const commit = runc.Details?.GitCommit;
  if (!commit) return runc.Version;
  return commit.startsWith(runc.Version) ? commit : `${runc.Version} (${commit})`;
}

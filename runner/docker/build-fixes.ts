/**
 * Checks whether a version of Docker has the security fixes of January 2024 for its builder: CVE-2024-23651 and CVE-2024-23652 (a build
 * reads or deletes files of the host) and CVE-2024-23653 (a build gets a privileged container). BuildKit 0.12.5 has them; it is in Docker
 * 24.0.9 and 25.0.2 (https://www.docker.com/blog/docker-security-advisory-multiple-vulnerabilities-in-runc-buildkit-and-moby/). A
 * distribution may backport the fixes to an older version. Its version number does not show that, so it counts as not fixed.
 */
/** The first fixed release of each series; later series have the fixes, earlier ones never got them. */
const fixedReleases: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  24: [0, 9],
  25: [0, 2],
};

/** @param version in the daemon's form: `20.10.24+dfsg1`, `27.3.1` */
export function hasBuildFixes(version: string): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)(-)?/.exec(version);
  if (!found) return false;
  const [major = 0, minor = 0, patch = 0] = found.slice(1, 4).map(Number);
  const fixed = fixedReleases[major];
  if (!fixed) return major > 25;
  // A release candidate (`25.0.2-rc.1`) precedes its release.
  const firstPatch = fixed[1] + (found[4] === undefined ? 0 : 1);
  return minor > fixed[0] || (minor === fixed[0] && patch >= firstPatch);
}

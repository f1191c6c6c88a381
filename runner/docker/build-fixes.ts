/**
 * Whether a Docker has the fixes of January 2024 for its builder: CVE-2024-23651 and CVE-2024-23652 (a build reads or deletes files of
 * the host) and CVE-2024-23653 (a build gets a privileged container). BuildKit 0.12.5 has them; it is in Docker 24.0.9 and 25.0.2
 * (https://www.docker.com/blog/docker-security-advisory-multiple-vulnerabilities-in-runc-buildkit-and-moby/).
 * Packages of distributions that carry the fixes under an older version are not recognised: their version does not say so.
 */
import { gte, parse } from 'semver';

/** @param version as the daemon says it: `20.10.24+dfsg1`, `27.3.1` */
export function hasBuildFixes(version: string): boolean {
  const found = parse(version);
  if (!found) return false;
  return found.major === 24 ? gte(found, '24.0.9') : gte(found, '25.0.2');
}

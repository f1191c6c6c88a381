/** The warning of `setup` about a runc that programs can leave their container by, where user namespaces do not soften it. */
import type { DockerEngine } from '../docker/engine.ts';

/**
 * The first release of each series with the fixes for CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881; 1.4 and later have them, 1.1 and
 * earlier never got them: https://github.com/opencontainers/runc/security/advisories/GHSA-9493-h29p-rfm2
 */
const fixedPatches: Readonly<Record<number, number>> = { 2: 8, 3: 3 };

/** @returns lines for the operator; none if runc has the fixes, if root in a container is no root of the host, or if its version is unknown */
export async function runcHint(docker: Pick<DockerEngine, 'version' | 'info'>): Promise<string[]> {
  const { Components } = await docker.version();
  const version = Components?.find(({ Name }) => Name === 'runc')?.Version;
  if (version === undefined || hasRuncFixes(version)) return [];
  const { SecurityOptions } = (await docker.info()) as { SecurityOptions?: string[] | null };
  if (SecurityOptions?.some((option) => /^name=(userns|rootless)\b/.test(option))) return [];
  return [
    `runc ${version} lets a program leave its container (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881), unless your distribution has mended it under this version.`,
    'For several tenants install runc 1.2.8, 1.3.3 or newer, or switch on user namespaces (docs/operate/hosts.md).',
  ];
}

/** @param version as Docker reports it: `1.1.15+ds1`, `1.3.3` */
function hasRuncFixes(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major !== 1 || minor > 3) return major >= 1;
  const fixed = fixedPatches[minor];
  return fixed !== undefined && patch >= fixed;
}

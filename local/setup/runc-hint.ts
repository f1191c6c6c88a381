/** The warning of `setup` about a runc that lets programs escape from their container, where user namespaces do not mitigate it. */
import { hasRuncFixes, runcVersionOf } from '../../protocol/runc-fixes.ts';
import type { DockerEngine } from '../docker/engine.ts';

/** @returns lines for the operator; none if runc has the fixes, if root in a container is not root on the host, or if its version is unknown */
export async function runcHint(docker: Pick<DockerEngine, 'version' | 'info'>): Promise<string[]> {
  const { Components } = await docker.version();
  const version = runcVersionOf(Components);
  if (version === null || hasRuncFixes(version)) return [];
  const { SecurityOptions } = (await docker.info()) as { SecurityOptions?: string[] | null };
  if (SecurityOptions?.some((option) => /^name=(userns|rootless)\b/.test(option))) return [];
  return [
    `runc ${version} lets a program leave its container (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881), unless your distribution has mended it under this version: this host can serve one tenant only.`,
    'For several tenants install runc 1.2.8, 1.3.3 or newer, switch on user namespaces, or set "trustedRunc" (docs/operate/hosts.md).',
  ];
}
